import { describe, layer } from "@effect/vitest"
import * as Layer from "effect/Layer"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as ConformanceService from "@cloud-management/testing/ConformanceService"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

const transports = {
  "in memory": InMemoryTransport.layerService.pipe(Layer.provide(ConformanceService.layer))
}

for (const [name, transport] of Object.entries(transports)) {
  describe(`the ${name} transport conforms`, () => {
    layer(transport, { excludeTestServices: true })((it) => {
      for (const { effect, name, section } of Conformance.cases("http://in-memory")) {
        it.effect(`${section}: ${name}`, () => effect)
      }
    })
  })
}
