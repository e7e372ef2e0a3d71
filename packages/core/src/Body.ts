import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import type { ClientReason, CloudError, Refused } from "./CloudError.ts"
import * as Content from "./internal/content.ts"
import * as Digits from "./internal/digits.ts"
import { property } from "./internal/property.ts"
import * as Streaming from "./internal/streaming.ts"

export type { Fields, Styles } from "./internal/content.ts"

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
  /** Whether a request may leave it out. Default: false. */
  readonly optional?: boolean
}

/** A kind of body for successes. */
interface Readable {
  /** `accept` of the request. */
  readonly accept: string
  /** The status that a service answers with. Default: 200, or 204 without content. A client takes any from 200 to 299, and this one. */
  readonly status?: number
  readonly read: Content.Read
  /** Makes the value of a call from a response whose body is not read yet. Default of `codec`: the global `JSON`. */
  readonly open?: (response: Streaming.OpenResponse, codec?: Content.JsonCodec) => unknown
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
export interface Json<out S extends Schema.Codec<unknown, unknown>> extends Body<"Json", S>, Writable, Readable {
  readonly contentType: string
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: Content.JsonCodec
}

/**
 * JSON in the service's envelope; the module `Envelope` creates it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Envelope<out S extends Schema.Codec<unknown, unknown>> extends Body<"Envelope", S>, Readable {
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: Content.JsonCodec
}

/**
 * Names and values, encoded like an HTML form: `application/x-www-form-urlencoded` (URL standard, section 5).
 *
 * @category models
 * @since 0.1.0
 */
export interface Form<out S extends Schema.Codec<unknown, Content.Fields>> extends Body<"Form", S>, Writable {
  readonly contentType: string
  readonly styles?: Content.Styles
}

/**
 * A value of a part in a multipart body: text, bytes, or a file, which keeps its name and media type.
 *
 * @category models
 * @since 0.1.0
 */
export type Part = string | Uint8Array | Blob

/**
 * Names and values, some of them files: `multipart/form-data` (RFC 7578).
 *
 * @category models
 * @since 0.1.0
 */
export interface Multipart<
  out S extends Schema.Codec<unknown, { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }>
>
  extends Body<"Multipart", S>, Writable {
  readonly contentType: string
}

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
 * Bytes to send while they are produced.
 *
 * @category models
 * @since 0.1.0
 */
export interface Source extends Streaming.Upload {}

/**
 * A stream of bytes, in a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Upload extends Body<"Upload", Schema.Codec<Source>>, Writable {
  readonly contentType: string
}

/**
 * A value for each part of a body, as it arrives.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arriving<out A>
  extends Body<"Stream", Schema.Codec<Stream.Stream<A, CloudError<ClientReason | Refused>>>>, Readable {
  /** How the parts are told apart. */
  readonly framing: "bytes" | "lines" | "events"
  /** Reads the stream of a call outside Effect: `run` waits for each part, and `convert` is applied to it. */
  readonly iterate: Streaming.Iterate
  /** The schema of a part that is not bytes. */
  readonly item?: Schema.Codec<unknown, unknown>
}

/**
 * No content.
 *
 * @category models
 * @since 0.1.0
 */
export interface Empty extends Body<"Empty", Schema.Void>, Readable {}

/**
 * A redirect, of which only the target is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Redirect<out Status extends number = number> extends Body<"Empty", Schema.String>, Readable {
  readonly status: Status
}

/**
 * A body for each of several statuses, or media types.
 *
 * @category models
 * @since 0.1.0
 */
export interface OneOf<out Bodies extends ReadonlyArray<SingleSuccess & { readonly status: number }>>
  extends Body<"OneOf", Schema.Codec<Answer<Bodies[number]>, unknown>>, Readable {
  readonly bodies: Bodies
}

/** A success by its status. */
type Answer<One extends SingleSuccess & { readonly status: number }> = One extends unknown
  ? { readonly status: One["status"]; readonly value: One["schema"]["Type"] }
  : never

/**
 * One of several payloads, by its media type.
 *
 * @category models
 * @since 0.1.0
 */
export interface Choice<out Payloads extends ReadonlyArray<SinglePayload>>
  extends Body<"Choice", Schema.Codec<Chosen<Payloads[number]>, unknown>>, Writable {
  readonly payloads: Payloads
}

/**
 * The kinds of content of one payload.
 *
 * @category models
 * @since 0.1.0
 */
export type SinglePayload =
  | Json<Schema.Codec<unknown, unknown>>
  | Form<Schema.Codec<unknown, Content.Fields>>
  | Multipart<Schema.Codec<unknown, { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }>>
  | Text
  | Bytes
  | Upload

/** A payload by its media type. */
type Chosen<One extends SinglePayload> = One extends unknown
  ? {
      readonly contentType: One["contentType"]
      readonly value: One["schema"]["Type"]
    }
  : never

/**
 * The kinds of content that a request can have.
 *
 * @category models
 * @since 0.1.0
 */
export type Payload = SinglePayload | Choice<ReadonlyArray<SinglePayload>>

/**
 * The kinds of content of one success.
 *
 * @category models
 * @since 0.1.0
 */
export type SingleSuccess =
  | Envelope<Schema.Codec<{ readonly requestId?: string }, unknown>>
  | Json<Schema.Codec<unknown, unknown>>
  | Text
  | Bytes
  | Empty
  | Redirect

/**
 * The kinds of content that a success can have.
 *
 * @category models
 * @since 0.1.0
 */
export type Success =
  | SingleSuccess
  | Arriving<unknown>
  | OneOf<ReadonlyArray<SingleSuccess & { readonly status: number }>>

/**
 * JSON of a schema, in a request, or in a response without an envelope.
 *
 * **Details**
 *
 * `contentType` is another media type of JSON, such as `application/merge-patch+json`.
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
export const json = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  contentType = "application/json"
): Json<S> => ({
  _tag: "Json",
  schema,
  contentType,
  accept: contentType,
  read: Content.json,
  write: Content.writer(schema, (encoded) => HttpBody.jsonUnsafe(encoded, contentType))
})

/**
 * A form, in a request.
 *
 * **Details**
 *
 * The schema's encoded side is a record of strings, or of arrays of them. `styles` writes lists and objects otherwise
 * (see the module `Style`).
 *
 * @category constructors
 * @since 0.1.0
 */
export const form = <S extends Schema.Codec<unknown, Content.Fields>>(schema: S, styles?: Content.Styles): Form<S> => {
  const contentType = "application/x-www-form-urlencoded"
  return {
    _tag: "Form",
    schema,
    contentType,
    ...(styles && { styles }),
    write: Content.writer(schema, (fields) => HttpBody.text(Content.urlEncoded(fields, styles), contentType))
  }
}

/**
 * A file or another `Blob`, in a multipart body: from an `<input>` of a page, or from `NodeFile.open` in Node.
 *
 * @category schemas
 * @since 0.1.0
 */
export const File: Schema.Codec<Blob> = /* @__PURE__ */ Schema.declare(
  // no class, since every realm has its own
  (value): value is Blob => Predicate.hasProperty(value, "arrayBuffer") && Predicate.hasProperty(value, "size"),
  {
    expected: "a File or a Blob",
    toCodecJson: () =>
      Schema.link<Blob>()(Schema.String.annotate({ format: "binary" }), {
        decode: SchemaGetter.forbidden(() => "a file is not sent as JSON"),
        encode: SchemaGetter.forbidden(() => "a file is not sent as JSON")
      })
  }
)

/**
 * A form with files, in a request: `multipart/form-data`.
 *
 * **Details**
 *
 * The schema's encoded side is a record of strings, bytes and files ({@link File}), or of arrays of them. Files are sent
 * from where they are, and not loaded into memory.
 *
 * **Example** (Uploading a file)
 *
 * ```ts
 * import * as Body from "@cloud-management/core/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Avatar = Body.multipart(Schema.Struct({ name: Schema.String, image: Body.File }))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const multipart = <
  S extends Schema.Codec<unknown, { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }>
>(
  schema: S
): Multipart<S> => ({
  _tag: "Multipart",
  schema,
  contentType: "multipart/form-data",
  write: Content.writer(schema, (fields) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      for (const part of isParts(value) ? value : value === undefined ? [] : [value]) {
        if (typeof part === "string") form.append(name, Content.wellFormed(name, part))
        // a copy, since a view can be of memory that is shared
        else
          form.append(
            name,
            part instanceof Uint8Array ? new Blob([new Uint8Array(part)], { type: "application/octet-stream" }) : part
          )
      }
    }
    return HttpBody.formData(form)
  })
})

/** `Array.isArray` does not narrow lists that are readonly. */
const isParts = (value: Part | ReadonlyArray<Part> | undefined): value is ReadonlyArray<Part> => Array.isArray(value)

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
  // without what else a transport has in the same buffer
  read: (bytes) => Result.succeed(new Uint8Array(bytes)),
  write: Content.writer(Schema.Uint8Array, (bytes) => HttpBody.uint8Array(bytes, contentType))
})

/**
 * A stream of bytes, in a request, `application/octet-stream` unless `contentType` says otherwise.
 *
 * **Details**
 *
 * The stream runs once: after its first byte was taken the request is not sent again, whatever the retry policy says.
 * An interruption closes the stream. `deadline.attempt` bounds the whole upload, and `deadline.stall` the time in which no
 * more of it is taken; the time that the stream itself takes does not count.
 *
 * @category constructors
 * @since 0.1.0
 */
export const upload = (contentType = "application/octet-stream"): Upload => ({
  _tag: "Upload",
  schema: Streaming.upload,
  contentType,
  write: Content.writer(Streaming.upload, (source) => Streaming.write(source, contentType))
})

/**
 * A payload that callers may leave out.
 *
 * @category combinators
 * @since 0.1.0
 */
export const optional = <const P extends Payload>(payload: P): P & { readonly optional: true } =>
  Object.assign({}, payload, {
    optional: true as const,
    write: (value: unknown) => (value === undefined ? Result.succeed(HttpBody.empty) : payload.write(value))
  })

/**
 * Several payloads, of which a call sends one: `{ contentType, value }`.
 *
 * @category combinators
 * @since 0.1.0
 */
export function choice<const Payloads extends ReadonlyArray<SinglePayload>>(...payloads: Payloads): Choice<Payloads>
// the schema is a union of structs, each with the literal of its payload, which the compiler does not follow through `map`
export function choice(...payloads: ReadonlyArray<SinglePayload>): object {
  const schema: Schema.Codec<unknown, unknown> = Schema.Union(
    payloads.map(({ contentType, schema }) =>
      Schema.Struct({ contentType: Schema.Literal(contentType), value: schema })
    )
  )
  return {
    _tag: "Choice",
    schema,
    payloads,
    write: (value: unknown) => {
      const chosen = payloads.find(({ contentType }) => contentType === property(value, "contentType"))
      return chosen === undefined
        ? Result.fail(Content.unexpected(payloads.map(({ contentType }) => contentType).join(" | "), "contentType"))
        : chosen.write(property(value, "value"))
    }
  }
}

/**
 * JSON whose integers keep all their digits, in a body of JSON, in lines and in events: those beyond 2^53 are read as
 * `bigint`, and written from it.
 *
 * @see `Wire.Int64`, the schema of such a number
 *
 * @category combinators
 * @since 0.1.0
 */
export const exact = <
  const B extends Json<Schema.Codec<unknown, unknown>> | Envelope<Schema.Codec<never, unknown>> | Arriving<unknown>
>(
  body: B
): B =>
  Object.assign({}, body, {
    codec: Digits,
    ...(body.open && { open: (response: Streaming.OpenResponse) => body.open?.(response, Digits) }),
    read: ((bytes, head, sanitize) => body.read(bytes, head, sanitize, Digits.parse)) satisfies Content.Read,
    ...(body._tag === "Json" && {
      write: Content.writer(body.schema, (encoded) => HttpBody.text(Digits.stringify(encoded), body.contentType))
    })
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

/**
 * A redirect as the success of an operation: the value of a call is its target, which is not requested. It can be
 * relative to the URL of the request (RFC 9110 §10.2.2).
 *
 * **Gotchas**
 *
 * Browsers hide redirects from pages: there such a call fails.
 *
 * @category constructors
 * @since 0.1.0
 */
export const redirect = <const Status extends number>(status: Status): Redirect<Status> => ({
  _tag: "Empty",
  schema: Schema.String,
  status,
  accept: "*/*",
  read: (_, { headers }) =>
    headers["location"] === undefined
      ? Result.fail("comes without the header location")
      : Result.succeed(headers["location"])
})

/**
 * Bytes of a response as they arrive.
 *
 * **Details**
 *
 * The call ends with the head of the response, and its value is the stream. Run the stream once, or not at all: the
 * connection is closed when it ends, fails or is interrupted. `deadline.stall` bounds the wait for each part. What
 * fails after the head is not sent again.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stream = (contentType = "application/octet-stream"): Arriving<Uint8Array> => ({
  ...Streaming.kind,
  framing: "bytes",
  accept: contentType,
  open: Streaming.bytes
})

/**
 * JSON of a schema in each line of a response, as it arrives; empty lines are skipped.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jsonLines = <A>(schema: Schema.Codec<A, unknown>, contentType = "application/x-ndjson"): Arriving<A> => ({
  ...Streaming.kind,
  framing: "lines",
  item: schema,
  accept: contentType,
  open: Streaming.lines(schema)
})

/**
 * An event that a service sends.
 *
 * @category models
 * @since 0.1.0
 */
export interface Event<out A> extends Streaming.Event<A> {}

/**
 * Server-sent events (HTML standard, section 9.2), each with JSON of a schema as its data.
 *
 * **Details**
 *
 * If the connection breaks, and the operation may be repeated, the client asks again with `last-event-id` after the time
 * that the service gave in `retry`, by default 3 seconds. It fails after as many connections without an event as a call
 * has attempts. A response that ends without a break ends the stream, unless the service has sent `retry`; then the
 * client asks again until the service answers with 204.
 *
 * @category constructors
 * @since 0.1.0
 */
export const events = <A>(schema: Schema.Codec<A, unknown>): Arriving<Event<A>> => ({
  ...Streaming.kind,
  framing: "events",
  item: schema,
  accept: "text/event-stream",
  open: Streaming.events(schema)
})

/**
 * A success with a status that is not 200, for the service and the document.
 *
 * @category combinators
 * @since 0.1.0
 */
export const status = <const Status extends number, const B extends SingleSuccess>(
  status: Status,
  body: B
): B & { readonly status: Status } => ({ ...body, status })

/**
 * Several successes, told apart by the status, and by the media type where two have one status: the value of a call is
 * `{ status, value }`.
 *
 * **Example** (Declaring an operation that is done at once, or later)
 *
 * ```ts
 * import * as Body from "@cloud-management/core/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Done = Body.oneOf(
 *   Body.status(200, Body.json(Schema.Struct({ id: Schema.String }))),
 *   Body.status(202, Body.empty)
 * )
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export function oneOf<const Bodies extends ReadonlyArray<SingleSuccess & { readonly status: number }>>(
  ...bodies: Bodies
): OneOf<Bodies>
// the schema is a union of structs, each with the literal of its status, which the compiler does not follow through `map`
export function oneOf(...bodies: ReadonlyArray<SingleSuccess & { readonly status: number }>): object {
  const schema: Schema.Codec<unknown, unknown> = Schema.Union(
    bodies.map(({ schema, status }) => Schema.Struct({ status: Schema.Literal(status), value: schema }))
  )
  const read: Content.Read = (bytes, head, sanitize) => {
    const declared = bodies.filter(({ status }) => status === head.status)
    const type = head.headers["content-type"]?.toLowerCase() ?? ""
    const body = declared.find(({ accept }) => type.startsWith(accept)) ?? declared[0]
    return body === undefined
      ? Result.fail(`has the status ${head.status}, which the operation does not declare`)
      : Result.map(body.read(bytes, head, sanitize), (value) => ({ status: head.status, value }))
  }
  return {
    _tag: "OneOf",
    schema,
    bodies,
    accept: [...new Set(bodies.map(({ accept }) => accept))].join(", "),
    read,
    unwrap: (value: unknown) => {
      const body = bodies.find(({ status }) => status === property(value, "status"))
      return body?.unwrap === undefined ? value : { status: body.status, value: body.unwrap(property(value, "value")) }
    }
  }
}
