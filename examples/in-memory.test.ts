/** A test of a program that uses the client: the real routes of the service, in memory, under a virtual clock. */
import { CloudManagement, Credentials, Retry } from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

/** The program under test: removes a key, whether or not it is still there. */
const revoke = Effect.fn("revoke")(function* (keyId: typeof Fixtures.backupKey.id) {
  const cloud = yield* CloudManagement.CloudManagement
  const [organization] = yield* cloud.organizations.list()
  return yield* cloud.apiKeys.delete({ organizationId: organization.id, keyId }).pipe(
    Effect.as("revoked"),
    Effect.catchReason("CloudError", "ApiKeyNotFound", () => Effect.succeed("already gone"))
  )
})

it.effect("revokes a key once", () =>
  Effect.gen(function* () {
    expect(yield* revoke(Fixtures.backupKey.id)).toBe("revoked")
    expect(yield* revoke(Fixtures.backupKey.id)).toBe("already gone")
  }).pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed)))
)

it.effect("tells when the service is away", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(revoke(Fixtures.backupKey.id))
    expect(error).toMatchObject({ isRetryable: true, reason: { _tag: "ServiceUnavailable" } })
  }).pipe(Effect.provide(away))
)

const away = CloudManagement.layer({
  baseUrl: "http://in-memory",
  credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
  retry: Retry.none
}).pipe(
  Layer.provide(InMemoryTransport.layer(Fixtures.seed).pipe(Faults.inject([Faults.Fault.Status({ status: 503 })])))
)
