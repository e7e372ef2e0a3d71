/** Tests of a program that waits, deletes and has an operation of its own, with the handle of the service in memory. */
import {
  CloudError,
  CloudManagement,
  Credentials,
  Envelope,
  Operation,
  Operations,
  Retry,
  Waiting
} from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

const { CloudManagement: Cloud } = CloudManagement
const { InMemoryTransport: Service } = InMemoryTransport
const layer = InMemoryTransport.layerTest(Fixtures.seed)

it.effect("setStatus", () =>
  Effect.gen(function* () {
    const service = yield* Service
    yield* service.setStatus(Fixtures.endpoint, "Provisioning")
    const waiting = yield* Effect.forkChild(Waiting.waitUntil(Fixtures.endpoint))
    yield* TestClock.adjust("5 minutes")
    yield* service.setStatus(Fixtures.endpoint, "Ready")
    yield* TestClock.adjust("5 minutes")
    expect(yield* Fiber.join(waiting)).toMatchObject({ status: "Ready" })
  }).pipe(Effect.provide(layer))
)

it.effect("keys", () =>
  Effect.gen(function* () {
    const service = yield* Service
    const key = yield* service.addKey(Fixtures.acme)
    const cloud = yield* CloudManagement.make({
      baseUrl: "http://in-memory",
      credentials: Credentials.make(key.id, key.secret)
    })
    expect(yield* cloud.organizations.list()).toHaveLength(1)
    yield* service.removeKey(key.id)
    expect((yield* Effect.flip(cloud.organizations.list())).reason._tag).toBe("Unauthorized")
  }).pipe(Effect.provide(layer))
)

const getBackup = Operation.make({
  group: "backups",
  name: "get",
  method: "GET",
  path: "/v1/backups/:backupId",
  summary: "Read a backup",
  params: Schema.Struct({ backupId: Schema.String }),
  success: Envelope.withResult(Schema.Struct({ bytes: Schema.Finite })),
  errors: CloudError.commonRefusals,
  scope: "key",
  stability: "stable"
})

it.effect("reply", () =>
  Effect.gen(function* () {
    const [cloud, service] = [yield* Cloud, yield* Service]
    yield* service.reply(getBackup, ({ backupId }) => Effect.succeed({ bytes: backupId.length }))
    expect((yield* cloud.execute(getBackup, { backupId: "monday" })).result).toEqual({ bytes: 6 })
    expect(yield* service.inputs(getBackup)).toEqual([{ backupId: "monday" }])
    expect(yield* service.requests).toMatchObject([{ operation: "backups.get", path: "/v1/backups/monday" }])
    expect(JSON.stringify(yield* service.requests)).not.toContain(
      btoa(`${Fixtures.deployKey.id}:${Fixtures.deployKey.secret}`)
    )
  }).pipe(Effect.provide(layer))
)

const faulty = InMemoryTransport.layer(Fixtures.seed).pipe(
  Faults.on(Operations.deleteApiKey, [Faults.Fault.DropAfterSend()])
)
const cloud = CloudManagement.layer({
  baseUrl: "http://in-memory",
  credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
  retry: Retry.standard
})

it.effect("faults", () =>
  Effect.gen(function* () {
    const [cloud, service] = [yield* Cloud, yield* Service]
    const key = { organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id }
    const deletion = yield* Effect.forkChild(cloud.apiKeys.delete(key))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(deletion)
    expect(yield* service.inputs(Operations.deleteApiKey)).toEqual([key, key])
  }).pipe(Effect.provide(Layer.provideMerge(cloud, faulty)))
)
