/** The same program over three transports: in memory, undici, fetch. Each has a service of its own. */
import { FetchTransport } from "@cloud-management/browser"
import { Client, Credentials } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer } from "effect"
import { Keys, operations, program } from "./Keys.ts"
import * as KeyService from "./service.ts"

const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
export const client = (baseUrl: string) => Layer.effect(Keys, Client.make(operations, { baseUrl, credentials }))

const inMemory = client("http://in-memory").pipe(
  Layer.provide(InMemoryTransport.layerService),
  Layer.provide(KeyService.layer)
)
/** Over a service on a free port of this machine. */
const socket = Layer.unwrap(Effect.map(HttpHost.HttpHost, ({ url }) => client(url))).pipe(
  Layer.provide(HttpHost.layer()),
  Layer.provide(KeyService.layer)
)

export const transports = {
  "in memory": inMemory,
  undici: Layer.provide(socket, NodeTransport.layer),
  fetch: Layer.provide(socket, FetchTransport.layer)
}

if (import.meta.main) {
  const main = Effect.forEach(Object.entries(transports), ([name, layer]) =>
    program(Fixtures.acme).pipe(
      Effect.provide(Layer.fresh(layer)),
      Effect.flatMap(({ left }) => Console.log(`${name.padEnd(10)} ${left.join(", ")}`))
    )
  )
  await Effect.runPromise(main)
}
