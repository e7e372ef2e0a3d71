import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpBody from "effect/http/HttpBody"
import * as Content from "./internal/content.ts"

export type { Fields } from "./internal/content.ts"

/**
 * The content of a request or response: a schema, and the code that converts its encoded side to bytes and back. Each
 * kind carries its own code, so a program's bundle contains only the kinds that its operations use.
 */
interface Body<out Tag extends string, out S extends Schema.Constraint> {
  readonly _tag: Tag
  readonly schema: S
}

/** A kind of body for requests. */
interface Writable {
  readonly write: Content.Write<HttpBody.HttpBody>
}

/** A kind of body for successes. */
interface Readable {
  /** `accept` of the request. */
  readonly accept: string
  readonly read: Content.Read
  /** Selects the part of the decoded content that the client's method returns. Default: all of it. */
  readonly unwrap?: (value: unknown) => unknown
  /** The content to return for a deletion that found nothing to delete; absent if a success has a result. */
  readonly deletedValue?: (requestId: string | undefined) => unknown
}

/**
 * JSON (RFC 8259) of one schema.
 *
 * @category models
 * @since 0.1.0
 */
export interface Json<out S extends Schema.Codec<unknown, unknown>> extends Body<"Json", S>, Writable, Readable {}

/**
 * JSON in the service's envelope; the module `Envelope` creates it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Envelope<out S extends Schema.Codec<unknown, unknown>> extends Body<"Envelope", S>, Readable {}

/**
 * Names and values, encoded like an HTML form: `application/x-www-form-urlencoded` (URL standard, section 5).
 *
 * @category models
 * @since 0.1.0
 */
export interface Form<out S extends Schema.Codec<unknown, Content.Fields>> extends Body<"Form", S>, Writable {}

/**
 * Text in UTF-8.
 *
 * @category models
 * @since 0.1.0
 */
export interface Text extends Body<"Text", Schema.String>, Writable, Readable {
  readonly contentType: string
}

/**
 * Bytes, unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bytes extends Body<"Bytes", Schema.Uint8Array>, Writable, Readable {
  readonly contentType: string
}

/**
 * No content.
 *
 * @category models
 * @since 0.1.0
 */
export interface Empty extends Body<"Empty", Schema.Void>, Readable {}

/**
 * The kinds of content that a request can have.
 *
 * @category models
 * @since 0.1.0
 */
export type Payload = Json<Schema.Codec<unknown, unknown>> | Form<Schema.Codec<unknown, Content.Fields>> | Text | Bytes

/**
 * The kinds of content that a success can have.
 *
 * @category models
 * @since 0.1.0
 */
export type Success =
  | Envelope<Schema.Codec<{ readonly requestId?: string }, unknown>>
  | Json<Schema.Codec<unknown, unknown>>
  | Text
  | Bytes
  | Empty

/**
 * JSON of a schema, in a request, or in a response without an envelope.
 *
 * **Example** (Sending a name as JSON)
 *
 * ```ts
 * import * as Body from "@cloud-management/core/Body"
 * import * as Schema from "effect/Schema"
 *
 * const NewApiKey = Body.json(Schema.Struct({ name: Schema.String }))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const json = <S extends Schema.Codec<unknown, unknown>>(schema: S): Json<S> => ({
  _tag: "Json",
  schema,
  accept: "application/json",
  read: Content.json,
  write: Content.writer(schema, (encoded) => HttpBody.jsonUnsafe(encoded))
})

/**
 * A form, in a request.
 *
 * **Details**
 *
 * The schema's encoded side is a record of strings, or of arrays of them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const form = <S extends Schema.Codec<unknown, Content.Fields>>(schema: S): Form<S> => ({
  _tag: "Form",
  schema,
  write: Content.writer(schema, (fields) =>
    HttpBody.text(Content.urlEncoded(fields), "application/x-www-form-urlencoded")
  )
})

/**
 * Text, `text/plain` unless `contentType` says otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (contentType = "text/plain"): Text => ({
  _tag: "Text",
  schema: Schema.String,
  contentType,
  accept: contentType,
  read: (body) => Result.succeed(Content.utf8(body)),
  write: Content.writer(Schema.String, (text) => HttpBody.text(Content.wellFormed("payload", text), contentType))
})

/**
 * Bytes, `application/octet-stream` unless `contentType` says otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bytes = (contentType = "application/octet-stream"): Bytes => ({
  _tag: "Bytes",
  schema: Schema.Uint8Array,
  contentType,
  accept: contentType,
  read: Result.succeed,
  write: Content.writer(Schema.Uint8Array, (bytes) => HttpBody.uint8Array(bytes, contentType))
})

/**
 * No content, in a response; a body that arrives is ignored.
 *
 * @category constructors
 * @since 0.1.0
 */
export const empty: Empty = {
  _tag: "Empty",
  schema: Schema.Void,
  accept: "*/*",
  read: () => Result.succeed(undefined),
  deletedValue: () => undefined
}
