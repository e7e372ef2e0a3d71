import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** Virtual time that runs from wait to wait, and only when nothing else is left to do. */
export interface Timeline {
  /** Runs an effect to its end, and tells when that was. Dies when it waits for something that no time brings about. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Ended<A, E>, never, R>
  /** Gives an effect this timeline's clock. */
  readonly on: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets time pass up to a moment, in milliseconds since the start. */
  readonly until: (millis: number) => Effect.Effect<void>
  /** The time of day in milliseconds. */
  readonly millis: () => number
  /** Milliseconds since the start, by the clock that only goes forward. */
  readonly now: () => number
  /** Puts the time of day ahead (or back) by so many milliseconds; waits do not notice. */
  readonly jump: (millis: number) => void
  /** How many waits are under way. */
  readonly waits: () => number
}

/** How a run ended, and how long it took in milliseconds. */
export interface Ended<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly elapsed: number
}

/** Lets everything happen that needs no time: fibers, promises and streams, which take a few turns of the event loop. */
const settle = Effect.promise(async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
})

/** Gives an effect a clock that goes forward by so many nanoseconds with each reading: to read a real one takes time. */
export const ticking =
  (nanos: bigint) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Clock.clockWith((clock) => {
      let readings = 0n
      const ticking: Clock.Clock = Object.assign(Object.create(clock), {
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + nanos * readings++
      })
      return Effect.provideService(effect, Clock.Clock, ticking)
    })

/** A timeline over the test clock of the current test. */
export const make: Effect.Effect<Timeline> = TestClock.testClockWith((test) =>
  Effect.sync(() => {
    let offset = 0
    const ends = new Set<{ readonly at: number }>()
    const now = () => test.currentTimeMillisUnsafe()
    const millis = () => test.currentTimeMillisUnsafe() + offset
    const nanos = () => test.currentTimeNanosUnsafe() + BigInt(offset) * 1_000_000n
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => test.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: test.monotonicTimeNanos,
      sleep: (duration) =>
        Effect.suspend(() => {
          const end = { at: now() + Duration.toMillis(duration) }
          ends.add(end)
          return Effect.ensuring(
            test.sleep(duration),
            Effect.sync(() => ends.delete(end))
          )
        })
    }
    const on: Timeline["on"] = Effect.provideService(Clock.Clock, clock)
    const goTo = (to: number) => test.setTime(Math.max(to, now()))
    const next = () => Math.min(...Array.from(ends, ({ at }) => at))

    const until: Timeline["until"] = Effect.fnUntraced(function* (to) {
      yield* settle
      for (let at = next(); at <= to; at = next()) {
        yield* goTo(at)
        yield* settle
      }
      yield* goTo(to)
    })
    const run: Timeline["run"] = Effect.fnUntraced(function* (effect) {
      const start = now()
      let end = start
      const timed = Effect.ensuring(
        on(effect),
        Effect.sync(() => (end = now()))
      )
      const fiber = yield* Effect.forkChild(timed)
      for (;;) {
        yield* settle
        const exit = fiber.pollUnsafe()
        if (exit !== undefined) return { exit, elapsed: end - start }
        const at = next()
        if (at === Infinity) {
          yield* Fiber.interrupt(fiber)
          return yield* Effect.die("waits for ever")
        }
        yield* goTo(at)
      }
    })
    return {
      run,
      on,
      until,
      now,
      millis,
      jump: (by) => {
        offset += by
      },
      waits: () => ends.size
    }
  })
)
