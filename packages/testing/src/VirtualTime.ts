import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scheduler from "effect/Scheduler"

/** How a run ended, and the virtual milliseconds that it took. */
export interface Ended<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly elapsed: number
}

/** Settings of a simulation. */
export interface Options {
  /** The time of day at the start, in milliseconds since 1970. Default: 0. */
  readonly start?: number
  /** Chooses, by index, which of `count` ready steps or due sleeps comes next. Default: the one that waits longest. */
  readonly pick?: (count: number) => number
  /** Whether a fiber of the scheduler yields before its next operation. Default: after 2048 operations. */
  readonly yields?: () => boolean
  /** Receives each sleep's fiber; the function that it returns is called when the sleep ends. Default: none. */
  readonly onSleep?: (fiber: Fiber.Fiber<unknown, unknown>) => () => void
}

/**
 * A clock that moves from wait to wait. All times are in milliseconds.
 *
 * **Details**
 *
 * `run` leaves fibers to their own scheduler. A simulation runs its fibers on `scheduler` instead, and moves them by
 * `runReady` and the clock by `fire`, so that their order is its own.
 */
export interface VirtualTime {
  /** Runs an effect on this clock to its end. Dies if it waits for something that no time brings. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Ended<A, E>, never, R>
  /** The time since the start, by the clock that only goes forward. */
  readonly now: () => number
  /** The time of day, since 1970. */
  readonly wall: () => number
  /** Puts the time of day ahead, or back, as a time server does; sleeps do not notice. */
  readonly jump: (by: number) => void
  /** The number of sleeps under way. */
  readonly sleeps: () => number
  /** The moment of the next sleep's end; `Infinity` without one. */
  readonly next: () => number

  readonly clock: Clock.Clock
  /** Runs a fiber only when `runReady` is called. */
  readonly scheduler: Scheduler.Scheduler
  readonly isReady: () => boolean
  /** Runs the ready steps of fibers, and those that these make ready, at most so many. Returns their number. */
  readonly runReady: (most?: number) => number
  /** Goes to the moment of the next sleep's end, and ends one sleep of that moment. */
  readonly fire: () => void
  /** Goes to a moment, unless it has passed, and ends no sleep. */
  readonly goTo: (at: number) => void
}

/**
 * Creates a clock for a test that ends by itself, however long its program waits.
 *
 * **When to use**
 *
 * If a test does not know, or wants to measure, how long a program waits. If it knows, Effect's `TestClock` is enough.
 *
 * **Details**
 *
 * `TestClock` goes as far as a test says, and does not tell when the program ended. Between two sleeps it waits for
 * fibers, not for promises: a deadline passes before a body that the platform reads is there. Its time of day cannot
 * jump. For a simulation, it leaves the order of fibers to the platform and does not tell when the next sleep ends; over
 * sockets, it cannot move only once nothing more will arrive.
 *
 * **Gotchas**
 *
 * Time moves when neither fibers nor promises have called the clock for ten turns of the event loop. It does not wait for
 * sockets.
 *
 * **Example** (Measuring the waits of a retry)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as VirtualTime from "@cloud-management/testing/VirtualTime"
 *
 * const slow = Effect.as(Effect.sleep("3 minutes"), "done")
 * const { elapsed } = await Effect.runPromise(VirtualTime.make().run(slow)) // 180_000, at once
 * ```
 */
export const make = ({ onSleep, pick, start = 0, yields }: Options = {}): VirtualTime => {
  let [now, offset, uses] = [0, start, 0]
  /** Latest first, so that the next one is the last; of two at the same moment, the later one is before the earlier. */
  const timers: Array<{ readonly at: number; readonly fire: () => void }> = []
  const ready: Array<() => void> = []

  const wall = () => now + offset
  const nanosOf = (millis: number) => {
    uses++
    return BigInt(Math.round(millis * 1_000_000))
  }
  const millis = () => {
    uses++
    return Math.floor(wall())
  }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: () => nanosOf(wall()),
    currentTimeNanos: Effect.sync(() => nanosOf(wall())),
    monotonicTimeNanosUnsafe: () => nanosOf(now),
    monotonicTimeNanos: Effect.sync(() => nanosOf(now)),
    sleep: (duration) =>
      Effect.withFiber((fiber) =>
        Effect.callback<void>((resume) => {
          uses++
          const onEnd = onSleep?.(fiber)
          const remove = () => {
            const index = timers.lastIndexOf(timer)
            if (index === -1) return
            timers.splice(index, 1)
            onEnd?.()
          }
          const timer = {
            at: now + Math.max(0, Duration.toMillis(duration)),
            fire: () => {
              remove()
              resume(Effect.void)
            }
          }
          timers.splice(timers.findLastIndex(({ at }) => at > timer.at) + 1, 0, timer)
          return Effect.sync(remove)
        })
      )
  }

  /** Takes one of the ready steps; by choice, the last fills its place. */
  const take = (index: number) => {
    if (pick === undefined) return ready.shift()
    const last = ready.pop()
    const taken = ready[index]
    if (last === undefined || taken === undefined) return last
    ready[index] = last
    return taken
  }
  const next = () => timers.at(-1)?.at ?? Infinity
  const fire = () => {
    const at = timers.at(-1)?.at ?? now
    now = at
    let due = 1
    while (timers.at(-1 - due)?.at === at) due++
    timers.at(-1 - (pick?.(due) ?? 0))?.fire()
  }
  const goTo = (at: number) => {
    now = Math.max(now, at)
  }

  /** Lets fibers, promises and streams go on; a line of calls takes many turns, in each of which it uses the clock. */
  const settle = Effect.gen(function* () {
    for (let idle = 0; idle < 10; idle++) {
      const before = uses
      yield* Effect.yieldNow
      if (uses !== before) idle = -1
    }
  })
  /** To the next moment at which a sleep ends, and to the end of all that follows from it then. */
  const step = Effect.suspend(() => {
    for (const at = next(); next() === at;) fire()
    return settle
  })

  return {
    run: Effect.fnUntraced(function* (effect) {
      const start = now
      let end = start
      const timed = Effect.ensuring(
        Effect.provideService(effect, Clock.Clock, clock),
        Effect.sync(() => (end = now))
      )
      const fiber = yield* Effect.forkChild(timed)
      for (;;) {
        yield* settle
        const exit = fiber.pollUnsafe()
        if (exit !== undefined) return { exit, elapsed: end - start }
        if (next() === Infinity) {
          yield* Fiber.interrupt(fiber)
          return yield* Effect.die("waits for ever")
        }
        yield* step
      }
    }),
    now: () => now,
    wall,
    jump: (by) => {
      offset += by
    },
    sleeps: () => timers.length,
    next,
    clock,
    scheduler: {
      executionMode: "async",
      shouldYield: ({ currentOpCount }) => yields?.() === true || currentOpCount >= 2048,
      makeDispatcher: () => ({
        scheduleTask: (task) => void ready.push(task),
        flush: () => {
          while (ready.length > 0) take(0)?.()
        }
      })
    },
    isReady: () => ready.length > 0,
    runReady: (most = Infinity) => {
      let steps = 0
      for (; ready.length > 0 && steps < most; steps++) take(pick?.(ready.length) ?? 0)?.()
      return steps
    },
    fire,
    goTo
  }
}
