/**
 * An operation of your own: an operation is a value, and `execute` runs any. Here the endpoint read of a service that
 * spells the path's segment otherwise, with a field that only it has.
 */
import {
  CloudManagement,
  Credentials,
  Envelope,
  Operation,
  Operations,
  ReversePrivateEndpoint
} from "@cloud-management/core"
import { Fixtures } from "@cloud-management/testing"
import { Console, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const getEndpoint = Operation.make({
  ...Operations.getReversePrivateEndpoint,
  path: "/v1/organizations/:organizationId/services/:serviceId/endpoints/:reversePrivateEndpointId",
  success: Envelope.withResult(
    Schema.Struct({ ...ReversePrivateEndpoint.ReversePrivateEndpoint.fields, region: Schema.String })
  )
})

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const { requestId, result } = yield* cloud.execute(getEndpoint, {
    organizationId: Fixtures.acme,
    serviceId: Fixtures.analytics,
    reversePrivateEndpointId: Fixtures.readyEndpoint
  })
  yield* Console.log(`${result.status} in ${result.region} (request ${requestId})`)
})

/** Stands for that other service. */
const otherService = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        url.pathname.includes("/endpoints/")
          ? Response.json({
              status: 200,
              requestId: "req-1",
              result: { id: Fixtures.readyEndpoint, status: "Ready", region: "eu-west-1" }
            })
          : new Response("no such path", { status: 404 })
      )
    )
  )
)

const layer = CloudManagement.layer({
  baseUrl: "https://other.example.com",
  credentials: Credentials.make("key-id", "key-secret")
}).pipe(Layer.provide(otherService))

await Effect.runPromise(program.pipe(Effect.provide(layer)))
