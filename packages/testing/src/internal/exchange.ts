import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Cassette from "./cassette.ts"
import * as ServiceClient from "./serviceClient.ts"
import { placeholder, type Secrets } from "./secrets.ts"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse
type Failure = NonNullable<Cassette.Entry["failure"]>

/** A form with the same boundary each time. */
const bounded = (form: Uint8Array): Uint8Array => {
  const characters = Array.from(form, (byte) => String.fromCharCode(byte)).join("")
  const boundary = /^--([^\r\n]+)/.exec(characters)?.[1] ?? "boundary"
  return Uint8Array.from(characters.replaceAll(boundary, "boundary"), (character) => character.charCodeAt(0))
}

/** Reads a request: what to send, since a stream can be read only once, and the parts that are compared and written. */
export const read = Effect.fnUntraced(function* (request: Request, names: ReadonlyArray<string>, secrets: Secrets) {
  const url = HttpClientRequest.toUrl(request)
  if (Option.isNone(url)) return yield* ServiceClient.fail(new HttpClientError.InvalidUrlError({ request }))
  const { pathname, searchParams } = url.value
  const { body, headers, method } = request
  const bytes = yield* Effect.catch(Stream.mkUint8Array(ServiceClient.contentOf(request).content()), (cause) =>
    ServiceClient.fail(
      new HttpClientError.EncodeError({ request, cause, description: "the recorder could not read the body" })
    )
  )
  const content = body._tag === "FormData" || body._tag === "Raw" ? bounded(bytes) : bytes
  const query = UrlParams.fromInput(searchParams)
  for (const [, value] of [...request.urlParams, ...UrlParams.redact(query, yield* UrlParams.CurrentRedactedNames)]) {
    if (Redacted.isRedacted(value)) secrets.add(String(Redacted.value(value)))
  }
  return {
    forwarded:
      body._tag === "Stream"
        ? HttpClientRequest.setBody(request, HttpBody.uint8Array(bytes, body.contentType))
        : request,
    show: (): Cassette.Request => {
      const matched = names.flatMap((name) => (name in headers ? [[name, headers[name]] as const] : []))
      const shown = {
        method,
        path: pathname,
        ...([...query].length > 0 && { query: UrlParams.toRecord(query) }),
        ...(matched.length > 0 && { headers: Object.fromEntries(matched) }),
        ...(body._tag !== "Empty" && { body: Cassette.bodyOf(content, secrets) })
      }
      return Cassette.request(shown, secrets)
    }
  }
})

const property = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** The texts of an error and its causes, since its objects can hold the request; five, since a cause can be cyclic. */
const textsOf = ({ reason: { cause, description } }: HttpClientError.HttpClientError): Exclude<Failure, string> => {
  const causes: Array<Readonly<Record<string, string>>> = description === undefined ? [] : [{ message: description }]
  for (let link = cause; link !== undefined && causes.length < 5; link = property(link, "cause")) {
    const texts = ["name", "message", "code", "syscall", "proxyOrigin"].flatMap((key) => {
      const text = key === "message" && Predicate.isString(link) ? link : property(link, key)
      return Predicate.isString(text) && text !== "Error" ? [[key, text] as const] : []
    })
    causes.push(Object.fromEntries(texts))
  }
  return causes
}

const causeOf = (texts: Exclude<Failure, string>): unknown =>
  texts.reduceRight<unknown>(
    (cause, { message, ...texts }) => Object.assign(new Error(message, cause === undefined ? {} : { cause }), texts),
    undefined
  )

/** A response whose body is a stream; a failure of the stream becomes the cause of a `DecodeError`. */
const responseOf = (
  request: Request,
  head: { readonly status: number; readonly headers: Headers.Input; readonly cookies?: Cookies.Cookies },
  body: Stream.Stream<Uint8Array, unknown>
): Response => {
  const response = HttpServerResponse.stream(body, head)
  return HttpServerResponse.toClientResponse(
    // a stream is given a type of content where the response has none
    "content-type" in head.headers ? response : HttpServerResponse.removeHeader(response, "content-type"),
    { request }
  )
}

/** An attempt as far as it got: of the body, what the program reads. It counts as aborted until its end is known. */
export const attempt = (secrets: Secrets, show: () => Cassette.Request) => {
  let millis = 0
  let failure: Failure | undefined = "aborted"
  let head = { status: 0, headers: Headers.empty }
  let chunks: Array<Uint8Array> = []
  let isWhole = false

  const kept = (stream: Response["stream"]) =>
    Stream.suspend(() => {
      if (isWhole) return Stream.fromIterable(chunks)
      chunks = []
      failure = "aborted"
      return stream.pipe(
        // fetch has no stream for a response without a body
        Stream.catch((error) => (error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(error))),
        Stream.tap((chunk) => Effect.sync(() => chunks.push(chunk))),
        Stream.onEnd(Effect.sync(() => ([failure, isWhole] = [undefined, true]))),
        Stream.mapError((error) => {
          failure = textsOf(error)
          return error.reason.cause ?? error
        })
      )
    })

  const send = (client: HttpClient.HttpClient, request: Request) =>
    Effect.clockWith((clock) => {
      const start = clock.monotonicTimeNanosUnsafe()
      const measure = Effect.sync(() => {
        millis = Math.round(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6)
      })
      return client.execute(request).pipe(
        Effect.ensuring(measure),
        Effect.tapError((error) => Effect.sync(() => (failure = textsOf(error)))),
        Effect.map((response) => {
          const { cookies, headers, status, stream } = response
          // of several cookies, the headers of some transports have the last one
          const set = [headers["set-cookie"] ?? [], ...Cookies.toSetCookieHeaders(cookies)].flat().join(", ")
          head = { status, headers: set === "" ? headers : Headers.set(headers, "set-cookie", set) }
          failure = undefined
          return responseOf(request, { status, headers, cookies }, Stream.ensuring(kept(stream), measure))
        })
      )
    })

  const entry = Effect.gen(function* () {
    const bytes = yield* Stream.mkUint8Array(Stream.fromIterable(chunks))
    const { "set-cookie": cookies, ...headers } = head.headers
    const response = {
      status: head.status,
      // what it sets may be too short to be found
      headers: { ...headers, ...(cookies !== undefined && { "set-cookie": placeholder }) },
      ...(bytes.length > 0 && { body: Cassette.bodyOf(bytes, secrets) })
    }
    return Cassette.entry(
      { request: show(), millis, response: head.status > 0 ? response : undefined, failure },
      secrets
    )
  })

  return { send, entry, headers: () => head.headers }
}

/** Ends as the recorded attempt did. One that the program had aborted lasts until it is aborted again. */
export const replay = (
  { failure, response }: Cassette.Entry,
  request: Request
): Effect.Effect<Response, HttpClientError.HttpClientError> => {
  const cause = failure === undefined || failure === "aborted" ? undefined : causeOf(failure)
  if (response === undefined) {
    return failure === "aborted"
      ? Effect.never
      : ServiceClient.fail(new HttpClientError.TransportError({ request, cause }))
  }
  const { body, headers, status } = response
  const bytes = body === undefined ? undefined : Cassette.bytesOf(body)
  // the length of what was written: redaction and the removal of white space change it
  const length = bytes !== undefined && "content-length" in headers && { "content-length": String(bytes.length) }
  const end = failure === undefined ? Stream.empty : failure === "aborted" ? Stream.never : Stream.fail(cause)
  const start = bytes === undefined ? Stream.empty : Stream.succeed(bytes)
  return Effect.succeed(responseOf(request, { status, headers: { ...headers, ...length } }, Stream.concat(start, end)))
}
