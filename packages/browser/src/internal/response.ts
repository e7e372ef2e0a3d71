import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"

/**
 * What `use` makes of a promise, or, where it makes nothing yet, of the next one; an interruption aborts. No async
 * function, since each of its promises takes 1 % of a call.
 */
export const awaited = <A, B>(
  start: () => A | PromiseLike<A>,
  abort: Effect.Effect<void>,
  use: (value: A) => B | undefined
): Effect.Effect<B, unknown> =>
  Effect.callback((resume) => {
    const fail = (cause: unknown) => resume(Effect.fail(cause))
    const attempt = (next: () => B | undefined | void) => {
      try {
        const used = next()
        if (used) resume(Effect.succeed(used))
        else Promise.resolve(start()).then((value) => attempt(() => use(value)), fail)
      } catch (cause) {
        fail(cause)
      }
    }
    attempt(constVoid)
    return abort
  })

const parse: (text: string) => Schema.Json = JSON.parse

/** No class, since every realm has its own. */
const isBuffer = (value: unknown): value is ArrayBuffer => Predicate.hasProperty(value, "byteLength")

/** Throws for what is not bytes. */
export const toBytes = (value: unknown): Uint8Array => {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (isBuffer(value)) return new Uint8Array(value)
  throw new TypeError(value === null ? "the connection ended before the end of the body" : "the body is not bytes")
}

type Reader = ReadableStreamDefaultReader<unknown>

/** Cancels a body. Nobody waits for the end of that: it can last, and no deadline would end the call. */
const cancel = (reader: Reader | undefined) => void (async () => reader?.cancel())().catch(constVoid)

/** A body whose reader Effect's streams can trust. */
function guarded(body: ReadableStream<unknown>): ReadableStream<Uint8Array>
function guarded(body: ReadableStream<unknown>): object {
  let reader: Reader | undefined
  return {
    getReader: () => ({
      read: async () => {
        const { done, value } = await (reader ??= body.getReader()).read()
        return { done, value: done ? value : toBytes(value) }
      },
      releaseLock: constVoid,
      cancel: async () => cancel(reader)
    })
  }
}

/** What is known of a response, whose class not every runtime has. */
export interface Head {
  readonly status: number
  readonly url: string
  readonly headers: Headers.Headers
}

/** A response. Its body can be read in one piece, any number of times, or once as it arrives. */
export class PageResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly "~effect/http/HttpClientResponse" = "~effect/http/HttpClientResponse"
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly url: string
  readonly headers: Headers.Headers
  // without #, which what inherits from a response cannot read
  private readonly content: Effect.Effect<unknown, unknown>
  private readonly body: ReadableStream<unknown> | undefined
  private readonly abort: Effect.Effect<void>

  /**
   * `content` reads all of the body, and is null if that broke off; `body` is the body as it arrives, if the runtime has
   * one that can be read, and `abort` ends it.
   */
  constructor(
    request: HttpClientRequest.HttpClientRequest,
    { headers, status, url }: Head,
    content: Effect.Effect<unknown, unknown>,
    body?: ReadableStream<unknown>,
    abort = Effect.void
  ) {
    super()
    this.request = request
    this.status = status
    this.url = url
    this.headers = headers
    this.content = content
    this.body = body
    this.abort = abort
  }

  /**
   * With this the client reads a body at less cost than its stream; `undefined` if there is only a whole. A
   * method: V8 puts a function that is written to the right of a property into its old space, with all that it holds.
   */
  "~cloud-management/collect"(
    limit: number
  ): Effect.Effect<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError> | undefined {
    const body = this.body
    if (!body) return
    const chunks: Array<Uint8Array> = []
    let size = 0
    let reader: Reader | undefined
    return Effect.mapError(
      awaited(
        () => (reader ??= body.getReader()).read(),
        this.abort,
        ({ done, value }) => {
          if (!done) {
            const chunk = toBytes(value)
            size += chunk.length
            chunks.push(chunk)
            if (size <= limit) return
            cancel(reader)
          }
          return chunks
        }
      ),
      this.unreadable
    )
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return Effect.flatMap(Effect.mapError(this.content, this.unreadable), (bytes) =>
      Effect.try({ try: () => new Uint8Array(toBytes(bytes)).buffer, catch: this.unreadable })
    )
  }

  /** None: no cookies are sent, and a browser shows none. */
  get cookies(): Cookies.Cookies {
    return Cookies.empty
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.map(this.arrayBuffer, (bytes) => new TextDecoder().decode(bytes))
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: () => (text === "" ? null : parse(text)),
        catch: this.unreadable
      })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.arrayBuffer, (bytes) =>
      Effect.tryPromise({
        try: () => new Response(bytes, { headers: this.headers }).formData(),
        catch: this.unreadable
      })
    )
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    const body = this.body
    return body
      ? Stream.fromReadableStream({ evaluate: () => guarded(body), onError: this.unreadable })
      : Stream.fromEffect(Effect.map(this.arrayBuffer, (bytes) => new Uint8Array(bytes)))
  }

  get upgrade(): Effect.Effect<never, HttpClientError.HttpClientError> {
    return Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.StatusCodeError({
          request: this.request,
          response: this,
          description: "a page cannot upgrade a connection"
        })
      })
    )
  }

  private readonly unreadable = (cause: unknown) =>
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({ request: this.request, response: this, cause })
    })

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  pipe() {
    return pipeArguments(this, arguments)
  }
}

/**
 * Stands for a redirect, or for the answer from behind one, of which a browser tells neither status nor target (Fetch
 * standard, "opaque-redirect filtered response"). Status 0 is no refusal: what it hides can be a 303, which answers a
 * request that was carried out (RFC 9110 §15.4.4).
 */
export const redirected = (request: HttpClientRequest.HttpClientRequest, message: string): PageResponse =>
  new PageResponse(
    request,
    { status: 0, url: "", headers: Headers.empty },
    Effect.sync(() => new TextEncoder().encode(message))
  )
