import * as Struct from "effect/Struct"

/** The rounds, columns of the report, and what the cases of each show. */
export const meanings = {
  full: "every parameter and every field",
  minimal: "only what is required, or no items",
  alternatives: "each alternative of requests and responses",
  examples: "the examples of the document",
  overlap: "values that fit two alternatives",
  null: "null in optional fields",
  "new value": "enum values that the document does not name",
  "new variant": "alternatives that the document does not name",
  "extra field": "fields that the document does not name",
  errors: "each declared error, with its body",
  "free text": "errors with other text, or without JSON",
  foreign: "a body that is not the document's is no success",
  streams: "events and lines as they arrive",
  pages: "all pages to the end",
  incomplete: "a required part left out is never sent"
} as const

export type Round = keyof typeof meanings

export const all: ReadonlyArray<Round> = Struct.keys(meanings)
