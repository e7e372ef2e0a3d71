import { Context, Effect } from "effect"
import type { Dice } from "../../fixtures/Dice.ts"
import { make as makeTime } from "@cloud-management/testing/VirtualTime"

export interface Owner {
  readonly name: string
  fibers: number
  timers: number
}

export const makeOwner = (name: string): Owner => ({ name, fibers: 0, timers: 0 })

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

/** More steps than any run takes: fibers that wake one another for ever at one moment. */
const maxSteps = 2_000_000

/** A clock that jumps to the next timer, and a scheduler that runs what is ready, and yields, as the dice say. */
export const make = (
  dice: Dice,
  options: {
    readonly yieldRate: number
    readonly jumps: ReadonlyArray<Jump>
    /** Called before a jump, and after it with its length in milliseconds. */
    readonly onJump: (by?: number) => void
  }
) => {
  const jumps = [...options.jumps].sort((a, b) => a.at - b.at)
  /** How many operations run until the next yield: the gaps of a coin that falls at every operation. */
  const gap = () =>
    options.yieldRate === 0 ? Infinity : 1 + Math.floor(Math.log(1 - dice.next()) / Math.log(1 - options.yieldRate))
  let untilYield = gap()
  const time = makeTime({
    start: epochMillis,
    pick: (count) => dice.int(0, count - 1),
    yields: () => {
      if (--untilYield > 0) return false
      untilYield = gap()
      return true
    },
    onSleep: (fiber) => {
      const owner = fiber.getRef(Owner)
      owner.timers++
      return () => owner.timers--
    }
  })

  /** To the next moment at which something happens; `false` when nothing ever will. */
  const advance = () => {
    const next = time.next()
    if (next === Infinity) return false
    const jump = jumps[0]
    if (jump === undefined || jump.at > next) {
      time.fire()
      return true
    }
    jumps.shift()
    time.goTo(jump.at)
    options.onJump()
    time.jump(jump.by)
    options.onJump(jump.by)
    return true
  }

  return {
    ...time,
    /**
     * Runs until nothing is left to happen. `onQuiet` is called whenever all that can run at a moment has run.
     * To be run under a scheduler of the host, since promises settle between its turns.
     */
    run: Effect.fnUntraced(function* (onQuiet: () => void) {
      for (let [steps, advances] = [0, 0]; ;) {
        steps += time.runReady(maxSteps - steps)
        if (steps >= maxSteps) return "endless" as const
        yield* Effect.yieldNow
        if (time.isReady()) continue
        onQuiet()
        if (++advances > 20_000) return "endless" as const
        if (!advance()) return "quiet" as const
      }
    })
  }
}

export type VirtualTime = ReturnType<typeof make>
