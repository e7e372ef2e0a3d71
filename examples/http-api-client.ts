/**
 * The same contract through Effect's own `HttpApiClient`. It has no retries, deadlines, size limit or exact outcome of
 * a failed deletion: prefer `CloudManagement`.
 */
import * as Contract from "@cloud-management/client/Contract"
import { Api } from "@cloud-management/core/Contract"
import * as Credentials from "@cloud-management/client/Credentials"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer } from "effect"
import { HttpApiClient } from "effect/http-api"

const program = Effect.gen(function* () {
  const client = yield* HttpApiClient.make(Api, { baseUrl: "http://in-memory" })
  const { result } = yield* client.organizations.list()
  yield* Console.log(result[0].name)
  yield* client.apiKeys
    .delete({ params: { organizationId: Fixtures.acme, keyId: Fixtures.deployKey.id } })
    .pipe(Effect.catchTag("BadRequest", ({ message }) => Console.log(message)))
})

const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
const layer = Layer.merge(InMemoryTransport.layer(Fixtures.seed), Contract.layerAuthorization(credentials))

await Effect.runPromise(program.pipe(Effect.provide(layer)))
