/**
 * An operation of your own: an operation is a value, and `execute` runs any. Here the endpoint read of a service that
 * spells the path's segment otherwise, with a field that only it has.
 */
import { CloudManagement, Envelope, Operation, Operations, ReversePrivateEndpoint } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Schema } from "effect"

const getEndpoint = Operation.make({
  ...Operations.getReversePrivateEndpoint,
  path: "/v1/organizations/:organizationId/services/:serviceId/endpoints/:reversePrivateEndpointId",
  success: Envelope.withResult(
    Schema.Struct({ ...ReversePrivateEndpoint.ReversePrivateEndpoint.fields, region: Schema.String })
  )
})

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const { result } = yield* cloud.execute(getEndpoint, Fixtures.endpoint)
  yield* Console.log(`${result.status} in ${result.region}`)
})

/** Stands for that other service. */
const otherService = Effect.flatMap(InMemoryTransport.InMemoryTransport, ({ reply }) =>
  reply(getEndpoint, () => Effect.succeed({ id: Fixtures.readyEndpoint, status: "Ready", region: "eu-west-1" }))
)

await Effect.runPromise(
  Effect.andThen(otherService, program).pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed)))
)
