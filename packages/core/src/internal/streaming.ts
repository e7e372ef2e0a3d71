import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Sse from "effect/encoding/Sse"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { InvalidResponse, type ClientReason, type CloudError, type Refused } from "../CloudError.ts"
import { property } from "./property.ts"
import { timeout } from "./timeLimit.ts"

type Failure = CloudError<ClientReason | Refused>

/** A response whose body is read as it arrives. */
export interface Source {
  readonly response: HttpClientResponse.HttpClientResponse
  /** The limit of a wait for a part, in milliseconds. */
  readonly stall: number
  /** The error of the call after its head: of its transport, or for another reason. */
  readonly failure: (error: HttpClientError.HttpClientError | ClientReason) => Failure
  /** How often it may be asked for again in a row. */
  readonly attempts: number
  /** Asks for it again after a number of milliseconds, if the operation may be repeated. */
  readonly again:
    | ((wait: number, headers: Readonly<Record<string, string>> | undefined) => Effect.Effect<Source, Failure>)
    | false
}

/** The bytes as they arrive. */
export const bytes = ({ failure, response, stall }: Source): Stream.Stream<Uint8Array, Failure> =>
  Stream.mapError(
    Stream.timeoutOrElse(response.stream, {
      duration: stall,
      orElse: () => Stream.fail(timeout(stall))
    }),
    failure
  )

/** The failure of a part that does not fit; `problem` ends a sentence that begins with "the body". */
const invalid = ({ failure }: Source, problem: string): Failure =>
  failure(new InvalidResponse({ message: `the body ${problem}` }))

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

/** What all kinds have in common. */
export const kind = {
  _tag: "Stream",
  schema: /* @__PURE__ */ Schema.declare((value): value is Stream.Stream<never, Failure> => isStream(value)),
  read: () => Result.succeed(undefined)
} as const

/** Bytes to send while they are produced. */
export interface Upload {
  /** It runs once. If it fails, so does the call. */
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** How many bytes it has, if that is known. */
  readonly length?: number
}

export const upload: Schema.Codec<Upload> = /* @__PURE__ */ Schema.declare(
  (value): value is Upload => {
    const length = property(value, "length")
    return isStream(property(value, "stream")) && (length === undefined || Number.isSafeInteger(length))
  },
  { expected: "an object with a stream" }
)

/** A body that says whether its stream was begun. */
export const write = ({ length, stream }: Upload, contentType: string): HttpBody.HttpBody => {
  const once = Stream.suspend(() => {
    body.isSpent = true
    return stream
  })
  const body = Object.assign(HttpBody.stream(once, contentType, length), { isSpent: false })
  return body
}

/** Makes values of texts of JSON. */
const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (text: string, source: Source): Effect.Effect<A, Failure> =>
    Effect.fromResult(
      Result.flatMap(
        Result.try({
          try: (): unknown => JSON.parse(text),
          catch: () => invalid(source, "has a part that is not JSON")
        }),
        (json) =>
          Result.mapError(decode(json), ({ message }) =>
            invalid(source, `has a part that does not match its schema: ${message}`)
          )
      )
    )
}

/** The lines of a response. */
export const lines = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = decoder(schema)
  return (source: Source): Stream.Stream<A, Failure> =>
    bytes(source).pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect((line) => decode(line, source))
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
  return (first: Source): Stream.Stream<Event<A>, Failure> =>
    Stream.suspend(() => {
      let lastId: string | undefined
      /** In milliseconds; a service that gives it asks to be called again. */
      let retry: number | undefined
      let failures = 0

      /** The connection is over; another one follows if it broke, or if the service asks for that. */
      let isOver = false

      const read = (source: Source): Stream.Stream<Event<A>, Failure> => {
        const arrived: Array<Sse.Event> = []
        const parser = Sse.makeParser((event) => {
          if (event._tag === "Event") arrived.push(event)
          else retry = Duration.toMillis(event.duration)
        })
        const parse = (text: string) => {
          const problem = parser.feed(text)
          return problem === undefined
            ? Effect.succeed(arrived.splice(0))
            : Effect.fail(invalid(source, `is too large: ${problem.message}`))
        }
        const received = ({ data, event, id }: Sse.Event) => {
          failures = 0
          if (id !== undefined) lastId = id
          return Effect.map(decode(data, source), (data) => ({ event, ...(id !== undefined && { id }), data }))
        }
        isOver = source.response.status === 204
        return bytes(source).pipe(
          Stream.decodeText,
          Stream.mapEffect(parse),
          Stream.flattenIterable,
          Stream.mapEffect(received),
          Stream.concat(Stream.suspend(() => ((isOver ||= retry === undefined), Stream.empty))),
          Stream.catch((error) =>
            source.again && error.isRetryable && failures + 1 < source.attempts ? Stream.empty : Stream.fail(error)
          )
        )
      }
      const connect = (source: Source | undefined) => {
        if (source === undefined) return Effect.succeed([first, first] as const)
        if (isOver || !source.again) return Effect.undefined
        failures++
        const headers = lastId === undefined ? undefined : { "last-event-id": lastId }
        return Effect.map(source.again(retry ?? 3000, headers), (next) => [next, next] as const)
      }
      return Stream.flatMap(Stream.unfold<Source | undefined, Source, Failure, never>(undefined, connect), read)
    })
}
