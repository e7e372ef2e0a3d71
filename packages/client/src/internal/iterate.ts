import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type * as Content from "./content.ts"
import type { Failure } from "./openResponse.ts"

// A stream as a generator of promises.

export const isStream = (value: unknown): value is Stream.Stream<unknown, Failure> => Stream.isStream(value)

/** Closes the connection of a stream that was not begun: it ends with the reading of its body. */
export const closers = new WeakMap<object, Effect.Effect<void>>()

/** Ends the stream of a generator that was dropped: its connection would stay open. */
const dropped = /* @__PURE__ */ new FinalizationRegistry<() => void>((stop) => stop())

/** A generator whose stream ends with it, or when it is dropped. */
export const iterate: (...args: Parameters<Content.Iterate>) => AsyncIterable<unknown> = (stream, run, convert) => {
  let parts: Array<unknown> = []
  let failure: { readonly error: unknown } | undefined
  let isOver = false
  let want = constVoid
  /** There while a part is wanted, also before the fiber waits for that. */
  let arrived: (() => void) | undefined
  let stop: (() => void) | undefined
  const wanted = Effect.callback<void>((resume) => {
    want = () => resume(Effect.void)
    if (arrived !== undefined) want()
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
            parts = some.map(convert)
            arrived?.()
            arrived = undefined
            return Effect.andThen(wanted, next)
          }
        )
        const close = closers.get(stream) ?? Effect.void
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
  async function* read(): AsyncGenerator<unknown, void> {
    for (;;) {
      if (parts.length === 0 && !isOver) {
        const arrival = new Promise<void>((resolve) => (arrived = resolve))
        want()
        await Promise.race([arrival, over])
      }
      if (failure !== undefined) throw failure.error
      if (parts.length === 0) return over
      yield parts.shift()
    }
  }
  const reading = read()
  const end = async () => {
    isOver = true
    parts = []
    stop?.()
    await over
    return reading.return()
  }
  const generator = {
    next: () => reading.next(),
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
