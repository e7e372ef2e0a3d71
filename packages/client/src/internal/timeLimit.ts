import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import { Timeout } from "../CallError.ts"

/** The platform's clock, whose way to sleep is `setTimeout`. */
const platform = Context.get(Context.empty(), Clock.Clock)

/** The longest delay that `setTimeout` keeps, in milliseconds; a longer one ends at once. */
const longest = 2 ** 31 - 1

/**
 * Calls `late` after so many milliseconds; the result cancels it. On the platform's clock it does without the fiber that
 * any other clock needs to sleep, which costs as much as decoding a response.
 */
const after = (parent: Fiber.Fiber<unknown, unknown>, limit: number, late: () => void): (() => void) => {
  const clock = parent.getRef(Clock.Clock)
  if (clock === platform && limit <= longest) {
    const handle = setTimeout(late, limit)
    return () => clearTimeout(handle)
  }
  const timer = Effect.runForkWith(parent.context)(Effect.map(clock.sleep(Duration.millis(limit)), late))
  return () => timer.interruptUnsafe()
}

/** How long, in milliseconds, the end of what was interrupted is waited for: a transport can be anybody's, and not end. */
export const grace = 1000

/**
 * Runs an effect for so many milliseconds at most; then interrupts it, waits a little for its end, and gives what `late`
 * says. `prepare` makes its context from the caller's.
 *
 * It does what `Effect.timeoutOrElse` does with fewer fibers.
 */
export const within = <A>(
  effect: Effect.Effect<A>,
  limit: number,
  late: () => A,
  prepare: (context: Context.Context<never>) => Context.Context<never> = identity
): Effect.Effect<A> =>
  Effect.withFiber((parent) =>
    Effect.callback<A>((resume) => {
      const fiber = Effect.runForkWith(prepare(parent.context))(effect)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return resume(exit)
      let isLate = false
      let cancel = after(parent, limit, () => {
        isLate = true
        cancel = after(parent, grace, () => resume(Effect.sync(late)))
        fiber.interruptUnsafe()
      })
      fiber.addObserver((exit) => {
        cancel()
        resume(isLate ? Effect.sync(late) : exit)
      })
      // its end cancels the timer
      return Fiber.interrupt(fiber)
    })
  )

/** A timeout after so many milliseconds, rounded up to whole ones. */
export const timeout = (limit: number): Timeout => {
  const millis = Math.ceil(limit)
  return new Timeout({ message: `no complete response within ${millis / 1000} s`, limit: Duration.millis(millis) })
}
