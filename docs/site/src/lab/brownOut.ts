import * as Clock from "effect/Clock"
import * as Fiber from "effect/Fiber"
import * as Faults from "@cloud-management/testing/Faults"

/** Milliseconds by the clock of the fiber that sends a request. */
const now = () => Fiber.getCurrent()?.getRef(Clock.Clock).currentTimeMillisUnsafe() ?? 0

/**
 * A service that serves one request after another, and for a time takes longer for each. Requests wait in a queue, those
 * too whose callers have given up. All in milliseconds.
 */
export function* brownOut(service: {
  readonly from: number
  readonly until: number
  /** Work of one request, and what it takes between `from` and `until`. */
  readonly work: number
  readonly slow: number
}): Generator<Faults.Fault> {
  let busyUntil = 0
  for (;;) {
    const isSlow = now() >= service.from && now() < service.until
    busyUntil = Math.max(busyUntil, now()) + (isSlow ? service.slow : service.work)
    yield Faults.Fault.Delay({ duration: busyUntil - now() })
  }
}
