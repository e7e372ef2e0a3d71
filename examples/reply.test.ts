/** A test with an operation of your own, which the test handles (docs/library/testing.md). */
import { CloudManagement, Envelope, Operation, Refusals } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

class BackupNotFound extends Refusals.make("BackupNotFound", 404) {}

const getBackup = Operation.make({
  group: "backups",
  name: "get",
  method: "GET",
  path: "/v1/backups/:backupId",
  summary: "Read a backup",
  params: Schema.Struct({ backupId: Schema.String }),
  success: Envelope.withResult(Schema.Struct({ bytes: Schema.Finite })),
  errors: [...Refusals.commonRefusals, BackupNotFound],
  annotations: { scope: "key", stability: "stable" }
})

it.effect("reads a backup, and misses another", () =>
  Effect.gen(function* () {
    const cloud = yield* CloudManagement.CloudManagement
    const service = yield* InMemoryTransport.InMemoryTransport
    yield* service.reply(getBackup, ({ backupId }) =>
      backupId === "monday"
        ? Effect.succeed({ bytes: 1024 })
        : Effect.fail(new BackupNotFound({ message: `NOT_FOUND: There is no backup ${backupId}` }))
    )
    const { result } = yield* cloud.execute(getBackup, { backupId: "monday" })
    expect(result.bytes).toBe(1024)
    const { reason } = yield* Effect.flip(cloud.execute(getBackup, { backupId: "sunday" }))
    expect(reason._tag).toBe("BackupNotFound")
    expect(yield* service.inputs(getBackup)).toEqual([{ backupId: "monday" }, { backupId: "sunday" }])
  }).pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed)))
)
