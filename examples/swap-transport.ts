/**
 * One program, three transports: in memory, undici, fetch. Only the layer named in the call changes.
 */
import { FetchTransport } from "@cloud-management/browser"
import { CloudManagement, Credentials } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { ConformanceService, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer } from "effect"

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const endpoint = yield* cloud.reversePrivateEndpoints.get({
    organizationId: Fixtures.acme,
    serviceId: Fixtures.analytics,
    reversePrivateEndpointId: Fixtures.readyEndpoint
  })
  return endpoint.status
})

/** A service on a free port of this machine, so that the example needs nothing from outside. */
const main = Effect.gen(function* () {
  const { url } = yield* HttpHost.HttpHost
  const client = CloudManagement.layer({
    baseUrl: url,
    credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
  })
  for (const [name, transport] of [
    ["in memory", InMemoryTransport.layer(Fixtures.seed)],
    ["undici", NodeTransport.layer],
    ["fetch", FetchTransport.layer]
  ] as const) {
    const status = yield* program.pipe(Effect.provide(client.pipe(Layer.provide(transport))))
    yield* Console.log(`${name.padEnd(10)} ${status}`)
  }
})

await Effect.runPromise(main.pipe(Effect.provide(HttpHost.layer().pipe(Layer.provide(ConformanceService.layer)))))
