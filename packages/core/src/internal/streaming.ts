import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Sse from "effect/encoding/Sse"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { InvalidResponse, Timeout, type ClientReason, type CloudError, type Refused } from "../CloudError.ts"
import type { Deadline } from "../Deadline.ts"
import type { Retry } from "../Retry.ts"
import type { Sanitize } from "./content.ts"
import { monotonicMillisOf } from "./clock.ts"
import * as Given from "./options.ts"
import { property } from "./property.ts"
import { timeout } from "./timeLimit.ts"
import * as TransportFailure from "./transportFailure.ts"

type Failure = CloudError<ClientReason | Refused>

/** A response whose body is read as it arrives, with what its call knows. */
export interface OpenResponse {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly deadline: Deadline
  readonly retry: Retry
  readonly sanitize: Sanitize
  /** The error of the call for a reason that comes after its head. */
  readonly errorOf: (reason: ClientReason) => Failure
  /** The request, if it may be sent again. */
  readonly request: HttpClientRequest.HttpClientRequest | false
  /** Sends a request as another call, whose value is an open response. */
  readonly begin: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<{ readonly value: OpenResponse }, Failure>
}

/** The bytes as they arrive. */
export const bytes = ({ deadline, errorOf, response, sanitize }: OpenResponse): Stream.Stream<Uint8Array, Failure> =>
  response.stream.pipe(
    Stream.mapError((error) => TransportFailure.classify(error, sanitize).reason),
    Stream.timeoutOrElse({
      duration: deadline.stall,
      orElse: () => Stream.fail(timeout(Given.millis(deadline.stall)))
    }),
    Stream.mapError(errorOf)
  )

/** Asks for a response again, after a wait in milliseconds. */
const again = (
  { begin }: OpenResponse,
  request: HttpClientRequest.HttpClientRequest,
  wait: number
): Effect.Effect<OpenResponse, Failure> => Effect.map(Effect.delay(begin(request), wait), ({ value }) => value)

/** The failure of a part that does not fit; `problem` ends a sentence that begins with "the body". */
const invalid = ({ errorOf }: OpenResponse, problem: string): Failure =>
  errorOf(new InvalidResponse({ message: `the body ${problem}` }))

const isStream = (value: unknown): value is Stream.Stream<unknown, Failure> => Stream.isStream(value)

/** Reads the stream of a call outside Effect. */
export type Iterate = (
  stream: unknown,
  run: <A>(effect: Effect.Effect<A, Failure>) => Promise<A>,
  convert: (part: unknown) => unknown
) => AsyncGenerator<unknown, void, undefined>

const iterate: Iterate = async function* (stream, run, convert) {
  if (!isStream(stream)) return
  const scope = Scope.makeUnsafe()
  try {
    const pull = await run(Scope.provide(Stream.toPull(stream), scope))
    const next = Pull.catchDone(pull, () => Effect.undefined)
    for (let parts = await run(next); parts !== undefined; parts = await run(next)) yield* parts.map(convert)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** What all kinds have in common. */
export const kind = {
  _tag: "Stream",
  schema: /* @__PURE__ */ Schema.declare((value): value is Stream.Stream<never, Failure> => isStream(value)),
  read: () => Result.succeed(undefined),
  iterate
} as const

/** Bytes to send while they are produced. */
export interface Upload {
  /** It runs once. If it fails, so does the call. */
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** How many bytes it has, if that is known. */
  readonly length?: number
}

const isBytes = (value: unknown): value is Stream.Stream<Uint8Array, unknown> => Stream.isStream(value)
const isIterable = (value: unknown): value is AsyncIterable<Uint8Array> =>
  Predicate.hasProperty(value, Symbol.asyncIterator)
const isReadable = (value: unknown): value is ReadableStream<Uint8Array> => Predicate.hasProperty(value, "getReader")

/** Programs on promises have streams of the platform, of which those of Safari are not iterable. */
const toStream = (source: unknown): Stream.Stream<Uint8Array, unknown> | undefined => {
  if (isBytes(source)) return source
  const onError = (error: unknown) => error
  if (isReadable(source)) return Stream.fromReadableStream({ evaluate: () => source, onError })
  return isIterable(source) ? Stream.fromAsyncIterable(source, onError) : undefined
}

export const upload: Schema.Codec<Upload> = /* @__PURE__ */ Schema.declare(
  (value): value is Upload => {
    const length = property(value, "length")
    return toStream(property(value, "stream")) !== undefined && (length === undefined || Number.isSafeInteger(length))
  },
  { expected: "an object with a stream" }
)

/**
 * Fails if the source has fewer or more bytes than stated. The last bytes wait for the end of the source: with them the
 * request would be complete for the service. Transports differ in what they notice themselves.
 */
const exactly = (source: Stream.Stream<Uint8Array, unknown>, length: number): Stream.Stream<Uint8Array, unknown> =>
  Stream.transformPull(source, (pull) =>
    Effect.sync(() => {
      let left = length
      let isEnded = false
      let last: ReadonlyArray<Uint8Array> = []
      type Next = Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, unknown>
      const next: Next = Pull.matchEffect(pull, {
        onSuccess: (chunks): Next => {
          left -= chunks.reduce((sum, chunk) => sum + chunk.length, 0)
          if (left < 0) return Effect.fail(`it has more than the stated ${length} bytes`)
          if (left > 0) return Effect.succeed(chunks)
          last = [...last, ...chunks]
          return next
        },
        onFailure: Effect.failCause,
        onDone: (): Next => {
          if (left > 0) return Effect.fail(`it has ${length - left} bytes, and not the stated ${length}`)
          isEnded = true
          return Arr.isReadonlyArrayNonEmpty(last) ? Effect.succeed(last) : Cause.done()
        }
      })
      return Effect.suspend(() => (isEnded ? Cause.done() : next))
    })
  )

/** Ends an attempt if its body is not taken. */
type Guard = <A>(attempt: Effect.Effect<A>, deadline: Deadline, incomplete: (reason: Timeout) => A) => Effect.Effect<A>

/** A request, perhaps one whose body is a stream. */
export interface Sending extends HttpClientRequest.HttpClientRequest {
  readonly body: HttpBody.HttpBody & {
    /** Whether the stream was begun, so that the request cannot be sent again. */
    readonly isSpent?: boolean
    readonly guard?: Guard
  }
}

/** A body that says whether its stream was begun, and notices if the transport has a part and takes no other. */
export const write = ({ length, stream }: Upload, contentType: string): HttpBody.HttpBody => {
  /** When the transport got a part; never while it waits for one. */
  let gotAt = Infinity
  const now = Effect.clockWith((clock) => Effect.sync(() => monotonicMillisOf(clock)))
  const once = Stream.suspend(() => {
    body.isSpent = true
    const source: Stream.Stream<Uint8Array, unknown> = toStream(stream) ?? stream
    return Stream.transformPull(length === undefined ? source : exactly(source, length), (pull) =>
      Effect.succeed(
        Effect.suspend(() => {
          gotAt = Infinity
          return Effect.tap(pull, () => Effect.map(now, (now) => (gotAt = now)))
        })
      )
    )
  })
  const guard: Guard = (attempt, deadline, incomplete) => {
    const stall = Given.millis(deadline.stall)
    const watch: Effect.Effect<void> = Effect.flatMap(now, (now) => {
      const left = Math.min(gotAt - now, 0) + stall
      return left > 0
        ? Effect.delay(
            Effect.suspend(() => watch),
            left
          )
        : Effect.void
    })
    const limit = Duration.millis(stall)
    const reason = new Timeout({ message: `the rest of the body was not taken within ${stall / 1000} s`, limit })
    return Effect.raceFirst(
      attempt,
      Effect.map(watch, () => incomplete(reason))
    )
  }
  const body = Object.assign(HttpBody.stream(once, contentType, length), { isSpent: false, guard })
  return body
}

/** Reads JSON: the global `JSON`, or what keeps all digits. */
interface Json {
  readonly parse: (text: string) => unknown
}

/** Makes values of texts of JSON. */
const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (text: string, response: OpenResponse, json: Json): Effect.Effect<A, Failure> =>
    Effect.fromResult(
      Result.flatMap(
        Result.try({
          try: () => json.parse(text),
          catch: () => invalid(response, "has a part that is not JSON")
        }),
        (json) =>
          Result.mapError(decode(json), ({ message }) =>
            invalid(response, `has a part that does not match its schema: ${response.sanitize(message, true)}`)
          )
      )
    )
}

/** The lines of a response. */
export const lines = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = decoder(schema)
  return (response: OpenResponse, json: Json = JSON): Stream.Stream<A, Failure> =>
    bytes(response).pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect((line) => decode(line, response, json))
    )
}

/** An event that a service sends. */
export interface Event<out A> {
  /** Its type. Default: `message`. */
  readonly event: string
  readonly id?: string
  readonly data: A
}

/** The events of a response, and of those that follow it. */
export const events = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = decoder(schema)
  return (first: OpenResponse, json: Json = JSON): Stream.Stream<Event<A>, Failure> =>
    Stream.suspend(() => {
      let lastId: string | undefined
      /** In milliseconds; a service that gives it asks to be called again. */
      let retry: number | undefined
      let failures = 0

      /** The connection is over; another one follows if it broke, or if the service asks for that. */
      let isOver = false

      const read = (response: OpenResponse): Stream.Stream<Event<A>, Failure> => {
        const arrived: Array<Sse.Event> = []
        const parser = Sse.makeParser((event) => {
          if (event._tag === "Event") arrived.push(event)
          else retry = Duration.toMillis(event.duration)
        })
        const parse = (text: string) => {
          const problem = parser.feed(text)
          return problem === undefined
            ? Effect.succeed(arrived.splice(0))
            : Effect.fail(invalid(response, `is too large: ${problem.message}`))
        }
        const received = ({ data, event, id }: Sse.Event) => {
          failures = 0
          if (id !== undefined) lastId = id
          return Effect.map(decode(data, response, json), (data) => ({ event, ...(id !== undefined && { id }), data }))
        }
        isOver = response.response.status === 204
        return bytes(response).pipe(
          Stream.decodeText,
          Stream.mapEffect(parse),
          Stream.flattenIterable,
          Stream.mapEffect(received),
          Stream.concat(Stream.suspend(() => ((isOver ||= retry === undefined), Stream.empty))),
          Stream.catch((error) =>
            response.request && error.isRetryable && failures + 1 < response.retry.attempts
              ? Stream.empty
              : Stream.fail(error)
          )
        )
      }
      const connect = (response: OpenResponse | undefined) => {
        if (response === undefined) return Effect.succeed([first, first] as const)
        if (isOver || !response.request) return Effect.undefined
        failures++
        const request =
          lastId === undefined
            ? response.request
            : HttpClientRequest.setHeader(response.request, "last-event-id", lastId)
        return Effect.map(again(response, request, retry ?? 3000), (next) => [next, next] as const)
      }
      return Stream.flatMap(
        Stream.unfold<OpenResponse | undefined, OpenResponse, Failure, never>(undefined, connect),
        read
      )
    })
}
