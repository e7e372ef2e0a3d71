import * as Data from "effect/Data"

/** What an operation is refused for. Codes are stable: a manifest holds them. */
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

/** Why one operation is not generated. The pointer is one into the document after the patches. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: Code
  readonly pointer: string
  readonly message: string
}> {}

/** What is read, or why it is refused. */
export const attempt = <A>(read: () => A): A | Refusal => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** A refused operation, as the manifest and the generated index list it. */
export interface Refused {
  readonly id: string
  readonly code: Code
  readonly pointer: string
  readonly message: string
}

/** Something that was generated in another way than the document says. */
export interface Warning {
  readonly code: string
  readonly pointer: string
  /** What was generated instead. */
  readonly message: string
}

/** Takes a warning. */
export type Warn = (code: string, pointer: string, message: string) => void
