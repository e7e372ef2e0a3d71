/**
 * Failures, and how to say what to do about them. Every call fails with one error, `CallError`, whose `reason`
 * is exact for the operation.
 */
import { CloudManagement } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect } from "effect"

const remove = (keyId: typeof Fixtures.backupKey.id) =>
  Effect.flatMap(CloudManagement.CloudManagement, (cloud) =>
    cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId })
  )

/** One reason handled, the others left in the type. */
const removeIfPresent = (keyId: typeof Fixtures.backupKey.id) =>
  remove(keyId).pipe(
    Effect.as("deleted"),
    Effect.catchReason("CallError", "ApiKeyNotFound", () => Effect.succeed("was not there"))
  )

/** The reason in place of the error: tags that are handled leave the type. */
const removeOrExplain = (keyId: typeof Fixtures.backupKey.id) =>
  remove(keyId).pipe(
    Effect.as("deleted"),
    Effect.unwrapReason("CallError"),
    Effect.catchTag("BadRequest", ({ message }) => Effect.succeed(`refused: ${message}`))
  )

/** Every error has this, whatever its reason. */
const report = (keyId: typeof Fixtures.backupKey.id) =>
  remove(keyId).pipe(
    Effect.as("deleted"),
    Effect.catchTag("CallError", (error) =>
      Effect.succeed(
        `${error.operation}: ${error.reason._tag}, HTTP ${error.status}, attempts ${error.attempts}, ` +
          `outcome ${error.outcome}, worth another try: ${error.isRetryable}`
      )
    )
  )

const program = Effect.gen(function* () {
  yield* Console.log(yield* removeIfPresent(Fixtures.backupKey.id))
  yield* Console.log(yield* removeIfPresent(Fixtures.backupKey.id))
  yield* Console.log(yield* removeOrExplain(Fixtures.deployKey.id))
  yield* Console.log(yield* report(Fixtures.globexKey.id))
})

await Effect.runPromise(program.pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed))))
