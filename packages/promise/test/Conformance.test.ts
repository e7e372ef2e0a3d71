import { describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { FetchTransport } from "@cloud-management/browser"
import { HttpHost } from "@cloud-management/service/node"
import { Conformance, ConformanceService } from "@cloud-management/testing"
import * as OverFetch from "../src/index.ts"
import * as OverUndici from "../src/node.ts"
import * as EffectClient from "../../../checks/fixtures/EffectClient.ts"

class Cases extends Context.Service<Cases, ReadonlyArray<Conformance.Case>>()("Cases") {}

const socket = HttpHost.layer().pipe(Layer.provide(ConformanceService.layer), Layer.fresh)

for (const [name, { Client }] of Object.entries({ undici: OverUndici, fetch: OverFetch })) {
  const cases = Layer.effect(
    Cases,
    Effect.gen(function* () {
      const { url } = yield* HttpHost.HttpHost
      return Conformance.cases(url, yield* EffectClient.make(Client))
    })
  ).pipe(Layer.provide(socket), Layer.provideMerge(FetchTransport.layer))
  describe(`promises over ${name}`, () => {
    layer(cases, { excludeTestServices: true })((it) => {
      for (const [index, { name, section }] of Conformance.cases("").entries()) {
        it.effect(`${section}: ${name}`, () =>
          Effect.flatMap(Cases, (cases) => cases[index]?.effect ?? Effect.die(name))
        )
      }
    })
  })
}
