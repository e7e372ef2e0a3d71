import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Sse from "effect/encoding/Sse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Body from "@cloud-management/client/Body"
import * as Strict from "./strict.ts"

const strict = Strict.make()

type Response = HttpServerResponse.HttpServerResponse

/** Throws for a header that breaks off the response at any host (RFC 9110 §5.5), as a letter beyond Latin-1 does. */
export const sendable = (response: Response): Response => {
  for (const [name, value] of Object.entries(response.headers))
    if (!/^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*$/.test(`${name}:${value}`))
      throw new TypeError(`the header ${name} cannot be sent`)
  return response
}

/** Encodes the result of an operation. It throws if the result does not fit its schema, which is a defect. */
export type Encode = (result: unknown, requestId: string) => Response

const json = (
  value: unknown,
  { codec, contentType }: { readonly codec?: Body.Json<never>["codec"]; readonly contentType?: string },
  status: number
) =>
  codec === undefined && contentType === undefined
    ? HttpServerResponse.jsonUnsafe(value, { status })
    : HttpServerResponse.text((codec ?? JSON).stringify(value), {
        status,
        contentType: contentType ?? "application/json"
      })

/** A value without the fields that are `undefined`, at any depth of objects without a class, whatever their realm. */
const defined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(defined)
  if (!Predicate.isObject(value)) return value
  const isPlain = Reflect.getPrototypeOf(Reflect.getPrototypeOf(value) ?? Object.prototype) === null
  return isPlain ? Record.map(Record.filter(value, Predicate.isNotUndefined), defined) : value
}

/** Encodes to the JSON form of a schema, without its optional fields that are `undefined`, as the client does. It throws. */
export const jsonEncoder = (schema: Strict.Codec, codec?: Body.Json<never>["codec"]): ((value: unknown) => unknown) => {
  const body = Body.json(schema)
  const encode = Schema.encodeUnknownSync((codec === undefined ? body : Body.exact(body)).form ?? schema)
  return (value) =>
    Result.getOrElse(
      Result.try(() => encode(value)),
      () => encode(defined(value))
    )
}

const at = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

/** Prepares the encoding of an operation's results: strict, so that they have every field. */
export const compile = (success: Body.Success): Encode => {
  switch (success._tag) {
    case "OneOf": {
      const encoders = success.bodies.map((body) => ({ status: body.status, encode: compile(body) }))
      return (result, requestId) => {
        // of two for one status, the first that the value fits
        const encoded = encoders
          .filter(({ status }) => status === at(result, "status"))
          .map(({ encode }) => Result.try(() => encode(at(result, "value"), requestId)))
        const first = encoded.find(Result.isSuccess) ?? encoded[0]
        if (first === undefined) throw new TypeError("the result has no status of the operation")
        return Result.getOrThrow(first)
      }
    }
    case "Stream": {
      const bytes = bytesOf(success)
      return (result) =>
        HttpServerResponse.stream(bytes(result), {
          contentType: success.accept,
          ...(success.status !== undefined && { status: success.status })
        })
    }
  }
  const { status = success._tag === "Empty" ? 204 : 200 } = success
  const schema = strict(success.schema)
  const encode =
    success._tag === "Json" || (success._tag === "Envelope" && success.form)
      ? jsonEncoder(schema, success.codec)
      : Schema.encodeUnknownSync(schema)
  switch (success._tag) {
    case "Envelope":
      return (result, requestId) =>
        json(encode(result === undefined ? { status, requestId } : { status, requestId, result }), success, status)
    case "Json":
      return (result) => json(encode(result), success, status)
    case "Text":
      return (result) => HttpServerResponse.text(String(encode(result)), { status, contentType: success.contentType })
    case "Bytes":
      return (result) => {
        if (result instanceof Uint8Array)
          return HttpServerResponse.uint8Array(result, { status, contentType: success.contentType })
        throw new TypeError("the result is not a Uint8Array")
      }
    case "Empty":
      return () => HttpServerResponse.empty({ status })
    case "Redirect":
      return (result) => sendable(HttpServerResponse.redirect(String(encode(result)), { status }))
  }
}

/** A text that is one field of an event, and no other after it. */
const line = (value: unknown): string | undefined => {
  if (!Predicate.isString(value)) return undefined
  if (/[\r\n\0]/.test(value)) throw new TypeError("the type or the ID of an event has more than one line")
  return value
}

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

const bytesOf = ({ accept, codec, framing, item = Schema.Unknown, named = {}, sentinel }: Body.Streaming<unknown>) => {
  const encoder = (schema: Strict.Codec) => {
    const encode = jsonEncoder(schema, codec)
    return (value: unknown) => (codec ?? JSON).stringify(encode(value))
  }
  const json = encoder(item)
  // RFC 7464
  const begin = /[/+]json-seq\b/.test(accept) ? "\x1e" : ""
  const encoders = new Map(Object.entries(named).map(([event, schema]) => [event, encoder(schema)]))
  return (result: unknown): Stream.Stream<Uint8Array, unknown> => {
    if (!isStream(result)) throw new TypeError("the result is not a stream")
    switch (framing) {
      case "bytes":
        return Stream.map(result, (bytes) => {
          if (bytes instanceof Uint8Array) return bytes
          throw new TypeError("the result is not a stream of Uint8Array")
        })
      case "lines":
        return Stream.encodeText(Stream.map(result, (value) => `${begin}${json(value)}\n`))
      case "events":
        return result.pipe(
          Stream.map((value) => {
            const event = line(at(value, "event")) ?? "message"
            const data = (encoders.get(event) ?? json)(at(value, "data"))
            return Sse.encoder.write({ _tag: "Event", event, id: line(at(value, "id")), data })
          }),
          Stream.concat(sentinel === undefined ? Stream.empty : Stream.make(`data: ${sentinel}\n\n`)),
          Stream.encodeText
        )
    }
  }
}
