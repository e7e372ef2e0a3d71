import { describe, expect, it, layer } from "../../../checks/fixtures/vitest.ts"
import { Effect, Exit, Layer, Tracer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { FetchTransport } from "@cloud-management/browser"
import { Client, Credentials, Operation } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { operations } from "@cloud-management/core/Operations"
import { NodeTransport } from "@cloud-management/node"
import { HttpHost } from "@cloud-management/service/node"
import { Conformance, ConformanceService, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import * as Routes from "./Routes.ts"

const statements = Conformance.cases("")

const called = new Set<string>()
const recording: Conformance.MakeClient = (operations, options) =>
  Client.make(operations, {
    ...options,
    log: (event) => Effect.sync(() => called.add("operation" in event ? event.operation : ""))
  })

/** Each transport gets a service of its own, whose content the cases use up. */
const inMemory = InMemoryTransport.layerService.pipe(
  Layer.merge(Layer.succeed(HttpHost.HttpHost, { url: "http://in-memory" })),
  Layer.provide(ConformanceService.layer)
)
const socket = HttpHost.layer().pipe(Layer.provide(ConformanceService.layer))
/** undici over a way of its own, which nothing bypasses. */
const byRoute = (route: (typeof Routes.routes)[string]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { url } = yield* HttpHost.HttpHost
      const taken = yield* route(url)
      yield* Effect.addFinalizer(() => Effect.sync(() => expect(taken.passed()).toBeGreaterThan(0)))
      return Layer.merge(taken.transport, Layer.succeed(HttpHost.HttpHost, { url: taken.url }))
    })
  ).pipe(Layer.provide(Layer.fresh(socket)))
/** Fails for a refusal, with the response in its error. */
const filtered = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, HttpClient.filterStatusOk)).pipe(
  Layer.provide(NodeTransport.layer)
)
const transports = {
  "in memory": inMemory,
  "undici over a socket": Layer.merge(NodeTransport.layer, Layer.fresh(socket)),
  "fetch over a socket": Layer.merge(FetchTransport.layer, Layer.fresh(socket)),
  "undici with filterStatusOk": Layer.merge(filtered, Layer.fresh(socket)),
  ...Object.fromEntries(
    Object.entries(Routes.routes).map(([name, route]) => [`undici through ${name}`, byRoute(route)] as const)
  )
}

for (const [transport, services] of Object.entries(transports)) {
  describe(`${transport}`, () => {
    layer(services, { excludeTestServices: true })((it) => {
      for (const [index, { name, section }] of statements.entries()) {
        it.effect(`${section}: ${name}`, () =>
          Effect.flatMap(
            HttpHost.HttpHost,
            ({ url }) => Conformance.cases(url, recording)[index]?.effect ?? Effect.die(name)
          )
        )
      }
    })
  })
}

it("each operation has a case", () => {
  const names = Object.values(operations).flatMap((group) => Object.values<Operation.Any>(group).map(Operation.nameOf))
  const missing = names.filter((name) => !called.has(name))
  expect(missing.map((name) => `${name}: call it in a case of packages/testing/src/Conformance.ts`)).toEqual([])
})

describe("Effect's own fetch layer is no transport", () => {
  layer(Layer.merge(FetchHttpClient.layer, Layer.fresh(socket)), { excludeTestServices: true })((it) => {
    it.effect("since it takes what a redirect leads to for the response", function* () {
      const { url } = yield* HttpHost.HttpHost
      const redirect = Conformance.cases(url).find(({ name }) => name.startsWith("the target of a redirect"))
      const exit = yield* Effect.exit(redirect?.effect ?? Effect.void)
      expect(Exit.isFailure(exit) && String(exit)).toContain("got ok")
    })

    it.effect("since it sends the headers of a trace", function* () {
      const { url } = yield* HttpHost.HttpHost
      const { id, secret } = Fixtures.deployKey
      const client = CloudManagement.layer({ baseUrl: `${url}/odd/headers`, credentials: Credentials.make(id, secret) })
      const [{ name = "" }] = yield* Effect.flatMap(CloudManagement.CloudManagement, (cloud) =>
        cloud.organizations.list()
      ).pipe(
        Effect.provide(Layer.provide(client, FetchHttpClient.layer)),
        Effect.provideService(Tracer.Tracer, Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }))
      )
      expect(name.split(" ")).toContain("traceparent")
    })
  })
})

it("the message of a mismatch crosses to another thread", () => {
  const error = new Conformance.Mismatch({ expected: "1", actual: "2" })
  expect([error.message, structuredClone(error).message]).toEqual(["expected 1, got 2", "expected 1, got 2"])
})
