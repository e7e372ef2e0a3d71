import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpBody from "effect/http/HttpBody"
import * as Content from "./internal/content.ts"
import * as Digits from "./internal/digits.ts"
import { jsonForm } from "./internal/jsonForm.ts"
import { property, read } from "./internal/property.ts"
import type { Streaming } from "./internal/streaming.ts"
import type * as Fields from "./internal/fields.ts"
import type { Form, Multipart, Part } from "./internal/forms.ts"
import type { Headers } from "effect/http/Headers"
import type { Head } from "./internal/head.ts"
import type { OpenResponse } from "./internal/openResponse.ts"
import type { Upload } from "./internal/upload.ts"

export {
  events,
  jsonLines,
  stream,
  type Streaming,
  type ServerSentEvent,
  type Named,
  type Undecoded
} from "./internal/streaming.ts"
export type { Fields, Styles } from "./internal/fields.ts"
export {
  File,
  form,
  multipart,
  partTypes,
  type Form,
  type Multipart,
  type Part,
  type PartTypes
} from "./internal/forms.ts"
export { upload, type Source, type Upload } from "./internal/upload.ts"

/**
 * JSON (RFC 8259) of one schema.
 *
 * @category models
 */
export interface Json<out S extends Schema.Codec<unknown, unknown>> extends JsonResponse<S>, Content.Writable {}

/**
 * JSON that is only read.
 *
 * @category models
 */
export interface JsonResponse<out S extends Schema.Codec<unknown, unknown>>
  extends Content.Body<"Json", S>, Content.Readable {
  readonly contentType: string
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: Content.JsonCodec
}

/**
 * JSON whose result is in an envelope; the module `Envelope` creates it.
 *
 * @category models
 */
export interface Envelope<out S extends Schema.Codec<unknown, unknown>>
  extends Content.Body<"Envelope", S>, Content.Readable {
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: Content.JsonCodec
}

/**
 * Text.
 *
 * @category models
 */
export interface Text extends Content.Body<"Text", Schema.String>, Content.Writable, Content.Readable {
  readonly contentType: string
}

/**
 * Bytes, unchanged.
 *
 * @category models
 */
export interface Bytes extends Content.Body<"Bytes", Schema.Uint8Array>, Content.Writable, Content.Readable {
  readonly contentType: string
}

/**
 * No content.
 *
 * @category models
 */
export interface Empty extends Content.Body<"Empty", Schema.Void>, Content.Readable {}

/**
 * A redirect, of which only the target is read.
 *
 * @category models
 */
export interface Redirect<out Status extends number = number>
  extends Content.Body<"Redirect", Schema.String>, Content.Readable {
  readonly status: Status
}

/**
 * A body for each of several statuses, or media types.
 *
 * @category models
 */
export interface OneOf<out Bodies extends ReadonlyArray<Alternative>>
  extends Content.Body<"OneOf", Schema.Codec<Succeeded<Bodies[number]>, unknown>>, Content.Readable {
  readonly bodies: Bodies
}

/**
 * One of several successes, with its status.
 *
 * @category models
 */
export type Alternative = (SingleSuccess | Streaming<unknown>) & { readonly status: number }

/** A success by its status. */
type Succeeded<One extends Alternative> = One extends unknown
  ? { readonly status: One["status"]; readonly value: One["schema"]["Type"] }
  : never

/**
 * One of several payloads, by its media type.
 *
 * @category models
 */
export interface Choice<out Payloads extends ReadonlyArray<SinglePayload>>
  extends Content.Body<"Choice", Schema.Codec<Chosen<Payloads[number]>, unknown>>, Content.Writable {
  readonly payloads: Payloads
}

/**
 * The kinds of content of one payload.
 *
 * @category models
 */
export type SinglePayload =
  | Json<Schema.Codec<unknown, unknown>>
  | Form<Schema.Codec<unknown, Fields.Fields>>
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
 */
export type Payload = SinglePayload | Choice<ReadonlyArray<SinglePayload>>

/**
 * The kinds of content of one success, of which an operation can have several.
 *
 * @category models
 */
export type SingleSuccess =
  | Envelope<Schema.Codec<{ readonly requestId?: string }, unknown>>
  | JsonResponse<Schema.Codec<unknown, unknown>>
  | Text
  | Bytes
  | Empty

/**
 * The kinds of content that a success can have.
 *
 * @category models
 */
export type Success = SingleSuccess | Redirect | Streaming<unknown> | OneOf<ReadonlyArray<Alternative>>

/**
 * JSON of a schema, in a request or a response.
 *
 * **Details**
 *
 * It is the JSON form of the schema, as `Schema.toCodecJson` and documents have it: a `Date` is a text, a `Set` a list. What
 * no schema describes, such as `Schema.Unknown`, has to be JSON already.
 *
 * `contentType` is another media type of JSON, such as `application/merge-patch+json`.
 *
 * **Example** (Sending a name as JSON)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Schema from "effect/Schema"
 *
 * const NewApiKey = Body.json(Schema.Struct({ name: Schema.String }))
 * ```
 *
 * @category constructors
 */
export const json = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  contentType = "application/json"
): Json<S> => ({
  ...jsonResponse(schema, contentType),
  form: jsonForm(schema),
  write: writeJson(jsonForm(schema), contentType, JSON)
})

/**
 * JSON of a response whose schema is its own JSON form, as generated ones are: a page does without the code that writes
 * JSON, and that makes such a form.
 *
 * **Gotchas**
 *
 * Do not use it for a plain `Schema.Union` whose alternatives contain it again: the work can double with each level.
 *
 * @category constructors
 */
export const jsonResponse = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  contentType = "application/json"
): JsonResponse<S> => ({ _tag: "Json", schema, contentType, accept: contentType, read: Content.json })

const writeJson = (
  schema: Schema.Codec<unknown, unknown>,
  contentType: string,
  // of a function, and of what is written as nothing, JSON makes no text
  { stringify }: { readonly stringify: (value: unknown) => string | undefined }
): Content.Write<HttpBody.HttpBody> =>
  Content.optionalWriter(schema, (encoded) => {
    const text = stringify(encoded)
    if (text === undefined) throw new TypeError("Expected JSON")
    return HttpBody.text(text, contentType)
  })

/**
 * Text, `text/plain` unless `contentType` says otherwise.
 *
 * **Details**
 *
 * A response is read by the `charset` of its `content-type`, and as UTF-8 if it names none that the platform knows. A
 * request is sent in UTF-8, or in the Latin-1 that `contentType` names; a text that its charset lacks is an
 * `InvalidInput`.
 *
 * @category constructors
 */
export const text = (contentType = "text/plain"): Text => {
  const decoder = decoderOf(contentType)
  return {
    _tag: "Text",
    schema: Schema.String,
    contentType,
    accept: contentType,
    read: (body, { headers }) => Result.succeed(decoderOf(headers["content-type"]).decode(body)),
    write: Content.writer(Schema.String, (text) => {
      if (Content.unpaired.test(text)) throw new TypeError("Expected no unpaired surrogate")
      const utf8 = HttpBody.text(text, contentType)
      if (decoder.encoding === "utf-8") return utf8
      const latin1 = HttpBody.uint8Array(
        Uint8Array.from(text, (character) => character.charCodeAt(0)),
        contentType
      )
      const encoded = [utf8, latin1].find(({ body }) => decoder.decode(body) === text)
      if (encoded === undefined) throw new TypeError(`Expected text in ${decoder.encoding}`)
      return encoded
    })
  }
}

/** Decodes the charset of a media type (RFC 9110 §8.3.2), else UTF-8. */
const decoderOf = (type = ""): TextDecoder => {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type) ?? []
  return read(() => new TextDecoder(charset)) ?? new TextDecoder()
}

/**
 * Bytes, `application/octet-stream` unless `contentType` says otherwise.
 *
 * @category constructors
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
 * A payload that callers may leave out.
 *
 * @category combinators
 */
export const optional = <const P extends Payload>(payload: P): P & { readonly optional: true } =>
  Object.assign({}, payload, { optional: true as const, write: orEmpty(payload.write) })

const orEmpty =
  (write: Payload["write"]): Payload["write"] =>
  (value) =>
    value === undefined ? Result.succeed(HttpBody.empty) : write(value)

/**
 * Several payloads, of which a call sends one: `{ contentType, value }`.
 *
 * @category combinators
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
      if (chosen === undefined) {
        const types = payloads.map(({ contentType }) => contentType)
        return Result.fail(Content.unexpected(types.join(" | "), "contentType"))
      }
      const more = Object.keys(Predicate.isObject(value) ? value : {}).find(
        (name) => name !== "contentType" && name !== "value"
      )
      return more === undefined
        ? chosen.write(property(value, "value"))
        : Result.fail(Content.unexpected("no excess property", more))
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
 */
export const exact = <
  const B extends Json<Schema.Codec<unknown, unknown>> | Envelope<Schema.Codec<unknown, unknown>> | Streaming<unknown>
>(
  body: B
): B => {
  const write = body._tag === "Json" ? writeJson(jsonForm(body.schema, true), body.contentType, Digits) : undefined
  return Object.assign({}, body, {
    codec: Digits,
    ...(body._tag !== "Stream" && { form: jsonForm(body.schema, true) }),
    ...(body.open && { open: (response: OpenResponse) => body.open?.(response, Digits) }),
    read: ((bytes, head, sanitize) => body.read(bytes, head, sanitize, Digits.parse)) satisfies Content.Read,
    ...(write && { write: body._tag === "Json" && body.optional ? orEmpty(write) : write })
  })
}

/**
 * No content, in a response; a body that arrives is ignored.
 *
 * @category constructors
 */
export const empty: Empty = {
  _tag: "Empty",
  schema: Schema.Void,
  accept: "*/*",
  read: () => Result.succeed(undefined),
  readHead: () => Result.succeed(undefined),
  deletedValue: () => undefined
}

/**
 * A redirect as the success of an operation: the value of a call is its target, which is not requested. It can be
 * relative to the URL of the request (RFC 9110 §10.2.2). A service sends the first status; a client takes the others too.
 *
 * **Gotchas**
 *
 * Browsers hide redirects from pages: there such a call fails. So does `FetchTransport.layerStreams` on Node for a request
 * with a stream, a form or a `Blob`.
 *
 * @category constructors
 */
export const redirect = <const Status extends number>(
  status: Status,
  ...others: ReadonlyArray<number>
): Redirect<Status> => ({
  _tag: "Redirect",
  schema: Schema.String,
  status,
  takes: (other) => other === status || others.includes(other),
  accept: "*/*",
  read: (_, head) => target(head),
  readHead: target
})

const target = ({ headers: { location } }: Head): Result.Result<string, string> =>
  location === undefined ? Result.fail("comes without the header location") : Result.succeed(location)

/**
 * A success with a status that is not 200, for the service and the document.
 *
 * @category combinators
 */
export const status = <const Status extends number, const B extends SingleSuccess | Streaming<unknown>>(
  status: Status,
  body: B
): B & { readonly status: Status } => Object.assign({}, body, { status, takes: (other: number) => other === status })

/**
 * Several successes, told apart by the status, and by the media type where two have one status, such as JSON and events:
 * the value of a call is `{ status, value }`. None of them can be a redirect, which is the success of an operation that
 * has no other.
 *
 * **Example** (Declaring an operation that is done at once, or later)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Done = Body.oneOf(
 *   Body.status(200, Body.json(Schema.Struct({ id: Schema.String }))),
 *   Body.status(202, Body.empty)
 * )
 * ```
 *
 * @category combinators
 */
export function oneOf<const Bodies extends ReadonlyArray<Alternative>>(...bodies: Bodies): OneOf<Bodies>
// the schema is a union of structs, each with the literal of its status, which the compiler does not follow through `map`
export function oneOf(...bodies: ReadonlyArray<Alternative>): object {
  const whole = (schemaOf: (body: Alternative) => Schema.Codec<unknown, unknown>): Schema.Codec<unknown, unknown> =>
    Schema.Union(bodies.map((body) => Schema.Struct({ status: Schema.Literal(body.status), value: schemaOf(body) })))
  const streams = bodies.filter((body) => body._tag === "Stream")
  const opened = new WeakSet<object>()
  const isOpened = (value: unknown) => Predicate.isObject(value) && opened.has(value)
  const bodyOf = ({ headers, status }: { readonly headers: Headers; readonly status: number }) => {
    const declared = bodies.filter((body) => body.status === status)
    const type = Content.essence(headers["content-type"])
    return declared.find(({ accept }) => Content.essence(accept) === type) ?? declared[0]
  }
  const read: Content.Read = (bytes, head, sanitize) => {
    const body = bodyOf(head)
    return body === undefined
      ? Result.fail(`has the status ${head.status}, which the operation does not declare`)
      : Result.map(body.read(bytes, head, sanitize), (value) => ({ status: head.status, value }))
  }
  return {
    _tag: "OneOf",
    schema: whole(({ schema }) => schema),
    form: whole(({ schema, form = schema }) => form),
    bodies,
    accept: [...new Set(bodies.map(({ accept }) => accept))].join(", "),
    read,
    ...(streams.length > 0 && {
      open: (response: OpenResponse) => {
        const { status } = response.response
        const value = bodyOf(response.response)?.open?.(response)
        const success = value && { status, value }
        if (success) opened.add(success)
        return success
      },
      iterate: ((value, run, convert) =>
        isOpened(value)
          ? { status: property(value, "status"), value: streams[0]?.iterate?.(property(value, "value"), run, convert) }
          : convert(value)) satisfies Content.Iterate
    }),
    takes: (status: number) => bodies.some((body) => body.status === status),
    unwrap: (value: unknown) => {
      const body = bodies.find(({ status }) => status === property(value, "status"))
      return body?.unwrap === undefined || isOpened(value)
        ? value
        : { status: body.status, value: body.unwrap(property(value, "value")) }
    }
  }
}
