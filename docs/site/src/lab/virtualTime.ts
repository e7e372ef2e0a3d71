import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scheduler from "effect/Scheduler"

/**
 * Time that stands still while anything can run, and then jumps to the next timer.
 *
 * It does what `TestClock` does for a program of thousands of fibers in a page: `TestClock` lets the browser in between any
 * two steps, with timers that a browser delays by 4 ms each.
 */
export interface VirtualTime {
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  /** Milliseconds since the start. */
  readonly now: () => number
  /**
   * Runs until nothing is left to happen, or `isEnough` holds before a jump to a moment, in milliseconds; rejects when
   * `signal` aborts. Only where the program waits for `promises` as well, the host has its turn before each jump.
   */
  readonly run: (options: {
    readonly isEnough: (now: number) => boolean
    readonly signal: AbortSignal
    readonly promises: boolean
  }) => Promise<void>
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** Jumps between two turns of a host that only has to stay responsive. */
const jumps = 200

/** Lets promises of the host settle, and the page react. */
const makeTurn = () => {
  const { port1, port2 } = new MessageChannel()
  return {
    turn: () =>
      new Promise<void>((resolve) => {
        port1.onmessage = () => resolve()
        port2.postMessage(undefined)
      }),
    close: () => port1.close()
  }
}

/** Time that starts at 0, the start of 1970. */
export const make = (): VirtualTime => {
  let now = 0
  /** Latest first, so that the next one is the last; of two at the same moment, the later one is put before the earlier. */
  const timers: Array<Timer> = []
  let ready: Array<() => void> = []

  const nanos = () => BigInt(Math.round(now * 1_000_000))
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => Math.floor(now),
    currentTimeMillis: Effect.sync(() => Math.floor(now)),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const timer: Timer = { at: now + Math.max(0, Duration.toMillis(duration)), fire: () => resume(Effect.void) }
        if (timer.at === Infinity) return
        let [low, high] = [0, timers.length]
        while (low < high) {
          const middle = (low + high) >>> 1
          if ((timers[middle]?.at ?? 0) > timer.at) low = middle + 1
          else high = middle
        }
        timers.splice(low, 0, timer)
        return Effect.sync(() => {
          const index = timers.indexOf(timer)
          if (index !== -1) timers.splice(index, 1)
        })
      })
  }
  const runReady = () => {
    while (ready.length > 0) {
      const tasks = ready
      ready = []
      for (const task of tasks) task()
    }
  }
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: ({ currentOpCount }) => currentOpCount >= 2048,
    makeDispatcher: () => ({ scheduleTask: (task) => void ready.push(task), flush: runReady })
  }

  return {
    clock,
    scheduler,
    now: () => now,
    run: async ({ isEnough, promises, signal }) => {
      const host = makeTurn()
      try {
        for (let jump = 0; ; jump++) {
          runReady()
          if (promises || jump % jumps === 0) {
            await host.turn()
            signal.throwIfAborted()
            if (ready.length > 0) continue
          }
          const next = timers.pop()
          if (next === undefined || isEnough(next.at)) return
          now = next.at
          next.fire()
        }
      } finally {
        host.close()
      }
    }
  }
}
