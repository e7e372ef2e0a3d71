import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Url from "effect/http/Url"
import * as UrlParams from "effect/http/UrlParams"
import type { Request } from "./cassette.ts"
import * as Content from "./content.ts"
import { redactJson, type Secrets } from "./secrets.ts"

interface Part {
  readonly name: string
  readonly filename?: string
  readonly contentType?: string
  readonly bytes: Uint8Array
}

/** A request as it was sent, with its secrets. */
export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Headers.Headers
  readonly body: Uint8Array | { readonly parts: ReadonlyArray<Part> } | undefined
  /** Values of parameters that are secret. */
  readonly secrets: ReadonlyArray<string>
}

const fail = (reason: HttpClientError.HttpClientError["reason"]) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason }))

const parts = (form: FormData): Effect.Effect<ReadonlyArray<Part>> =>
  Effect.forEach([...form], ([name, value]) =>
    typeof value === "string"
      ? Effect.succeed({ name, bytes: new TextEncoder().encode(value) })
      : Effect.map(
          Effect.promise(() => value.arrayBuffer()),
          (buffer) => ({
            name,
            filename: value.name,
            ...(value.type !== "" && { contentType: value.type }),
            bytes: new Uint8Array(buffer)
          })
        )
  )

/** A form, also one whose texts have types. */
const formOf = (body: HttpBody.HttpBody): (() => Promise<FormData>) | undefined => {
  if (body._tag === "FormData") return () => Promise.resolve(body.formData)
  const content = body._tag === "Raw" ? body.body : undefined
  return content instanceof Blob && content.type.startsWith("multipart/form-data")
    ? () => new Response(content).formData()
    : undefined
}

/** Reads a stream, so that it can be compared: its bytes, and the same stream anew, with its end. */
const read = Effect.fnUntraced(function* (stream: Stream.Stream<Uint8Array, unknown>) {
  const chunks: Array<Uint8Array> = []
  const exit = yield* Effect.exit(Stream.runForEach(stream, (chunk) => Effect.sync(() => chunks.push(chunk))))
  const again = Stream.concat(
    Stream.fromIterable(chunks),
    Exit.isSuccess(exit) ? Stream.empty : Stream.failCause(exit.cause)
  )
  return { bytes: join(chunks), again }
})

/** The chunks in one piece. */
export const join = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Reads a request, and returns one to send instead, since a stream can be read only once. */
export const make = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const url = Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash))
  if (Result.isFailure(url)) {
    return yield* fail(new HttpClientError.InvalidUrlError({ request, cause: url.failure }))
  }
  const { body } = request
  const form = formOf(body)
  const description = "the recorder reads only text, bytes, forms and streams"
  const unreadable = () => fail(new HttpClientError.EncodeError({ request, description }))
  if (body._tag === "Raw" && form === undefined) return yield* unreadable()
  const streamed = body._tag === "Stream" ? yield* read(body.stream) : undefined
  const names = yield* UrlParams.CurrentRedactedNames
  const parameters = [...request.urlParams, ...UrlParams.redact(UrlParams.fromInput(url.success.searchParams), names)]
  const sent: Sent = {
    method: request.method,
    url: url.success,
    headers: request.headers,
    body:
      body._tag === "Empty"
        ? undefined
        : form !== undefined
          ? { parts: yield* Effect.flatMap(Effect.catch(Effect.tryPromise(form), unreadable), parts) }
          : (streamed?.bytes ?? (body._tag === "Uint8Array" ? body.body : undefined)),
    secrets: parameters.flatMap(([, value]) => (Redacted.isRedacted(value) ? [String(Redacted.value(value))] : []))
  }
  const forwarded =
    streamed === undefined || body._tag !== "Stream"
      ? request
      : HttpClientRequest.setBody(request, HttpBody.stream(streamed.again, body.contentType, body.contentLength))
  return { sent, forwarded }
})

/** A content without secrets; bytes that show one are withheld. */
export const redactContent = (content: Content.Content, { redact, show }: Secrets): Content.Content => {
  if ("json" in content) return { json: redactJson(content.json, redact) }
  if ("text" in content) return { ...content, text: redact(content.text) }
  const text = new TextDecoder("latin1").decode(Content.toBytes(content))
  return show(text) ? { text: redact(text) } : content
}

const bodyOf = (body: NonNullable<Sent["body"]>, secrets: Secrets): NonNullable<Request["body"]> => {
  // requests are compared and never sent again: only their meaning counts, whatever type they have
  const content = (bytes: Uint8Array) => redactContent(Content.fromBytes(bytes, true), secrets)
  if (!("parts" in body)) return content(body)
  return {
    form: body.parts.map(({ bytes, contentType, filename, name }) => ({
      name: secrets.redact(name),
      ...(filename !== undefined && { filename: secrets.redact(filename) }),
      ...(contentType !== undefined && { contentType: secrets.redact(contentType) }),
      content: content(bytes)
    }))
  }
}

/** The parts of a request that are compared and written, without secrets. */
export const toRequest = (
  { body, headers, method, url }: Sent,
  secrets: Secrets,
  names: ReadonlyArray<string>
): Request => {
  const query = [...new Set(url.searchParams.keys())].sort().map((name) => {
    const values = url.searchParams.getAll(name).map(secrets.redact)
    return [secrets.redact(name), values.length === 1 ? (values[0] ?? "") : values] as const
  })
  const matched = names.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, secrets.redact(value)] as const]
  })
  return {
    method,
    path: secrets.redact(url.pathname),
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(matched.length > 0 && { headers: Object.fromEntries(matched) }),
    ...(body !== undefined && { body: bodyOf(body, secrets) })
  }
}
