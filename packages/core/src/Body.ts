import type * as Schema from "effect/Schema"

/** JSON (RFC 8259) of one schema. */
export interface Json<out S extends Schema.Codec<unknown, unknown>> {
  readonly _tag: "Json"
  readonly schema: S
}

/** JSON in the service's envelope; see `Envelope`. */
export interface Envelope<out S extends Schema.Codec<unknown, unknown>> {
  readonly _tag: "Envelope"
  readonly schema: S
}

/** Names and values, as an HTML form sends them: `application/x-www-form-urlencoded` (URL standard, section 5). */
export interface Form<out S extends Schema.Codec<unknown, Fields>> {
  readonly _tag: "Form"
  readonly schema: S
}

/** Names with one value, several, or none. */
export type Fields = { readonly [name: string]: string | ReadonlyArray<string> | undefined }

/** Text in UTF-8. */
export interface Text {
  readonly _tag: "Text"
  readonly contentType: string
}

/** Bytes as they are. */
export interface Bytes {
  readonly _tag: "Bytes"
  readonly contentType: string
}

/** No content. */
export interface Empty {
  readonly _tag: "Empty"
}

/** What a request can carry. */
export type Payload =
  | Json<Schema.Codec<unknown, unknown>>
  | Form<Schema.Codec<unknown, Fields>>
  | Text
  | Bytes

/** What a success can carry. */
export type Success =
  | Envelope<Schema.Codec<{ readonly requestId?: string }, unknown>>
  | Json<Schema.Codec<unknown, unknown>>
  | Text
  | Bytes
  | Empty

/** What a program sees of a body. */
export type Type<Body extends Payload | Success> = Body extends { readonly schema: infer S extends Schema.Constraint }
  ? S["Type"]
  : Body extends Text
    ? string
    : Body extends Bytes
      ? Uint8Array
      : void

/**
 * JSON of a schema, in a request or without an envelope in a response.
 *
 * @example
 * import * as Body from "@cloud-management/core/Body"
 * import * as Schema from "effect/Schema"
 *
 * const NewApiKey = Body.json(Schema.Struct({ name: Schema.String }))
 */
export const json = <S extends Schema.Codec<unknown, unknown>>(schema: S): Json<S> => ({
  _tag: "Json",
  schema
})

/** A form, in a request. The schema's encoded side is a record of strings, or of arrays of them. */
export const form = <S extends Schema.Codec<unknown, Fields>>(schema: S): Form<S> => ({ _tag: "Form", schema })

/** Text, `text/plain` unless `contentType` says otherwise. */
export const text = (contentType = "text/plain"): Text => ({ _tag: "Text", contentType })

/** Bytes, `application/octet-stream` unless `contentType` says otherwise. */
export const bytes = (contentType = "application/octet-stream"): Bytes => ({ _tag: "Bytes", contentType })

/** No content, in a response. */
export const empty: Empty = { _tag: "Empty" }

/** JSON in the service's envelope. `Envelope` has the schemas. */
export const envelope = <S extends Schema.Codec<{ readonly requestId?: string }, unknown>>(schema: S): Envelope<S> => ({ _tag: "Envelope", schema })
