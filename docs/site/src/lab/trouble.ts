import * as Clock from "effect/Clock"
import * as Fiber from "effect/Fiber"
import * as Faults from "@cloud-management/testing/Faults"

/** Each request takes 40 ms to the service and back. */
export function* way(): Generator<Faults.Fault> {
  for (;;) yield Faults.Fault.Delay({ duration: 40 })
}

/** Milliseconds by the clock of the fiber that sends a request. */
const now = () => Number(Fiber.getCurrent()?.getRef(Clock.Clock).monotonicTimeNanosUnsafe() ?? 0n) / 1e6

/** A node is dead for a time, in milliseconds: every `every`th request that is sent meanwhile goes there, and fails. */
export function* outage(node: {
  readonly from: number
  readonly until: number
  readonly every: number
  readonly fault: Faults.Fault
}): Generator<Faults.Fault> {
  for (let sent = 1; ; sent++) {
    const isDead = now() >= node.from && now() < node.until
    yield isDead && sent % node.every === 0 ? node.fault : Faults.Fault.None()
  }
}

/**
 * A service that serves one request after another, and for a time takes longer for each. Requests wait in a queue, those
 * too whose callers have given up; one that would wait too long gets a 503. All in milliseconds.
 */
export function* queue(service: {
  readonly from: number
  readonly until: number
  /** Work of one request, and what it takes between `from` and `until`. */
  readonly work: number
  readonly slow: number
  readonly longest: number
}): Generator<Faults.Fault> {
  let busyUntil = 0
  for (;;) {
    const isSlow = now() >= service.from && now() < service.until
    const end = Math.max(busyUntil, now()) + (isSlow ? service.slow : service.work)
    if (end - now() > service.longest) yield Faults.Fault.Status({ status: 503 })
    else {
      busyUntil = end
      yield Faults.Fault.Delay({ duration: end - now() })
    }
  }
}
