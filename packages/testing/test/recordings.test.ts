import { expect, it, layer } from "../../../checks/fixtures/vitest.ts"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Arbitrary, Context, Effect, type Exit, Layer, Random, Schema } from "effect"
import { Credentials } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { HttpHost } from "@cloud-management/service/node"
import {
  Conformance,
  ConformanceService,
  Fixtures,
  InMemoryTransport,
  Recorder,
  VirtualTime
} from "@cloud-management/testing"
import { Fault, inject } from "@cloud-management/testing/Faults"
import type { HttpClient } from "effect/http"
import { folder, offline } from "./recorded.ts"

const { acme, deployKey, spareKeys } = Fixtures

const run = <E>(layer: Layer.Layer<CloudManagement.CloudManagement, E>, script: ReadonlyArray<boolean>, seed: string) =>
  Effect.gen(function* () {
    const { apiKeys, organizations } = Context.get(yield* Layer.build(layer), CloudManagement.CloudManagement)
    const remove = apiKeys.delete({ organizationId: acme, keyId: spareKeys.once.id })
    const timeline = VirtualTime.make()
    const calls = script.map((isRead): Effect.Effect<unknown, unknown> => (isRead ? organizations.list() : remove))
    return yield* Effect.forEach(calls, timeline.run)
  }).pipe(Random.withSeed(seed), Effect.scoped)

const faults = [
  ...(["None", "DropBeforeSend", "DropAfterSend", "Hang", "HangAfterSend"] as const).map((tag) => Fault[tag]()),
  ...(["Status", "StatusAfterSend"] as const).flatMap((tag) => [
    Fault[tag]({ status: 204 }),
    Fault[tag]({ status: 307, headers: { "x-request-id": "r-2" } }),
    Fault[tag]({ status: 404, body: "<p>Not here</p>" }),
    Fault[tag]({ status: 429, body: "", headers: { "retry-after": "2" } }),
    Fault[tag]({ status: 503, body: '{"status":503,"error":"BUSY: later","requestId":"r-1"}' }),
    Fault[tag]({ status: 200, body: "[1" })
  ]),
  ...[0, 1, 900, 9_999, 10_001].map((duration) => Fault.Delay({ duration })),
  ...["EPIPE", "ENOTFOUND", "CERT_HAS_EXPIRED"].flatMap((code) =>
    (["before-send", "after-send"] as const).map((when) => Fault.Break({ code, when }))
  ),
  ...[0, 1, 20, 10_000].flatMap((bytes) => [Fault.Truncate({ bytes }), Fault.Stall({ bytes })])
]
it.effect.prop(
  "a replay ends every call as it was recorded, and takes as long if that is asked for, whatever failed",
  {
    script: Arbitrary.array(Arbitrary.schema(Schema.Boolean), { minLength: 1, maxLength: 5 }),
    chosen: Arbitrary.array(Arbitrary.schema(Schema.Literals([...faults.keys()])), { minLength: 1, maxLength: 3 }),
    seed: Schema.Literals(["a", "b", "c"])
  },
  ({ chosen, script, seed }) =>
    Effect.gen(function* () {
      const { file } = yield* folder
      const failing = InMemoryTransport.layer(Fixtures.seed).pipe(inject(chosen.flatMap((i) => faults[i] ?? [])))
      const client = CloudManagement.layer({
        baseUrl: "http://in-memory",
        credentials: Credentials.make(deployKey.id, deployKey.secret)
      })
      const over = (transport: Layer.Layer<HttpClient.HttpClient>, options: Partial<Recorder.Options>) =>
        client.pipe(Layer.provide(Recorder.layer(transport, { file, ...options })), Layer.provide(NodeFileSystem.layer))
      const ends = ({ exit }: { readonly exit: Exit.Exit<unknown, unknown> }) => exit
      const recorded = yield* run(over(Layer.orDie(failing), { mode: "record" }), script, seed)
      expect(yield* run(over(offline, { mode: "replay", timing: "recorded" }), script, seed)).toEqual(recorded)
      const immediate = yield* run(over(offline, { mode: "replay" }), script, seed)
      expect(immediate.map(ends)).toEqual(recorded.map(ends))
    }).pipe(Effect.scoped),
  { arbitrary: { seed: "recordings", runs: 40 } }
)

layer(Layer.fresh(HttpHost.layer().pipe(Layer.provide(ConformanceService.layer))), { excludeTestServices: true })(
  (it) => {
    for (const [index, { name, section }] of Conformance.cases("").entries()) {
      it.effect(`hold while they are recorded, and in the replay: ${section}: ${name}`, function* () {
        const { file } = yield* folder
        const { url } = yield* HttpHost.HttpHost
        const { effect } = Conformance.cases(url)[index] ?? { effect: Effect.die(name) }
        for (const [mode, transport] of [
          ["record", NodeTransport.layer],
          ["replay", offline]
        ] as const) {
          yield* Effect.provide(
            effect,
            transport.pipe(Recorder.layer({ file, mode }), Layer.provide(NodeFileSystem.layer))
          )
        }
      })
    }
  }
)
