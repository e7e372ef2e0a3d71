import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Runs an effect for so many milliseconds at most; then interrupts it, waits for its end, and gives what `late` says.
 *
 * It does what `Effect.timeoutOrElse` does for half the price: the timer is a fiber that nothing waits for.
 */
export const within = <A>(effect: Effect.Effect<A>, limit: number, late: () => A): Effect.Effect<A> =>
  Effect.withFiber((parent) =>
    Effect.callback<A>((resume) => {
      const fork = Effect.runForkWith(parent.context)
      const fiber = fork(effect)
      let isLate = false
      const timer = fork(
        Effect.map(parent.getRef(Clock.Clock).sleep(Duration.millis(limit)), () => {
          isLate = true
          fiber.interruptUnsafe()
        })
      )
      fiber.addObserver((exit) => {
        timer.interruptUnsafe()
        resume(isLate ? Effect.sync(late) : exit)
      })
      return Effect.andThen(Fiber.interrupt(timer), Fiber.interrupt(fiber))
    })
  )
