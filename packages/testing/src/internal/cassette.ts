import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "effect/encoding/Base64"
import { placeholder, type Secrets } from "./secrets.ts"

const Texts = Schema.Record(Schema.String, Schema.String)

/** A body: JSON as a value, other text as it is, bytes in base64. */
const Body = Schema.Union([
  Schema.Struct({ json: Schema.Json }),
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({ base64: Schema.String.check(Schema.isBase64()) })
])

/** The parts of a request that a recording is found by. The origin is not one of them. */
const Request = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)]))),
  headers: Schema.optionalKey(Texts),
  body: Schema.optionalKey(Body)
})

/**
 * One attempt. A failure is the texts of its causes, outermost first, or `aborted`, when the program stopped waiting; after
 * a response, its body broke off.
 */
const Entry = Schema.Struct({
  request: Request,
  /** How long it took, with the body of its response. */
  millis: Schema.Finite,
  response: Schema.optionalKey(Schema.Struct({ status: Schema.Int, headers: Texts, body: Schema.optionalKey(Body) })),
  failure: Schema.optionalKey(Schema.Union([Schema.Literal("aborted"), Schema.Array(Texts)]))
}).check(Schema.makeFilter((entry) => "failure" in entry || "response" in entry || "expected a response or a failure"))
export type Entry = typeof Entry.Type
export type Request = Entry["request"]

/** Recordings, in the order in which the requests were sent. */
export const Cassette = Schema.Struct({ version: Schema.Literal(1), entries: Schema.Array(Entry) })

/** JSON without white space between its tokens and needless escapes, with its texts replaced. */
const compact = (json: string, replace: (text: string) => string): string =>
  json.replace(/"(?:[^"\\]|\\[^])*(?:"|\\?$)|[ \t\n\r]+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(replace(String(JSON.parse(token)))) : ""
  )

const own = new Set("request method path query headers body json text base64 millis response status failure".split(" "))

const redacted = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeSync(Schema.fromJsonString(schema), { onExcessProperty: "error" })
  return (value: unknown, { redact }: Secrets): A =>
    decode(compact(JSON.stringify(value) ?? "null", (text) => (own.has(text) ? text : redact(text))))
}

/** Make an entry and a request, without secrets. They throw for what is not one, which would make the cassette unreadable. */
export const [entry, request] = [redacted(Entry), redacted(Request)]

const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/** An object or array whose JSON is the same once it has been parsed: no field twice, no number of 20 digits. */
const readJson = (text: string): typeof Body.Type => {
  const json = parse(text)
  const isSame = typeof json === "object" && JSON.stringify(json) === compact(text, (text) => text)
  return isSame ? { json } : { text }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Shows a body in the most readable form that keeps it; bytes that show a secret are withheld. */
export const bodyOf = (bytes: Uint8Array, { show }: Secrets): typeof Body.Type => {
  const text = Result.getOrUndefined(Result.try(() => utf8.decode(bytes)))
  if (text !== undefined && !/[\0-\b\v\f\x0e-\x1f]/.test(text)) {
    return Result.getOrElse(
      Result.try(() => readJson(text)),
      () => ({ text })
    )
  }
  // characters of UTF-16 have a zero between them
  const characters = new TextDecoder("latin1").decode(bytes).replaceAll("\0", "")
  return show(characters) ? { text: placeholder } : { base64: Base64.encode(bytes) }
}

export const bytesOf = (body: typeof Body.Type): Uint8Array =>
  "base64" in body
    ? Result.getOrThrow(Base64.decode(body.base64))
    : new TextEncoder().encode("text" in body ? body.text : JSON.stringify(body.json))
