/** A test of a login that fails: the client has a wrong secret (docs/library/testing.md). */
import { CloudManagement, Credentials } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const layer = CloudManagement.layer({
  baseUrl: "http://in-memory",
  credentials: Credentials.make(Fixtures.deployKey.id, "wrong")
}).pipe(Layer.provide(InMemoryTransport.layer(Fixtures.seed)))

it.effect("reports a wrong secret", () =>
  Effect.gen(function* () {
    const cloud = yield* CloudManagement.CloudManagement
    const error = yield* Effect.flip(cloud.organizations.list())
    expect(error).toMatchObject({ status: 401, outcome: "refused", reason: { _tag: "Unauthorized" } })
  }).pipe(Effect.provide(layer))
)
