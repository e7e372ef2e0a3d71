import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constFalse, constVoid } from "effect/Function"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { InvalidResponse, TransportFailed } from "../CallError.ts"
import * as Content from "./content.ts"
import { jsonForm } from "./jsonForm.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import * as OptionRules from "../OptionRules.ts"
import { octets } from "./redaction.ts"
import { timeout } from "./timeLimit.ts"
import * as TransportFailure from "./transportFailure.ts"

const readBytes = ({ deadline, errorOf, response, sanitize }: OpenResponse): Stream.Stream<Uint8Array, Failure> =>
  response.stream.pipe(
    Stream.mapError((error) => TransportFailure.classify(error, sanitize).reason),
    Stream.timeoutOrElse({
      duration: deadline.stall,
      orElse: () => Stream.fail(timeout(OptionRules.millis(deadline.stall)))
    }),
    Stream.mapError(errorOf)
  )

/** The failure of a part that does not fit; `problem` ends a sentence that begins with "the body". */
const invalid = ({ errorOf }: OpenResponse, problem: string): Failure =>
  errorOf(new InvalidResponse({ message: `the body ${problem}` }))

const isStream = (value: unknown): value is Stream.Stream<unknown, Failure> => Stream.isStream(value)

/**
 * A value for each part of a body, as it arrives.
 *
 * @category models
 */
export interface Streaming<out A>
  extends Content.Body<"Stream", Schema.Codec<Stream.Stream<A, Failure>>>, Content.Readable {
  /** How the parts are told apart. */
  readonly framing: "bytes" | "lines" | "events"
  /** The schema of a part that is not bytes. */
  readonly item?: Schema.Codec<unknown, unknown>
  /** The schemas of the data of events by their types, if they are declared. */
  readonly named?: Readonly<Record<string, Schema.Codec<unknown, unknown>>>
  /** The data of the event that ends the stream, if it is declared. */
  readonly sentinel?: string
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: Content.JsonCodec
}

/** Closes the connection of a stream that was not begun: it ends with the reading of its body. */
const bodies = new WeakMap<object, Effect.Effect<void>>()

/** Ends the stream of a generator that was dropped: its connection would stay open. */
const dropped = /* @__PURE__ */ new FinalizationRegistry<() => void>((stop) => stop())

const iterate: Content.Iterate = (stream, run, convert) => {
  let parts: Array<unknown> = []
  let failure: { readonly error: unknown } | undefined
  let isOver = false
  let isWanted = false
  let want: () => void = () => (isWanted = true)
  let arrived: () => void = constVoid
  let stop: (() => void) | undefined
  const wanted = Effect.callback<void>((resume) => {
    want = () => resume(Effect.void)
    if (isWanted) want()
  })
  /** Reads a part whenever one is wanted; an abort and the end of the client interrupt it. */
  const pump = Effect.withFiber((fiber) => {
    stop = () => fiber.interruptUnsafe()
    if (!isStream(stream)) return Effect.void
    return Effect.scoped(
      Effect.flatMap(Stream.toPull(stream), (pull) => {
        const next: Effect.Effect<void, Failure> = Effect.flatMap(
          Pull.catchDone(pull, () => Effect.undefined),
          (some) => {
            if (some === undefined) return Effect.void
            isWanted = false
            parts = some.map(convert)
            arrived()
            return Effect.andThen(wanted, next)
          }
        )
        const close = bodies.get(stream) ?? Effect.void
        return Effect.andThen(
          Effect.onInterrupt(wanted, () => close),
          next
        )
      })
    )
  })
  const over = run(pump).then(
    () => void (isOver = true),
    (error: unknown) => {
      if (stop === undefined) Effect.runFork(pump).interruptUnsafe()
      if (!isOver) failure = { error }
      isOver = true
      parts = []
    }
  )
  const end = async () => {
    isOver = true
    parts = []
    stop?.()
    await over
    return { done: true, value: undefined } as const
  }
  const step = async () => {
    if (parts.length === 0 && !isOver) {
      const arrival = new Promise<void>((resolve) => (arrived = resolve))
      want()
      await Promise.race([arrival, over])
    }
    if (failure !== undefined) {
      const { error } = failure
      failure = undefined
      throw error
    }
    return parts.length === 0 ? end() : { done: false, value: parts.shift() }
  }
  let last: Promise<unknown> = Promise.resolve()
  const generator = {
    // one after the other
    next: () => {
      const next = last.then(step)
      last = next.catch(constVoid)
      return next
    },
    return: end,
    throw: async (error: unknown) => {
      await end()
      throw error
    },
    // no closure may hold the generator, or it is never dropped
    [Symbol.asyncIterator]() {
      return this
    },
    [Symbol.asyncDispose]: async () => void (await end()),
    [Symbol.toStringTag]: "AsyncGenerator"
  }
  dropped.register(generator, () => stop?.())
  return generator
}

/** Whether what came can be the declared type: an error or a login page is another document, however it is declared. */
const isOther = (type: string): boolean => /^text\/html|^application\/([^;]+\+)?(json|xml)$/.test(type)

/** A body of another type is read only for its start. */
const unread: Content.Read = (body, { headers }, sanitize) => {
  const start = sanitize(Content.utf8(body))
  return Result.fail(
    `is ${Content.essence(headers["content-type"]) || "of no type"}${start && `, and begins: ${start}`}`
  )
}

const streams: Schema.Codec<Stream.Stream<never, Failure>> = /* @__PURE__ */ Schema.declare(
  (value): value is Stream.Stream<never, Failure> => isStream(value)
)

/** `isOwn` says whether the type of a response is the one that is declared. */
const kind = <A>(
  accept: string,
  isOwn: (type: string) => boolean,
  open: (response: OpenResponse, codec?: Json) => Stream.Stream<A, Failure>
) => ({
  _tag: "Stream" as const,
  schema: streams,
  accept,
  read: unread,
  iterate,
  open: (response: OpenResponse, codec?: Json) => {
    const { headers, status } = response.response
    const type = Content.essence(headers["content-type"])
    if (status !== 204 && type !== Content.essence(accept) && !isOwn(type)) return undefined
    const stream = Stream.tapError(open(response, codec), ({ attempts, reason, requestId, status }) =>
      response.emit({ _tag: "StreamFailed", attempts, reason: reason._tag, requestId, status })
    )
    const read = Effect.ignore(Stream.runHead(response.response.stream))
    bodies.set(
      stream,
      Effect.flatMap(
        Effect.sync(() => Effect.runFork(read)),
        (fiber) => Effect.andThen(Effect.yieldNow, Fiber.interrupt(fiber))
      )
    )
    return stream
  }
})

/** Reads JSON: the global `JSON`, or what keeps all digits. */
interface Json {
  readonly parse: (text: string) => unknown
}

/** Makes values of texts of JSON. The failure ends a sentence that begins with "the body". */
const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Content.safeDecoder(jsonForm(schema))
  const decodeExact = Content.safeDecoder(jsonForm(schema, true))
  return (text: string, { sanitize }: OpenResponse, json: Json): Result.Result<A, string> =>
    Result.flatMap(Result.try({ try: () => json.parse(text), catch: () => "has a part that is not JSON" }), (value) =>
      Result.mapError(
        (json === JSON ? decode : decodeExact)(value),
        ({ isOurs, message }) => `has a part that does not match its schema: ${sanitize(message, isOurs)}`
      )
    )
}

/** As many characters of a line, or of the data of an event, are kept in memory. */
const longest = 10 * 1024 * 1024

const textLines = (response: OpenResponse): Stream.Stream<string, Failure> =>
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
    Stream.splitLines
  )

const readLines = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = decoder(schema)
  return (response: OpenResponse, json: Json = JSON): Stream.Stream<A, Failure> =>
    textLines(response).pipe(
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect((line) =>
        Effect.fromResult(Result.mapError(decode(line, response, json), (problem) => invalid(response, problem)))
      )
    )
}

/**
 * An event that a service sends, or one whose data is not what the operation declares.
 *
 * **Details**
 *
 * Only the second has a `problem`; its `data` is the text as it came, which is not JSON or does not match its schema.
 *
 * @category models
 */
export type ServerSentEvent<A> = Named<string, A> | Undecoded

/**
 * An event of one type, whose data was decoded.
 *
 * @category models
 */
export interface Named<out Type extends string, out A> {
  /** Its type. Default: `message`. */
  readonly event: Type
  readonly id?: string
  readonly data: A
  readonly problem?: undefined
}

/**
 * An event whose data is not what the operation declares.
 *
 * @category models
 */
export interface Undecoded extends Omit<Named<string, string>, "problem"> {
  /** Why it was not decoded, without the text itself. */
  readonly problem: string
}

type Schemas = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** The events of an operation that says which it has. */
type Events<A, Types extends Schemas> =
  | Named<"message", A>
  | { [Type in keyof Types & string]: Named<Type, Types[Type]["Type"]> }[keyof Types & string]
  | Undecoded

/** At least as long, in milliseconds, before a service is asked again, whatever it says in `retry`. */
const floor = 1000

/** A field of an event; a comment has no name. */
const field = /^([^:]*)(?:: ?)?(.*)$/s

/** An ID that a header can carry; another one is not sent. */
const isSendable = (id: string) => !/[\0-\x08\x0a-\x1f\x7f]/.test(id)

/** The events of a response, and of those that follow it. */
const readEvents = (schema: Schema.Codec<unknown, unknown>, named: Schemas | undefined, sentinel = "[DONE]") => {
  const other = decoder(schema)
  const decoders = new Map(Object.entries(named ?? {}).map(([type, schema]) => [type, decoder(schema)]))
  const decoderOf = (type: string) =>
    decoders.get(type) ?? (named === undefined || type === "message" ? other : undefined)
  return (first: OpenResponse, json: Json = JSON): Stream.Stream<ServerSentEvent<unknown>, Failure> =>
    Stream.suspend(() => {
      const { budget, errorOf, request, retry: policy } = first
      let lastId: string | undefined
      /** In milliseconds; a service that gives it asks to be called again. */
      let retry: number | undefined
      /** Connections without an event, and what was paid for them. */
      let failures = 0
      let paid = 0
      let broken: Failure | undefined
      /** No other connection follows. */
      let isOver = false

      const read = (response: OpenResponse): Stream.Stream<ServerSentEvent<unknown>, Failure> => {
        let [data, type] = ["", ""]
        let id: string | undefined
        const dispatch = () => {
          const [text, event] = [data.slice(0, -1), type || "message"]
          const isEmpty = data === ""
          data = type = ""
          if (id !== undefined && isSendable(id)) lastId = id
          if (isEmpty) return []
          failures = 0
          budget.deposit(paid)
          paid = 0
          // a heartbeat, or what begins a stream
          if (text === "") return []
          isOver = text === sentinel
          if (isOver) return [undefined]
          const decoded = decoderOf(event)?.(text, response, json) ?? Result.fail("has an event of another type")
          const common = { event, ...(id !== undefined && { id }) }
          return [
            Result.isSuccess(decoded)
              ? { ...common, data: decoded.success }
              : { ...common, data: text, problem: `the body ${decoded.failure}` }
          ]
        }
        /** HTML standard, section 9.2.6. */
        const take = (line: string): ReadonlyArray<ServerSentEvent<unknown> | undefined> => {
          if (line === "") return dispatch()
          const [, name, value = ""] = field.exec(line) ?? []
          if (name === "data") data += `${value}\n`
          else if (name === "event") type = value
          else if (name === "id" && !value.includes("\0")) id = value
          else if (name === "retry" && /^\d+$/.test(value)) retry = Number(value)
          return []
        }
        isOver = response.response.status === 204
        return textLines(response).pipe(
          Stream.mapAccumEffect(constVoid, (_, line) => {
            const events = take(line)
            return data.length > longest
              ? Effect.fail(invalid(response, `has an event of more than ${longest} characters`))
              : Effect.succeed([undefined, events] as const)
          }),
          Stream.takeWhile((event) => event !== undefined),
          Stream.concat(
            Stream.suspend(() => {
              isOver ||= retry === undefined || !request
              const message = "the service ended the stream, and asked to be called again"
              return isOver ? Stream.empty : Stream.fail(errorOf(new TransportFailed({ message, transient: true })))
            })
          ),
          Stream.catch((error) => {
            broken = error
            return request && error.isRetryable && failures + 1 < policy.attempts ? Stream.empty : Stream.fail(error)
          })
        )
      }
      /** Asks again after a wait, and pays for it as for any retry. */
      const again = (error: Failure) =>
        Effect.suspend(() => {
          const { retry: cost } = policy.budget
          if (!request || budget.available() < cost) return Effect.fail(error)
          budget.withdraw(cost)
          paid += cost
          failures++
          // an empty ID takes back the one before
          return first.begin(lastId ? HttpClientRequest.setHeader(request, "last-event-id", octets(lastId)) : request)
        })
      const connect = (response: OpenResponse | undefined) => {
        if (response === undefined) return Effect.succeed([first, first] as const)
        if (isOver || broken === undefined) return Effect.undefined
        const wait = Math.max(floor, Math.min(retry ?? 3000, OptionRules.millis(policy.maxHint)))
        return Effect.map(Effect.delay(again(broken), wait), ({ value }) => [value, value] as const)
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
 */
export const stream = (contentType = "application/octet-stream"): Streaming<Uint8Array> => ({
  // without a type of its own it is any bytes
  ...kind(contentType, (type) => contentType === "application/octet-stream" || !isOther(type), readBytes),
  framing: "bytes"
})

/**
 * JSON of a schema in each line of a response, as it arrives; empty lines are skipped.
 *
 * **Details**
 *
 * A response of another JSON, XML or HTML is an `InvalidResponse`, and not a stream without lines.
 *
 * @category constructors
 */
export const jsonLines = <A>(schema: Schema.Codec<A, unknown>, contentType = "application/x-ndjson"): Streaming<A> => ({
  ...kind(contentType, (type) => !isOther(type), readLines(schema)),
  framing: "lines",
  item: schema
})

/**
 * Server-sent events (HTML standard, section 9.2), each with JSON of a schema as its data.
 *
 * **Details**
 *
 * `named` has the schemas of events by their types; `schema` is then that of `message`. `sentinel` is the data that ends
 * the stream, by default `[DONE]`. Events without data are skipped. One whose data does not match has a `problem`, and the
 * stream goes on. A response that is not `text/event-stream` is an `InvalidResponse`.
 *
 * If the connection breaks, and the operation may be repeated, the client asks again with `last-event-id` after the time
 * that the service gave in `retry`, by default 3 seconds, at least one, and at most `maxHint` of the retry policy. A
 * response that ends without a break ends the stream, unless the service has sent `retry`; then the client asks again until
 * the service responds with 204. Each time costs tokens of the retry budget, which an event returns. The stream fails after
 * as many connections without an event as a call has attempts, or without tokens.
 *
 * **Example** (Declaring the events of a job)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Events = Body.events(Schema.Struct({ done: Schema.Finite }), {
 *   named: { error: Schema.Struct({ message: Schema.String }) },
 *   sentinel: "END"
 * })
 * ```
 *
 * @category constructors
 */
export function events<A>(
  schema: Schema.Codec<A, unknown>,
  options?: { readonly named?: undefined; readonly sentinel?: string }
): Streaming<ServerSentEvent<A>>
export function events<A, const Types extends Schemas>(
  schema: Schema.Codec<A, unknown>,
  options: { readonly named: Types; readonly sentinel?: string }
): Streaming<Events<A, Types>>
export function events(
  schema: Schema.Codec<unknown, unknown>,
  { named, sentinel }: { readonly named?: Schemas | undefined; readonly sentinel?: string } = {}
): Streaming<unknown> {
  return {
    ...kind("text/event-stream", constFalse, readEvents(schema, named, sentinel)),
    framing: "events",
    item: schema,
    ...(named && { named }),
    ...(sentinel !== undefined && { sentinel })
  }
}
