import * as Transport from "@cloud-management/client/Transport"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Headers from "effect/http/Headers"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"

/**
 * Gives the value of a promise to `use`, and starts the next promise until `use` returns a result; an interruption aborts.
 * It is not an async function, because each promise of one takes 1 % of a call, and takes `toError` since
 * `Effect.mapError` takes as much.
 */
export const awaited = <A, B, E>(
  start: () => A | PromiseLike<A>,
  abort: Effect.Effect<void>,
  use: (value: A) => B | undefined,
  toError: (cause: unknown) => E
): Effect.Effect<B, E> =>
  Effect.callback((resume) => {
    const fail = (cause: unknown) => resume(Effect.fail(toError(cause)))
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

/** Without `instanceof`: every realm has its own class. */
const isBuffer = (value: unknown): value is ArrayBuffer => Predicate.hasProperty(value, "byteLength")

/** Throws for what is not bytes. */
export const toBytes = (value: unknown): Uint8Array => {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (isBuffer(value)) return new Uint8Array(value)
  throw new TypeError(value === null ? "the connection ended before the end of the body" : "the body is not bytes")
}

type ToError = (cause: unknown) => HttpClientError.HttpClientError

/** A body as it arrives: that of node-fetch is a stream of Node.js. */
type BodyStream = ReadableStream<unknown> | AsyncIterable<unknown>

interface Reader {
  readonly read: () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  readonly cancel: () => unknown
}

const readerOf = (body: BodyStream): Reader => {
  if ("getReader" in body) return body.getReader()
  const iterator = body[Symbol.asyncIterator]()
  return { read: () => iterator.next(), cancel: () => iterator.return?.() }
}

/** Cancels a body, without waiting for the end of that: it can take long, and no deadline would end the call. */
const cancel = (reader: Reader | undefined) => void (async () => reader?.cancel())().catch(constVoid)

/** A response. Its body can be read in one piece, any number of times, or once as it arrives. */
export class PageResponse extends Transport.Response implements Transport.Collector {
  // without #, which an object that inherits from a response cannot read
  private readonly content: (toError: ToError) => Effect.Effect<Uint8Array, HttpClientError.HttpClientError>
  private readonly body: BodyStream | undefined
  private readonly abort: Effect.Effect<void>

  /**
   * `content` reads all of the body; `body` is the body as it arrives, if the runtime has
   * one that can be read, and `abort` ends it.
   */
  constructor(
    request: HttpClientRequest.HttpClientRequest,
    head: Transport.Head,
    content: PageResponse["content"],
    body?: BodyStream,
    abort = Effect.void
  ) {
    super(request, head)
    this.content = content
    this.body = body
    this.abort = abort
  }

  [Transport.collect](limit: number): ReturnType<Transport.Collector[typeof Transport.collect]> {
    const body = this.body
    if (!body) return
    const chunks: Array<Uint8Array> = []
    let left = limit
    let reader: Reader | undefined
    return awaited(
      () => (reader ??= readerOf(body)).read(),
      this.abort,
      ({ done, value }) => {
        if (done) return chunks
        const chunk = toBytes(value)
        chunks.push(chunk)
        left -= chunk.length
        if (left >= 0) return
        cancel(reader)
        return chunks
      },
      (cause) => {
        cancel(reader)
        return this.unreadable(cause)
      }
    )
  }

  get bytes(): Effect.Effect<Uint8Array<ArrayBuffer>, HttpClientError.HttpClientError> {
    // a copy, since whoever reads can change it
    return Effect.map(this.content(this.unreadable), (bytes) => new Uint8Array(bytes))
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    const body = this.body
    // `Stream.fromReadableStream` and `fromEffect` bring 0.2 kB more into a page
    const channel = Channel.fromTransform((_, scope) => {
      let reader: Reader | undefined
      let isRead = false
      const next = (): Effect.Effect<readonly [Uint8Array?], HttpClientError.HttpClientError> => {
        if (!body)
          return isRead ? Effect.succeed([]) : Effect.map(this.bytes, (bytes) => (bytes.length === 0 ? [] : [bytes]))
        return awaited(
          () => (reader ??= readerOf(body)).read(),
          // a stream of Node.js that waits is not closed by its iterator
          this.abort,
          ({ done, value }): readonly [Uint8Array?] => (done ? [] : [toBytes(value)]),
          this.unreadable
        )
      }
      const pull = Effect.flatMap(Effect.suspend(next), ([chunk]) => {
        isRead = true
        return chunk ? Effect.succeed([chunk] as const) : Cause.done()
      })
      const end = Effect.promise(async () => cancel(reader))
      return Effect.as(Scope.addFinalizer(scope, end), pull)
    })
    return Stream.fromChannel(channel)
  }
}

/**
 * Stands for a redirect, or for the response of its target: browsers reveal neither status nor target (Fetch standard,
 * "opaque-redirect filtered response"). Status 0 is not a refusal: it can hide a 303, which follows a request that was
 * carried out (RFC 9110 §15.4.4).
 */
export const redirected = (request: HttpClientRequest.HttpClientRequest, message: string): PageResponse =>
  new PageResponse(request, { status: 0, url: "", headers: Headers.empty }, () =>
    Effect.sync(() => new TextEncoder().encode(message))
  )
