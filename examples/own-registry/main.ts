/** The same program over four transports, each with a service of its own. */
import { FetchTransport } from "@cloud-management/browser"
import { Client, Credentials } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { WebHandler } from "@cloud-management/service"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Keys, operations, program } from "./Keys.ts"
import * as KeyService from "./service.ts"

const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
const client = (baseUrl: string) => Layer.effect(Keys, Client.make(operations, { baseUrl, credentials }))

const inMemory = client("http://in-memory").pipe(
  Layer.provide(InMemoryTransport.layerService),
  Layer.provide(KeyService.layer)
)
/** Over a service on a free port of this machine. */
const socket = Layer.unwrap(Effect.map(HttpHost.HttpHost, ({ url }) => client(url))).pipe(
  Layer.provide(HttpHost.layer()),
  Layer.provide(KeyService.layer)
)
/** Straight into a web handler, as over HTTP/2: no header announces the body of a `Request`. */
const { dispose, handler } = WebHandler.make(KeyService.layer, { remoteAddress: () => "127.0.0.1" })
const webHandler = client("https://api.example.com").pipe(
  Layer.provide(FetchTransport.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.Fetch, (input, init) => handler(new Request(input, init))))
)

const transports = {
  "in memory": inMemory,
  undici: Layer.provide(socket, NodeTransport.layer),
  fetch: Layer.provide(socket, FetchTransport.layer),
  "web handler": webHandler
}

const main = Effect.forEach(Object.entries(transports), ([name, layer]) =>
  program(Fixtures.acme).pipe(
    Effect.provide(Layer.fresh(layer)),
    Effect.flatMap(({ again, left, pages }) =>
      Console.log(`${name.padEnd(12)}pages of ${pages.join(" and ")}, ${again}, left: ${left.join(", ")}`)
    )
  )
)
await Effect.runPromise(main)
await dispose()
