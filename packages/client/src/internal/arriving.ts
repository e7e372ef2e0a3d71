import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Sse from "effect/encoding/Sse"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { InvalidResponse } from "../CallError.ts"
import * as Content from "./content.ts"
import { jsonForm } from "./jsonForm.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import * as OptionRules from "../OptionRules.ts"
import { octets } from "./redaction.ts"
import { timeout } from "./timeLimit.ts"
import * as TransportFailure from "./transportFailure.ts"

/** The bytes as they arrive. */
const readBytes = ({ deadline, errorOf, response, sanitize }: OpenResponse): Stream.Stream<Uint8Array, Failure> =>
  response.stream.pipe(
    Stream.mapError((error) => TransportFailure.classify(error, sanitize).reason),
    Stream.timeoutOrElse({
      duration: deadline.stall,
      orElse: () => Stream.fail(timeout(OptionRules.millis(deadline.stall)))
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
type Iterate = (
  stream: unknown,
  run: <A>(effect: Effect.Effect<A, Failure>) => Promise<A>,
  convert: (part: unknown) => unknown
) => AsyncGenerator<unknown, void, undefined>

/**
 * A value for each part of a body, as it arrives.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arriving<out A>
  extends Content.Body<"Stream", Schema.Codec<Stream.Stream<A, Failure>>>, Content.Readable {
  /** How the parts are told apart. */
  readonly framing: "bytes" | "lines" | "events"
  /** Reads the stream of a call outside Effect: `run` waits for each part, and `convert` is applied to it. */
  readonly iterate: Iterate
  /** The schema of a part that is not bytes. */
  readonly item?: Schema.Codec<unknown, unknown>
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: Content.JsonCodec
}

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
const kind = {
  _tag: "Stream",
  schema: /* @__PURE__ */ Schema.declare((value): value is Stream.Stream<never, Failure> => isStream(value)),
  read: () => Result.succeed(undefined),
  iterate
} as const

/** Reads JSON: the global `JSON`, or what keeps all digits. */
interface Json {
  readonly parse: (text: string) => unknown
}

/** Makes values of texts of JSON. */
const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Content.safeDecoder(jsonForm(schema))
  const decodeExact = Content.safeDecoder(jsonForm(schema, true))
  return (text: string, response: OpenResponse, json: Json): Effect.Effect<A, Failure> =>
    Effect.fromResult(
      Result.flatMap(
        Result.try({
          try: () => json.parse(text),
          catch: () => invalid(response, "has a part that is not JSON")
        }),
        (value) =>
          Result.mapError((json === JSON ? decode : decodeExact)(value), ({ isOurs, message }) =>
            invalid(response, `has a part that does not match its schema: ${response.sanitize(message, isOurs)}`)
          )
      )
    )
}

/** As many characters of a line are kept in memory, as the parser of events does. */
const longest = 10 * 1024 * 1024

/** The lines of a response. */
const readLines = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = decoder(schema)
  return (response: OpenResponse, json: Json = JSON): Stream.Stream<A, Failure> =>
    readBytes(response).pipe(
      Stream.decodeText,
      Stream.mapAccumEffect(
        () => 0,
        (length, text) => {
          const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"))
          const open = (end < 0 ? length : -1 - end) + text.length
          return open > longest
            ? Effect.fail(invalid(response, `has a line of more than ${longest} characters`))
            : Effect.succeed([open, [text]] as const)
        }
      ),
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect((line) => decode(line, response, json))
    )
}

/**
 * An event that a service sends.
 *
 * @category models
 * @since 0.1.0
 */
export interface Event<out A> {
  /** Its type. Default: `message`. */
  readonly event: string
  readonly id?: string
  readonly data: A
}

/** The events of a response, and of those that follow it. */
const readEvents = <A>(schema: Schema.Codec<A, unknown>) => {
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
        return readBytes(response).pipe(
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
        if (isOver || !first.request) return Effect.undefined
        failures++
        // an empty ID takes back the one before
        const request = lastId
          ? HttpClientRequest.setHeader(first.request, "last-event-id", octets(lastId))
          : first.request
        const wait = Math.min(retry ?? 3000, OptionRules.millis(response.retry.maxHint))
        return Effect.map(again(response, request, wait), (next) => [next, next] as const)
      }
      return Stream.flatMap(
        Stream.unfold<OpenResponse | undefined, OpenResponse, Failure, never>(undefined, connect),
        read
      )
    })
}

/**
 * Bytes of a response as they arrive.
 *
 * **Details**
 *
 * The call ends with the head of the response, and its value is the stream. Run the stream once, or not at all: the
 * connection is closed when it ends, fails or is interrupted. `deadline.stall` bounds the wait for each part. What
 * fails after the head is not sent again.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stream = (contentType = "application/octet-stream"): Arriving<Uint8Array> => ({
  ...kind,
  framing: "bytes",
  accept: contentType,
  open: readBytes
})

/**
 * JSON of a schema in each line of a response, as it arrives; empty lines are skipped.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jsonLines = <A>(schema: Schema.Codec<A, unknown>, contentType = "application/x-ndjson"): Arriving<A> => ({
  ...kind,
  framing: "lines",
  item: schema,
  accept: contentType,
  open: readLines(schema)
})

/**
 * Server-sent events (HTML standard, section 9.2), each with JSON of a schema as its data.
 *
 * **Details**
 *
 * If the connection breaks, and the operation may be repeated, the client asks again with `last-event-id` after the time
 * that the service gave in `retry`, by default 3 seconds, and at most `maxHint` of the retry policy. It fails after as
 * many connections without an event as a call has attempts. A response that ends without a break ends the stream, unless
 * the service has sent `retry`; then the client asks again until the service answers with 204.
 *
 * @category constructors
 * @since 0.1.0
 */
export const events = <A>(schema: Schema.Codec<A, unknown>): Arriving<Event<A>> => ({
  ...kind,
  framing: "events",
  item: schema,
  accept: "text/event-stream",
  open: readEvents(schema)
})
