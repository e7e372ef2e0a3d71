/**
 * `npx node checks/main.ts bench:telemetry`: what reporting costs a call, in µs of CPU. A call whose work is nothing shows the cost of
 * reporting alone; the client over a transport that answers at once shows what it is a part of.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import type { Listener } from "@cloud-management/core/Event"
import * as Metrics from "@cloud-management/core/Metrics"
import type * as Operation from "@cloud-management/core/Operation"
import { listOrganizations } from "@cloud-management/core/Operations"
import { median } from "./percentile.ts"

/** Not exported: read from its source. */
const file = new URL("../../packages/core/src/internal/reporter.ts", import.meta.url)
const Reporter: typeof import("../../packages/core/src/internal/reporter.ts") = await import(file.href)

const rounds = 15
const callsPerRound = 10_000

const envelope = { result: [{ id: "a0000000-0000-4000-8000-000000000001", name: "Acme" }] }
const body = JSON.stringify({ status: 200, requestId: "r", ...envelope })
const instant = HttpClient.make((request) =>
  Effect.succeed(
    HttpClientResponse.fromWeb(request, new Response(body, { headers: { "content-length": String(body.length) } }))
  )
)
const call = async (metrics?: Listener) => {
  const client = CloudManagement.layer({
    baseUrl: "https://api.example.com",
    credentials: Credentials.make("key-id", "key-secret"),
    ...(metrics !== undefined && { metrics })
  }).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, instant)))
  const context = await Effect.runPromise(Effect.scoped(Layer.build(client)))
  return Context.get(context, CloudManagement.CloudManagement).organizations.list()
}

const [organization] = await Effect.runPromise(await call())
const value: Operation.Success<typeof listOrganizations> = { result: [organization] }
const exchange = { value, status: 200, headers: Headers.empty, requestId: undefined }
const ended = Effect.succeed({ head: undefined, outcome: "unknown" as const, result: Result.succeed(exchange) })
const reported = (metrics?: Listener) => {
  const reporter = Reporter.make(listOrganizations, "https://api.example.com", metrics)
  return reporter.call(() => reporter.attempt(0, "https://api.example.com/v1/organizations", String, () => ended))
}

const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
const variants: ReadonlyArray<readonly [name: string, call: Effect.Effect<unknown, unknown>, listens: boolean]> = [
  ["nothing", ended, false],
  ["nothing, reported to nobody", reported(), false],
  ["nothing, counted in metrics", reported(Metrics.effect), false],
  ["nothing, reported to a tracer", reported(), true],
  ["a call, reported to nobody", await call(), false],
  ["a call, counted in metrics", await call(Metrics.effect), false],
  ["a call, reported to a tracer", await call(), true]
]

const measure = async (call: Effect.Effect<unknown, unknown>, listens: boolean) => {
  let left = callsPerRound
  const all = Effect.whileLoop({ while: () => left-- > 0, body: () => call, step: () => {} })
  const start = process.cpuUsage()
  await Effect.runPromise(listens ? Effect.provideService(all, Tracer.Tracer, tracer) : all)
  const { system, user } = process.cpuUsage(start)
  return (user + system) / callsPerRound
}

const costs = new Map(variants.map(([name]) => [name, [] as Array<number>]))
for (let round = 0; round < rounds; round++) {
  for (const [name, call, listens] of variants) costs.get(name)?.push(await measure(call, listens))
}
for (const [name, all] of costs) {
  console.log(`${name.padEnd(30)} ${median(all).toFixed(2).padStart(6)} µs`)
}
