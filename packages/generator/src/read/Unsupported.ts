import { Data } from "effect"

/** Why an operation is left out. Codes are stable: a manifest holds them. */
export type Code =
  | "external-ref"
  | "method"
  | "pagination"
  | "parameter-array"
  | "parameter-cookie"
  | "parameter-name"
  | "parameter-object"
  | "parameter-style"
  | "path"
  | "payload-method"
  | "payload-type"
  | "reference"
  | "schema"
  | "security"
  | "success-count"

/** A part of an operation that cannot be generated. The pointer is one into the document after the patches. */
export class Unsupported extends Data.TaggedError("Unsupported")<{
  readonly code: Code
  readonly pointer: string
  readonly message: string
}> {}

/** An operation cannot be generated because of what is at a pointer. */
export const unsupported = (code: Code, pointer: string, message: string) => new Unsupported({ code, pointer, message })

/** The value that is read, or why it is unsupported. */
export const attempt = <A>(read: () => A): A | Unsupported => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unsupported) return error
    throw error
  }
}

/** An operation that is left out, as the manifest and the generated index list it. */
export interface Omitted {
  readonly id: string
  readonly code: Code
  readonly pointer: string
  readonly message: string
}

/** Something that was generated in another way than the document says. */
export interface Warning {
  readonly code: string
  readonly pointer: string
  /** It says how it was generated instead. */
  readonly message: string
}

/** Takes a warning. */
export type Warn = (code: string, pointer: string, message: string) => void
