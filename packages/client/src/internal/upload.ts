import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constVoid, identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Timeout } from "../CallError.ts"
import type { Deadline } from "../Deadline.ts"
import { monotonicMillis } from "./clock.ts"
import * as Content from "./content.ts"
import * as OptionRules from "../OptionRules.ts"
import { property } from "./property.ts"
import { grace } from "./timeLimit.ts"

/**
 * Bytes to send while they are produced.
 */
export interface Source {
  /** It runs once. If it fails, so does the call. */
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** How many bytes it has, if that is known. */
  readonly length?: number
}

/**
 * A stream of bytes, in a request.
 */
export interface Upload extends Content.Body<"Upload", Schema.Codec<Source>>, Content.Writable {
  readonly contentType: string
}

const isBytes = (value: unknown): value is Stream.Stream<Uint8Array, unknown> => Stream.isStream(value)
const isIterable = (value: unknown): value is AsyncIterable<Uint8Array> =>
  Predicate.hasProperty(value, Symbol.asyncIterator)
const isReadable = (value: unknown): value is ReadableStream<Uint8Array> => Predicate.hasProperty(value, "getReader")

/** A stream of Node.js, of whatever package. */
interface NodeStream {
  readonly destroy: () => unknown
  readonly on: (event: "error" | "readable", listener: () => void) => unknown
}
const isNodeStream = (value: unknown): value is NodeStream =>
  ["destroy", "on"].every((method) => Predicate.isFunction(property(value, method)))

const schema: Schema.Codec<Source> = /* @__PURE__ */ Schema.declare(
  (value): value is Source => {
    const [stream, length] = [property(value, "stream"), property(value, "length")]
    return (
      (isBytes(stream) || isReadable(stream) || isIterable(stream)) &&
      (length === undefined || (Number.isSafeInteger(length) && Number(length) >= 0))
    )
  },
  { expected: "an object with a stream" }
)

/** Sources that can be read once, and belong to a call: streams of the platform, and iterators. */
const taken = new WeakSet<object>()
/** The streams that gave bytes to a call. One of Effect can be run again, but what it reads may be read. */
const gave = new WeakSet<object>()

/** Streams of Node.js that were handed to a call. */
const held = new WeakSet<object>()

/** A stream of Node.js that fails while nobody listens ends the process; from here on, it flows only as fast as it is read. */
const listen = (source: NodeStream) => {
  if (held.has(source)) return
  held.add(source)
  source.on("error", constVoid)
  source.on("readable", constVoid)
}

const isIterator = (value: unknown): value is AsyncIterator<unknown> => Predicate.isFunction(property(value, "next"))

/** Closes a source, whose end can fail, or take long. */
const close = (source: object): void => {
  const end = async (): Promise<unknown> => {
    if (isNodeStream(source)) return source.destroy()
    if (isReadable(source)) return source.cancel()
    return isIterator(source) ? source.return?.() : undefined
  }
  void end().catch(constVoid)
}

/** Keeps the source of an input as it is until its call takes it. The result closes it, if no call took it. */
const hold = (input: unknown): (() => void) => {
  const source = property(property(input, "payload"), "stream")
  if (isNodeStream(source)) listen(source)
  return () => {
    // one that is read is somebody else's
    if (Predicate.isObject(source) && !taken.has(source) && !isRead(source)) close(source)
  }
}

/** Whether a stream of the platform was read, or is, as `fetch` looks at it (Fetch standard, "extract a body"). */
const isRead = (source: object): boolean =>
  // of Node.js, which ends and destroys them too
  property(source, "readableDidRead") === true ||
  property(source, "readable") === false ||
  (isReadable(source) && "Response" in globalThis && Result.isFailure(Result.try(() => new Response(source))))

/** Marks what belongs to a call from here on. One that was read would be sent as if it were empty. */
const claim = <Once extends object>(once: Once): Once => {
  const failure = property(once, "errored")
  if (failure) throw failure
  if (taken.has(once) || isRead(once)) {
    throw Content.unexpected("a stream that was not read, and that no other call has", "stream")
  }
  taken.add(once)
  return once
}

/**
 * Takes a source for one call: its stream, and what to close if that is not begun. Programs on promises have streams of the
 * platform, of which those of Safari are not iterable.
 */
const take = (
  source: Source["stream"] | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
): readonly [stream: Source["stream"], once: object] => {
  if (isBytes(source)) return [source, source]
  if (isReadable(source)) {
    const once = claim(source)
    return [Stream.fromReadableStream({ evaluate: () => once, onError: identity }), once]
  }
  if (!isNodeStream(source)) {
    // what can be read again has an iterator each time
    const iterator = claim(source[Symbol.asyncIterator]())
    return [Stream.fromAsyncIterable({ [Symbol.asyncIterator]: () => iterator }, identity), iterator]
  }
  listen(claim(source))
  const end = Effect.sync(() => close(source))
  // its iterator closes it neither before it has begun, nor while it waits
  return [Stream.ensuring(Stream.fromAsyncIterable(source, identity), end), source]
}

/**
 * Fails if the source has fewer or more bytes than stated. The last bytes wait for the end of the source: with them the
 * request would be complete for the service. Transports differ in what they notice themselves.
 */
const exactly = (source: Stream.Stream<Uint8Array, unknown>, length: number): Stream.Stream<Uint8Array, unknown> =>
  Stream.suspend(() => {
    let left = length
    const last: Array<Uint8Array> = []
    const before = Stream.filterEffect(source, (part) => {
      left -= part.length
      if (left < 0) return Effect.fail(`it has more than the stated ${length} bytes`)
      if (left === 0) last.push(part)
      return Effect.succeed(left > 0)
    })
    const end = Stream.suspend(() =>
      left > 0 ? Stream.fail(`it has ${length - left} bytes, and not the stated ${length}`) : Stream.fromIterable(last)
    )
    return Stream.concat(before, end)
  })

/** Ends an attempt if its body is not taken, and there is no response yet. */
type Guard = <A>(
  attempt: Effect.Effect<A>,
  deadline: Deadline,
  incomplete: (reason: Timeout) => A,
  hasResponse: () => boolean
) => Effect.Effect<A>

/** A request, perhaps one whose body is a stream. */
export interface Sending extends HttpClientRequest.HttpClientRequest {
  readonly body: HttpBody.HttpBody & {
    /** Whether the stream was begun, so that the request cannot be sent again. */
    readonly isSpent?: boolean
    readonly guard?: Guard
    /** Closes the source at the end of the call, if it was not begun. */
    readonly close?: Effect.Effect<void>
  }
}

/** So many bytes are one part: whether a body is taken shows only between its parts. */
const most = 65_536

const split = (bytes: Uint8Array) => {
  // as of a file that is read as text, whose type is any
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("it has a part that is not bytes")
  return Arr.makeBy(Math.max(1, Math.ceil(bytes.length / most)), (i) => bytes.subarray(i * most, (i + 1) * most))
}

/** A body that says whether its stream was begun, and notices if the transport has a part and takes no other. */
const write = ({ length, stream }: Source, contentType: string): HttpBody.HttpBody => {
  const [source, once] = take(stream)
  /** When the transport got a part; never while it waits for one. */
  let gotAt = Infinity
  const counted = Stream.suspend(() => {
    body.isSpent = true
    let isEmpty = true
    const whole = length === undefined ? source : exactly(source, length)
    const parts = Stream.rechunk(Stream.mapArray(whole, Arr.flatMap(split)), 1)
    const end = Stream.suspend(() =>
      isEmpty && gave.has(stream) ? Stream.fail("it was read before, and is empty now") : Stream.empty
    )
    return Stream.transformPull(Stream.concat(parts, end), (pull) =>
      Effect.succeed(
        Effect.suspend(() => {
          gotAt = Infinity
          return Effect.tap(pull, () =>
            Effect.map(monotonicMillis, (now) => {
              gotAt = now
              isEmpty = false
              gave.add(stream)
            })
          )
        })
      )
    )
  })
  const guard: Guard = (attempt, deadline, incomplete, hasResponse) =>
    Effect.withFiber((parent) => {
      const stall = OptionRules.millis(deadline.stall)
      const fiber = Effect.runForkWith(parent.context)(attempt)
      let isStalled = false
      const ended = Effect.flatMap(Fiber.await(fiber), (exit) => (isStalled ? Effect.never : exit))
      const stalled = Effect.gen(function* () {
        let left = stall
        while (left > 0) {
          yield* Effect.sleep(left)
          left = hasResponse() ? Infinity : Math.min(gotAt - (yield* monotonicMillis), 0) + stall
        }
        isStalled = true
        fiber.interruptUnsafe()
        yield* Effect.raceFirst(Fiber.await(fiber), Effect.sleep(grace))
        const message = `the rest of the body was not taken within ${stall / 1000} s`
        return incomplete(new Timeout({ message, limit: Duration.millis(stall) }))
      })
      return Effect.onInterrupt(Effect.raceFirst(ended, stalled), () => Fiber.interrupt(fiber))
    })
  const giveUp = Effect.sync(() => {
    if (!body.isSpent) close(once)
  })
  const body = Object.assign(HttpBody.stream(counted, contentType, length), { isSpent: false, guard, close: giveUp })
  return body
}

/**
 * A stream of bytes, in a request, `application/octet-stream` unless `contentType` says otherwise.
 *
 * **Details**
 *
 * The stream runs once: after its first byte was taken the request is not sent again, whatever the retry policy says.
 * An interruption closes the stream. A `ReadableStream`, a stream of Node.js or an iterator that was read, or that another
 * call has, is an `InvalidInput`, and nothing is sent. A call that ends without reading it closes it. Others can listen to a
 * stream of Node.js, such as for its progress: they get each part when the call reads it. `deadline.attempt` bounds the
 * whole upload, and `deadline.stall` the time in which no more of it is taken, in parts of at most 64 KiB; the time that the
 * stream itself takes does not count.
 */
export const upload = (contentType = "application/octet-stream"): Upload => ({
  _tag: "Upload",
  schema,
  contentType,
  hold,
  write: Content.writer(schema, (source) => write(source, contentType))
})
