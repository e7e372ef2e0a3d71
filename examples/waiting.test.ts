/** A test of "Provisioning, then Ready": minutes pass at once, because the clock is virtual (docs/library/testing.md). */
import { Waiting } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

it.effect("waits until the endpoint is ready", () =>
  Effect.gen(function* () {
    const service = yield* InMemoryTransport.InMemoryTransport
    yield* service.setStatus(Fixtures.endpoint, "Provisioning")
    const waiting = yield* Effect.forkChild(Waiting.waitUntil(Fixtures.endpoint))
    yield* TestClock.adjust("5 minutes")
    yield* service.setStatus(Fixtures.endpoint, "Ready")
    yield* TestClock.adjust("5 minutes")
    expect(yield* Fiber.join(waiting)).toMatchObject({ status: "Ready" })
  }).pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed)))
)
