import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as ConformanceService from "@cloud-management/testing/ConformanceService"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as HttpClient from "effect/http/HttpClient"
import * as Routes from "../fixtures/Routes.ts"
import * as Program from "../fixtures/Program.ts"
import * as Bundle from "./Bundle.ts"
import * as Chromium from "./Chromium.ts"
import { browserProxy, edgeWorker } from "./examples.ts"
import * as FailureHost from "./FailureHost.ts"
import * as Failures from "./inside/failures.ts"
import * as Promises from "./inside/promises.ts"
import * as Uploads from "./inside/uploads.ts"
import * as PageHost from "./PageHost.ts"
import * as Process from "./Process.ts"
import { rotation } from "./rotation.ts"
import { run, type Result } from "./run.ts"
import * as UploadHost from "./UploadHost.ts"
import * as Workerd from "./Workerd.ts"

/** Cases in one runtime. */
export interface Row {
  readonly name: string
  /** What the machine would need; empty when it has all. */
  readonly lacks: string
  readonly results: Effect.Effect<ReadonlyArray<Result>, unknown, Scope.Scope | Chromium.Chromium>
}

const Results = Schema.Array(Schema.Struct({ name: Schema.String, failure: Schema.optionalKey(Schema.String) }))
const decode = Schema.decodeUnknownEffect(Results)
const parse = Schema.decodeEffect(Schema.fromJsonString(Results))

const bun = Process.binary("bun", "bin/bun")
const deno = Process.binary("deno", "deno")
const workerd = Process.binary("workerd", "bin/workerd")
const lack = (what: string, is: unknown) => (is === undefined || is === false ? what : "")
const lacksChromium = Program.absence("chromium") ?? ""

/** A service with fresh content on Node: its URL. */
const host = (corsOrigins?: ReadonlyArray<string>) =>
  Effect.map(
    Layer.build(HttpHost.layer().pipe(Layer.provide(ConformanceService.layerWith({ corsOrigins })), Layer.fresh)),
    (context) => HttpHost.HttpHost.pipe(Effect.provideContext(context))
  ).pipe(
    Effect.flatten,
    Effect.map(({ url }) => url)
  )

const conformance = (url: string, transport: Layer.Layer<HttpClient.HttpClient>) =>
  Effect.provide(run(Conformance.cases(url)), transport)

/** The cases from this process, over a transport. */
const inNode = (name: string, transport: Layer.Layer<HttpClient.HttpClient>): Row => ({
  name,
  lacks: "",
  results: Effect.flatMap(host(), (url) => conformance(url, transport))
})

/** The cases from this process, over the transport for Node on its way through something, which has to be taken. */
const throughNode = (name: string, route: (typeof Routes.routes)[string]): Row => ({
  name: `undici through ${name}`,
  lacks: "",
  results: Effect.gen(function* () {
    const taken = yield* Effect.flatMap(host(), route)
    const results = yield* conformance(taken.url, Routes.transport(taken))
    return taken.passed() > 0 ? results : [{ name: "the way", failure: `nothing came through ${name}` }]
  })
})

/** A service with fresh content beside a page with the cases: its URL. */
const pageHost = (challenge: boolean) =>
  Effect.gen(function* () {
    const script = yield* Bundle.make("inside/page.ts")
    const context = yield* Layer.build(Layer.fresh(PageHost.layer({ script, challenge })))
    return (yield* Effect.provideContext(HttpHost.HttpHost, context)).url
  })

/** What the cases in a page come to. */
const inside = (origin: string, parameters: Record<string, string>) =>
  Effect.gen(function* () {
    const { open } = yield* Chromium.Chromium
    const page = yield* open(`${origin}/page/?${new URLSearchParams(parameters)}`)
    return yield* decode(yield* Effect.tryPromise(() => page.evaluate(() => globalThis.results)))
  })

/** The cases from a page, whose own origin is that of the service or not. */
const inPage = (
  name: string,
  transport: "fetch" | "xhr",
  cases: "conformance" | "promises" | "page",
  sameOrigin: boolean
): Row => ({
  name,
  lacks: lacksChromium,
  results: Effect.gen(function* () {
    const url = yield* pageHost(transport === "fetch")
    const at = sameOrigin ? url : yield* host(cases === "page" ? undefined : [url])
    return yield* inside(url, { transport, cases, at })
  })
})

/** How each failure ends in a runtime, as the table in `docs/library/reliability.md` has it. */
const failures = (
  runtime: string,
  lacks: string,
  results: (plan: Failures.Plan) => Effect.Effect<ReadonlyArray<Result>, unknown, Scope.Scope | Chromium.Chromium>,
  service: Effect.Effect<string, unknown, Scope.Scope> = host()
): Row => ({
  name: `failures: ${runtime}`,
  lacks,
  results: Effect.gen(function* () {
    const places = yield* FailureHost.make(yield* service)
    return yield* results({ ...places, expected: FailureHost.expected(runtime) })
  })
})
const failuresInNode = (runtime: string, transport: Layer.Layer<HttpClient.HttpClient>): Row =>
  failures(runtime, "", (plan) => Effect.provide(run(Failures.cases(plan)), transport))
const failuresInPage = (runtime: string, transport: "fetch" | "xhr"): Row =>
  failures(
    runtime,
    lacksChromium,
    (plan) =>
      inside(plan.at, {
        transport,
        plan: JSON.stringify(plan),
        at: [plan.unknownHost, plan.refused, plan.distrusted].join(" ")
      }),
    pageHost(false)
  )

/** The service behind its web handler, asked from this process. */
const served = (
  name: string,
  lacks: string,
  url: Effect.Effect<string, unknown, Scope.Scope>,
  canServe: (statement: string) => boolean = () => true
): Row => ({
  name,
  lacks,
  results: Effect.flatMap(url, (url) =>
    Effect.provide(run(Conformance.cases(url).filter(({ name }) => canServe(name))), NodeTransport.layer)
  )
})

export const rows: ReadonlyArray<Row> = [
  {
    name: "in memory",
    lacks: "",
    results: conformance(
      "http://in-memory",
      InMemoryTransport.layerService.pipe(Layer.provide(ConformanceService.layer), Layer.orDie)
    )
  },
  inNode("undici", NodeTransport.layer),
  ...Object.entries(Routes.routes).map(([name, route]) => throughNode(name, route)),
  inNode("fetch in Node", FetchTransport.layer),
  {
    name: "fetch in Bun",
    lacks: lack("the binary of the npm package bun", bun),
    results: Effect.flatMap(host(), (url) => Effect.flatMap(Process.run(bun ?? "", "inside/script.ts", url), parse))
  },
  {
    name: "fetch in Deno",
    lacks: lack("the binary of the npm package deno", deno),
    results: Effect.flatMap(host(), (url) =>
      Effect.flatMap(Process.run(deno ?? "", "run", "--allow-net", "inside/script.ts", url), parse)
    )
  },
  {
    name: "fetch in workerd",
    lacks: lack("the binary of the npm package workerd", workerd),
    results: Effect.gen(function* () {
      const script = yield* Bundle.make("inside/worker.ts")
      const { url } = yield* Workerd.serve({ script, bindings: { BASE_URL: yield* host() } })
      return yield* parse(yield* Effect.promise(async () => (await fetch(url)).text()))
    })
  },
  {
    name: "promises in Node",
    lacks: "",
    results: Effect.flatMap(host(), (url) => Effect.provide(Promises.results(url), FetchTransport.layer))
  },
  {
    name: "promises in Bun",
    lacks: lack("the binary of the npm package bun", bun),
    results: Effect.flatMap(host(), (url) =>
      Effect.flatMap(Process.run(bun ?? "", "inside/script.ts", url, "promises"), parse)
    )
  },
  {
    name: "promises in Deno",
    lacks: lack("the binary of the npm package deno", deno),
    results: Effect.flatMap(host(), (url) =>
      Effect.flatMap(Process.run(deno ?? "", "run", "--allow-net", "inside/script.ts", url, "promises"), parse)
    )
  },
  {
    name: "promises in workerd",
    lacks: lack("the binary of the npm package workerd", workerd),
    results: Effect.gen(function* () {
      const script = yield* Bundle.make("inside/worker.ts")
      const { url } = yield* Workerd.serve({ script, bindings: { BASE_URL: yield* host(), PROMISES: "yes" } })
      return yield* parse(yield* Effect.promise(async () => (await fetch(url)).text()))
    })
  },
  {
    name: "uploads from Node",
    lacks: "",
    results: Effect.flatMap(UploadHost.make, Uploads.results)
  },
  {
    name: "uploads from Bun",
    lacks: lack("the binary of the npm package bun", bun),
    results: Effect.flatMap(UploadHost.make, (url) =>
      Effect.flatMap(Process.run(bun ?? "", "inside/script.ts", url, "uploads"), parse)
    )
  },
  {
    name: "uploads from Deno",
    lacks: lack("the binary of the npm package deno", deno),
    results: Effect.flatMap(UploadHost.make, (url) =>
      Effect.flatMap(Process.run(deno ?? "", "run", "--allow-net", "inside/script.ts", url, "uploads"), parse)
    )
  },
  {
    name: "uploads from workerd",
    lacks: lack("the binary of the npm package workerd", workerd),
    results: Effect.gen(function* () {
      const script = yield* Bundle.make("inside/worker.ts")
      const { url } = yield* Workerd.serve({ script, bindings: { UPLOADS: yield* UploadHost.make } })
      return yield* parse(yield* Effect.promise(async () => (await fetch(url)).text()))
    })
  },
  {
    name: "a key that changes, in workerd",
    lacks: lack("the binary of the npm package workerd", workerd),
    results: rotation
  },
  inPage("promises in Chromium, same origin", "fetch", "promises", true),
  inPage("promises in Chromium, other origin", "fetch", "promises", false),
  inPage("fetch in Chromium, same origin", "fetch", "conformance", true),
  inPage("fetch in Chromium, other origin", "fetch", "conformance", false),
  inPage("fetch in Chromium, what a page sees", "fetch", "page", false),
  inPage("XMLHttpRequest in Chromium, same origin", "xhr", "conformance", true),
  inPage("XMLHttpRequest in Chromium, other origin", "xhr", "conformance", false),
  inPage("XMLHttpRequest in Chromium, what a page sees", "xhr", "page", false),
  failuresInNode("undici", NodeTransport.layer),
  failuresInNode("fetch in Node", FetchTransport.layer),
  failures("fetch in Bun", lack("the binary of the npm package bun", bun), (plan) =>
    Effect.flatMap(Process.run(bun ?? "", "inside/script.ts", plan.at, JSON.stringify(plan)), parse)
  ),
  failures("fetch in Deno", lack("the binary of the npm package deno", deno), (plan) =>
    Effect.flatMap(
      Process.run(deno ?? "", "run", "--allow-net", "inside/script.ts", plan.at, JSON.stringify(plan)),
      parse
    )
  ),
  failures("fetch in workerd", lack("the binary of the npm package workerd", workerd), (plan) =>
    Effect.gen(function* () {
      const script = yield* Bundle.make("inside/worker.ts")
      const { url } = yield* Workerd.serve({ script, bindings: { PLAN: JSON.stringify(plan) } })
      return yield* parse(yield* Effect.promise(async () => (await fetch(url)).text()))
    })
  ),
  failuresInPage("fetch in Chromium", "fetch"),
  failuresInPage("XMLHttpRequest in Chromium", "xhr"),
  served(
    "web handler in Bun",
    lack("the binary of the npm package bun", bun),
    Process.serve(bun ?? "", "run", "inside/service.ts")
  ),
  served(
    "web handler in Deno",
    lack("the binary of the npm package deno", deno),
    Process.serve(deno ?? "", "serve", "--host", "127.0.0.1", "--port", "0", "--allow-net", "inside/service.ts"),
    // takes the length away, without which a 205 lasts until the connection ends (RFC 9112 §6.3)
    (statement) => !statement.includes("205")
  ),
  served(
    "web handler in workerd",
    lack("the binary of the npm package workerd", workerd),
    Effect.flatMap(Bundle.make("inside/service.ts"), (script) => Workerd.serve({ script })).pipe(
      Effect.map(({ url }) => url)
    )
  ),
  {
    name: "examples/browser-proxy in Chromium",
    lacks: lacksChromium,
    results: browserProxy
  },
  {
    name: "examples/edge-worker in workerd",
    lacks: lack("the binary of the npm package workerd", workerd),
    results: Effect.flatMap(host(), edgeWorker)
  }
]
