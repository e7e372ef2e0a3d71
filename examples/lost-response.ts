/**
 * The response to a deletion is lost after the service did the work. The standard policy deletes again, and knows what the
 * 404 then means; with one attempt, the error says that nobody knows.
 */
import { CloudManagement, Credentials, Operations, Retry } from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer } from "effect"

const transport = InMemoryTransport.layer(Fixtures.seed).pipe(
  Faults.on(Operations.deleteApiKey, [Faults.Fault.DropAfterSend()])
)

const client = (retry: Partial<Retry.Retry>) =>
  CloudManagement.layer({
    baseUrl: "http://in-memory",
    credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
    retry
  }).pipe(Layer.provideMerge(transport))

const remove = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const service = yield* InMemoryTransport.InMemoryTransport
  const result = yield* cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id }).pipe(
    Effect.as("deleted"),
    Effect.catchTag("CallError", ({ outcome, reason }) => Effect.succeed(`${reason._tag}, outcome ${outcome}`))
  )
  const requests = yield* service.inputs(Operations.deleteApiKey)
  return `${result}; requests: ${requests.length}`
})

const program = Effect.gen(function* () {
  yield* Console.log(`standard policy: ${yield* remove.pipe(Effect.provide(client(Retry.standard)))}`)
  yield* Console.log(`one attempt: ${yield* remove.pipe(Effect.provide(client(Retry.none)))}`)
})

await Effect.runPromise(program)
