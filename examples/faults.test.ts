/** A test of a fault: the response to a deletion is lost, and the client deletes again (docs/library/testing.md). */
import { CloudManagement, Credentials, Operations } from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const faulty = InMemoryTransport.layer(Fixtures.seed).pipe(
  Faults.on(Operations.deleteApiKey, [Faults.Fault.DropAfterSend()])
)
const layer = CloudManagement.layer({
  baseUrl: "http://in-memory",
  credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
}).pipe(Layer.provideMerge(faulty))

it.effect("deletes again after a lost response", () =>
  Effect.gen(function* () {
    const cloud = yield* CloudManagement.CloudManagement
    const service = yield* InMemoryTransport.InMemoryTransport
    const key = { organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id }
    const deletion = yield* Effect.forkChild(cloud.apiKeys.delete(key))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(deletion)
    expect(yield* service.inputs(Operations.deleteApiKey)).toEqual([key, key])
  }).pipe(Effect.provide(layer))
)
