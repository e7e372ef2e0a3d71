import { describe, expect, it, layer } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { CallError } from "@cloud-management/client/CallError"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import { listOrganizations } from "@cloud-management/core/Operations"
import * as Retry from "@cloud-management/client/Retry"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as ConformanceService from "@cloud-management/testing/ConformanceService"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Recorder from "@cloud-management/testing/Recorder"
import * as VirtualTime from "@cloud-management/testing/VirtualTime"
import { folder, offline } from "./recorded.ts"

const { acme, analytics, deployKey, readyEndpoint, spareKeys } = Fixtures
const { Fault } = Faults
type Cloud = CloudManagement.CloudManagement["Service"]

const connect = <E>(transport: Layer.Layer<HttpClient.HttpClient, E>, options: Recorder.Options, baseUrl: string) =>
  Effect.map(
    Layer.build(
      CloudManagement.layer({ baseUrl, credentials: Credentials.make(deployKey.id, deployKey.secret) }).pipe(
        Layer.provide(transport.pipe(Recorder.layer(options))),
        Layer.provide(NodeFileSystem.layer)
      )
    ),
    Context.get(CloudManagement.CloudManagement)
  )

/** What a program sees of the end of a call. */
const ending = <A>(exit: Exit.Exit<A, CallError<{ readonly _tag: string; readonly message: string }>>) => {
  if (Exit.isSuccess(exit)) return JSON.stringify(exit.value)
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return Cause.pretty(exit.cause)
  const { attempts, isRetryable, outcome, reason, requestId, status } = error
  return JSON.stringify({
    attempts,
    isRetryable,
    outcome,
    reason: { ...reason, text: reason.message },
    requestId,
    status
  })
}

/** The calls of the demo. */
const calls: Readonly<
  Record<
    string,
    (cloud: Cloud) => Effect.Effect<unknown, CallError<{ readonly _tag: string; readonly message: string }>>
  >
> = {
  list: (cloud) => cloud.organizations.list(),
  get: (cloud) =>
    cloud.reversePrivateEndpoints.get({
      organizationId: acme,
      serviceId: analytics,
      reversePrivateEndpointId: readyEndpoint
    }),
  delete: (cloud) => cloud.apiKeys.delete({ organizationId: acme, keyId: spareKeys.once.id }),
  exchange: (cloud) => cloud.exchange(listOrganizations, {})
}
const names = Object.keys(calls)

/** The ends of calls, one after the other, and how long each took. */
const run = (cloud: Cloud, script: ReadonlyArray<string>, seed: string) =>
  Effect.gen(function* () {
    const timeline = VirtualTime.make()
    const ends: Array<readonly [end: string, elapsed: number]> = []
    for (const name of script) {
      const { elapsed, exit } = yield* timeline.run(calls[name]?.(cloud) ?? Effect.die(name))
      ends.push([ending(exit), Math.round(elapsed)])
    }
    return ends
  }).pipe(Random.withSeed(seed))

const faults = Schema.Array(
  Schema.Union([
    Schema.Struct({ _tag: Schema.Literals(["None", "DropBeforeSend", "DropAfterSend", "Hang", "HangAfterSend"]) }),
    Schema.Struct({
      _tag: Schema.Literals(["Status", "StatusAfterSend"]),
      status: Schema.Literals([200, 204, 303, 307, 404, 408, 429, 500, 502, 503]),
      body: Schema.Literals(["", "<p>Not here</p>", '{"status":503,"error":"BUSY: later","requestId":"r-1"}', "[1"]),
      headers: Schema.Literals(["", "retry-after: 2", "x-request-id: r-2"])
    }),
    Schema.Struct({ _tag: Schema.Literal("Delay"), millis: Schema.Literals([0, 1, 900, 9_999, 10_001]) }),
    Schema.Struct({
      _tag: Schema.Literal("Break"),
      code: Schema.Literals(["EPIPE", "ENOTFOUND", "CERT_HAS_EXPIRED"]),
      when: Schema.Literals(["before-send", "after-send"])
    }),
    Schema.Struct({ _tag: Schema.Literals(["Truncate", "Stall"]), bytes: Schema.Literals([0, 1, 20, 10_000]) })
  ])
)
const scripted = (script: typeof faults.Type): ReadonlyArray<Faults.Fault> =>
  script.map((fault): Faults.Fault => {
    if ("status" in fault) {
      const { _tag, headers, status } = fault
      const [name = "", value = ""] = headers.split(": ")
      const body = status === 204 ? {} : { body: fault.body }
      return Fault[_tag]({ status, ...body, headers: name === "" ? {} : { [name]: value } })
    }
    if ("millis" in fault) return Fault.Delay({ duration: Duration.millis(fault.millis) })
    if ("code" in fault) return Fault.Break(fault)
    if ("bytes" in fault) return Fault[fault._tag](fault)
    return Fault[fault._tag]()
  })

describe("a replay", () => {
  it.effect.prop(
    "ends every call as it was recorded, and takes as long if that is asked for, whatever failed",
    {
      script: Arbitrary.array(Arbitrary.schema(Schema.Literals(names)), { minLength: 1, maxLength: 5 }),
      faults: Arbitrary.array(Arbitrary.schema(faults), { minLength: 1, maxLength: 3 }),
      seed: Schema.Literals(["a", "b", "c"])
    },
    ({ faults, script, seed }) =>
      Effect.gen(function* () {
        const { file } = yield* folder
        const transport = InMemoryTransport.layer(Fixtures.seed).pipe(Faults.inject(faults.flatMap(scripted)))
        const url = "http://in-memory"
        const recorded = yield* Effect.scoped(
          Effect.flatMap(connect(Layer.orDie(transport), { file, mode: "record" }, url), (cloud) =>
            run(cloud, script, seed)
          )
        )
        const replay = (timing: "immediate" | "recorded") =>
          Effect.scoped(
            Effect.flatMap(connect(offline, { file, mode: "replay", timing, unused: "fail" }, url), (cloud) =>
              run(cloud, script, seed)
            )
          )
        expect(yield* replay("recorded")).toEqual(recorded)
        const ends = (all: typeof recorded) => all.map(([end]) => end)
        expect(ends(yield* replay("immediate"))).toEqual(ends(recorded))
      }).pipe(Effect.scoped),
    { arbitrary: { seed: "recordings", runs: 40 }, timeout: 120_000 }
  )
})

describe("a failed connection", () => {
  it.effect.each([
    ["connect", "not-sent"],
    ["read", "unknown"]
  ])("whose call %s failed has the outcome %s, when it is recorded and in the replay", ([syscall, outcome]) =>
    Effect.gen(function* () {
      const { file } = yield* folder
      const code = "EHOSTUNREACH"
      const failing = Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) => {
          const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
          const reason = new HttpClientError.TransportError({ request, cause })
          return Effect.fail(new HttpClientError.HttpClientError({ reason }))
        })
      )
      const run = (transport: Layer.Layer<HttpClient.HttpClient>, mode: Recorder.Mode) =>
        Effect.scoped(
          Effect.flatMap(connect(transport, { file, mode }, "http://service.example"), (cloud) =>
            Effect.flip(Retry.within(cloud.organizations.list(), Retry.none))
          )
        )
      const recorded = yield* run(failing, "record")
      expect(recorded.outcome).toBe(outcome)
      expect((yield* run(offline, "replay")).outcome).toBe(outcome)
    })
  )
})

const socket = HttpHost.layer().pipe(Layer.provide(ConformanceService.layer))

/** The conformance cases in two runs, with a cassette for each case. */
describe("the conformance cases", () => {
  const statements = Conformance.cases("")
  const wrapped = (options: Recorder.Options) => {
    const transport = options.mode === "record" ? NodeTransport.layer : offline
    return transport.pipe(Recorder.layer(options), Layer.provide(NodeFileSystem.layer))
  }
  layer(Layer.fresh(socket), { excludeTestServices: true })((it) => {
    for (const [index, { name, section }] of statements.entries()) {
      it.effect(`hold while they are recorded, and in the replay: ${section}: ${name}`, () =>
        Effect.gen(function* () {
          const { file } = yield* folder
          const { url } = yield* HttpHost.HttpHost
          const { effect } = Conformance.cases(url)[index] ?? { effect: Effect.die(name) }
          yield* Effect.provide(effect, wrapped({ file, mode: "record" }))
          yield* Effect.provide(effect, wrapped({ file, mode: "replay" }))
        })
      )
    }
  })
})
