import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpBody from "effect/http/HttpBody"
import type {
  Bytes,
  Empty,
  Envelope,
  Json,
  JsonResponse,
  Payload,
  Redirect,
  SingleSuccess,
  Text
} from "./internal/bodies.ts"
import * as Content from "./internal/content.ts"
import * as Digits from "./internal/digits.ts"
import type { Head } from "./internal/head.ts"
import { jsonForm } from "./internal/jsonForm.ts"
import type { OpenResponse } from "./internal/openResponse.ts"
import { orUndefined } from "./internal/property.ts"
import type { Streaming } from "./internal/streaming.ts"

export type * from "./internal/bodies.ts"
export { events, type ServerSentEvent } from "./internal/events.ts"
export { choice, oneOf } from "./internal/several.ts"
export { jsonLines, stream, type Streaming } from "./internal/streaming.ts"
export type { Fields, Styles } from "./internal/fields.ts"
export { File, form, multipart, partTypes, type Form, type Multipart, type Part } from "./internal/forms.ts"
export { upload, type Source, type Upload } from "./internal/upload.ts"

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
  return orUndefined(() => new TextDecoder(charset)) ?? new TextDecoder()
}

/**
 * Bytes, `application/octet-stream` unless `contentType` says otherwise.
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
 */
export const optional = <const P extends Payload>(payload: P): P & { readonly optional: true } =>
  Object.assign({}, payload, { optional: true as const, write: orEmpty(payload.write) })

const orEmpty =
  (write: Payload["write"]): Payload["write"] =>
  (value) =>
    value === undefined ? Result.succeed(HttpBody.empty) : write(value)

/**
 * JSON whose integers keep all their digits, in a body of JSON, in lines and in events: those beyond 2^53 are read as
 * `bigint`, and written from it.
 *
 * @see `Wire.Int64`, the schema of such a number
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
 */
export const status = <const Status extends number, const B extends SingleSuccess | Streaming<unknown>>(
  status: Status,
  body: B
): B & { readonly status: Status } => Object.assign({}, body, { status, takes: (other: number) => other === status })
