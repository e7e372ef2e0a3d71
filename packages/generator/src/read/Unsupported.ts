import * as Data from "effect/Data"

/** Why an operation is left out. Codes are stable: a manifest holds them. */
export type Code =
  | "external-ref"
  | "method"
  | "pagination"
  | "parameter-cookie"
  | "parameter-name"
  | "parameter-object"
  | "parameter-place"
  | "path"
  | "payload-method"
  | "payload-type"
  | "reference"
  | "schema"

/** A part of an operation that cannot be generated. The pointer is one into the document after the patches. */
export class Unsupported extends Data.TaggedError("Unsupported")<{
  readonly code: Code
  readonly pointer: string
  readonly message: string
}> {}

/** The way out, where the message does not say it. */
const ways: Partial<Record<Code, string>> = {
  method: "call it without this client",
  "parameter-cookie": "a patch can rename it, or leave it out",
  "parameter-name": "a patch can rename it, or leave it out",
  "parameter-object": "a patch can make it a text, which callers write",
  "parameter-place": "a patch can move it, such as the fields of a querystring to the query",
  path: "a patch can move the operation to a path that has this form",
  "payload-method": "a patch can remove the body, or make it optional",
  "payload-type": "a patch can name another media type, if the service reads that",
  reference: "a patch can add what is missing, or replace the reference",
  schema: "a patch can replace it; {} is any JSON"
}

/** An operation cannot be generated because of what is at a pointer. */
export const unsupported = (code: Code, pointer: string, message: string) => {
  const way = ways[code]
  return new Unsupported({ code, pointer, message: way === undefined ? message : `${message}; ${way}` })
}

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
