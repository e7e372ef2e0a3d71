import * as Clock from "effect/Clock"
import * as Fiber from "effect/Fiber"
import * as Faults from "@cloud-management/testing/Faults"

/** Milliseconds by the clock of the fiber that sends a request. */
const now = () => Fiber.getCurrent()?.getRef(Clock.Clock).currentTimeMillisUnsafe() ?? 0

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
