import { describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as ConformanceService from "@cloud-management/testing/ConformanceService"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

const statements = Conformance.cases("")

/** Each transport gets a service of its own, whose content the cases use up. */
const inMemory = InMemoryTransport.layerService.pipe(
  Layer.merge(Layer.succeed(HttpHost.HttpHost, { url: "http://in-memory" })),
  Layer.provide(ConformanceService.layer)
)
const socket = HttpHost.layer().pipe(Layer.provide(ConformanceService.layer))
const transports = {
  "in memory": inMemory,
  "undici over a socket": Layer.merge(NodeTransport.layer, Layer.fresh(socket)),
  "fetch over a socket": Layer.merge(FetchTransport.layer, Layer.fresh(socket))
}

for (const [transport, services] of Object.entries(transports)) {
  describe(`${transport}`, () => {
    layer(services, { excludeTestServices: true })((it) => {
      for (const [index, { name, section }] of statements.entries()) {
        it.effect(`${section}: ${name}`, () =>
          Effect.flatMap(HttpHost.HttpHost, ({ url }) => Conformance.cases(url)[index]?.effect ?? Effect.die(name))
        )
      }
    })
  })
}
