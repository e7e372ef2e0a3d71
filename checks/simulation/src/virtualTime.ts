import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scheduler from "effect/Scheduler"
import type { Dice } from "../../fixtures/Dice.ts"

/** On whose account a fiber or a timer lives. */
export interface Owner {
  readonly name: string
  /** Fibers that were started and have not ended. */
  fibers: number
  /** Sleeps that have neither ended nor been given up. */
  timers: number
}

/** An account without fibers or timers yet. */
export const makeOwner = (name: string): Owner => ({ name, fibers: 0, timers: 0 })

/** The account of the fibers and timers made in a region. */
export const Owner = Context.Reference<Owner>("@cloud-management/checks/simulation/Owner", {
  defaultValue: () => makeOwner("nobody")
})

/** The moment when every run begins: 2026-01-01T00:00:00Z. */
export const epochMillis = 1_767_225_600_000

/** A step of the wall clock, as a time server or an operator makes it; the monotonic clock does not notice. */
export interface Jump {
  readonly at: number
  readonly by: number
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** More steps than any run takes: fibers that wake one another for ever at one moment. */
const maxSteps = 2_000_000

/**
 * A clock that stands still while anything can run and then jumps to the next timer, and a scheduler that runs what is
 * ready in an order drawn from the dice and lets fibers yield where the dice say so.
 */
export const make = (
  dice: Dice,
  options: {
    readonly yieldRate: number
    readonly jumps: ReadonlyArray<Jump>
    /** Called before a jump, and after it with its length in milliseconds. */
    readonly onJump: (by?: number) => void
  }
) => {
  let now = 0
  let wallOffset = epochMillis
  let steps = 0
  let advances = 0
  const jumps = [...options.jumps].sort((a, b) => a.at - b.at)
  const timers: Array<Timer> = []
  const ready: Array<() => void> = []

  const wall = () => now + wallOffset
  const monotonicNanos = () => BigInt(Math.round(now * 1_000_000))
  const wallNanos = () => BigInt(Math.round(wall() * 1_000_000))

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => Math.floor(wall()),
    currentTimeMillis: Effect.sync(() => Math.floor(wall())),
    currentTimeNanosUnsafe: wallNanos,
    currentTimeNanos: Effect.sync(wallNanos),
    monotonicTimeNanosUnsafe: monotonicNanos,
    monotonicTimeNanos: Effect.sync(monotonicNanos),
    sleep: (duration) =>
      Effect.withFiber((fiber) =>
        Effect.callback<void>((resume) => {
          const owner = fiber.getRef(Owner)
          const timer: Timer = {
            at: now + Math.max(0, Duration.toMillis(duration)),
            fire: () => {
              remove()
              resume(Effect.void)
            }
          }
          const remove = () => {
            const index = timers.indexOf(timer)
            if (index === -1) return
            timers.splice(index, 1)
            owner.timers--
          }
          timers.push(timer)
          owner.timers++
          return Effect.sync(remove)
        })
      )
  }

  /** Takes one of the items out, whichever the dice say. */
  const draw = <A>(items: Array<A>, index: number): A | undefined => {
    const last = items.pop()
    if (last === undefined || index >= items.length) return last
    const drawn = items[index]
    items[index] = last
    return drawn
  }

  /** How many operations run until the next yield: the gaps of a coin that falls at every operation. */
  const gap = () =>
    options.yieldRate === 0 ? Infinity : 1 + Math.floor(Math.log(1 - dice.next()) / Math.log(1 - options.yieldRate))
  let untilYield = gap()

  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => {
      if (--untilYield > 0) return fiber.currentOpCount >= 2048
      untilYield = gap()
      return true
    },
    makeDispatcher: () => ({
      scheduleTask: (task) => {
        ready.push(task)
      },
      flush: () => {
        while (ready.length > 0) draw(ready, 0)?.()
      }
    })
  }

  const runReady = Effect.sync(() => {
    for (; ready.length > 0 && steps < maxSteps; steps++) draw(ready, dice.int(0, ready.length - 1))?.()
  })

  /** To the next moment at which something happens; `false` when nothing ever will. */
  const advance = () => {
    const next = timers.reduce((earliest, { at }) => Math.min(earliest, at), Infinity)
    if (next === Infinity) return false
    const jump = jumps[0]
    if (jump !== undefined && jump.at <= next) {
      jumps.shift()
      now = Math.max(now, jump.at)
      options.onJump()
      wallOffset += jump.by
      options.onJump(jump.by)
      return true
    }
    now = next
    const due = timers.filter(({ at }) => at === next)
    due[dice.int(0, due.length - 1)]?.fire()
    return true
  }

  return {
    clock,
    scheduler,
    /** Milliseconds since the beginning. */
    now: () => now,
    wall,
    /**
     * Runs until nothing is left to happen. `onQuiet` is called whenever all that can run at a moment has run.
     * To be run under a scheduler of the host, since promises settle between its turns.
     */
    run: Effect.fnUntraced(function* (onQuiet: () => void) {
      for (;;) {
        yield* runReady
        if (steps >= maxSteps) return "endless" as const
        yield* Effect.yieldNow
        if (ready.length > 0) continue
        onQuiet()
        if (++advances > 20_000) return "endless" as const
        if (!advance()) return "quiet" as const
      }
    })
  }
}

export type VirtualTime = ReturnType<typeof make>
