import { FetchTransport } from "@cloud-management/browser"
import { NodeTransport } from "@cloud-management/node"
import { HttpHost } from "@cloud-management/service/node"
import { Conformance, ConformanceService } from "@cloud-management/testing"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import * as Runtime from "./Runtime.ts"
import { browserProxy, edgeWorker } from "./examples.ts"
import * as FailureHost from "./FailureHost.ts"
import * as Task from "./inside/task.ts"
import * as PageHost from "./PageHost.ts"
import { rotation } from "./rotation.ts"
import { named, run, type Result } from "./run.ts"
import * as UploadHost from "./UploadHost.ts"

export interface Row {
  readonly name: string
  readonly isPage?: boolean
  readonly results: Results
}
type Results = Effect.Effect<ReadonlyArray<Result>, unknown, Scope.Scope | Runtime.Chromium>

const Outcome = Schema.Struct({ name: Schema.String, failure: Schema.optionalKey(Schema.String) })
const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Array(Outcome)))

const bun = Runtime.binary("bun", "bin/bun")
const deno = Runtime.binary("deno", "deno")

const urlOf = <E>(host: Layer.Layer<HttpHost.HttpHost, E>) =>
  Effect.map(Layer.build(Layer.fresh(host)), (context) => Context.get(context, HttpHost.HttpHost).url)
const host = (corsOrigins?: ReadonlyArray<string>) =>
  urlOf(HttpHost.layer().pipe(Layer.provide(ConformanceService.layerWith({ corsOrigins }))))

interface Place {
  readonly name: string
  readonly perform: (task: Task.Task) => Results
  /** Whether it gives a response before the whole request is sent: workerd does not, and Bun 1.4 not always. */
  readonly isEarly: boolean
}
const inProcess = (name: string, binary: string, isEarly: boolean, ...args: ReadonlyArray<string>): Place => ({
  name,
  isEarly,
  perform: (task) => Effect.flatMap(Runtime.run(binary, ...args, "inside/script.ts", JSON.stringify(task)), parse)
})
const places: ReadonlyArray<Place> = [
  { name: "Node", isEarly: true, perform: (task) => Effect.provide(Task.perform(task), FetchTransport.layer) },
  inProcess("Bun", bun, false),
  inProcess("Deno", deno, true, "run", "--allow-net"),
  {
    name: "workerd",
    isEarly: false,
    perform: Effect.fnUntraced(function* (task) {
      const script = yield* Runtime.bundle("inside/worker.ts")
      const { url } = yield* Runtime.serveWorker(script, { TASK: JSON.stringify(task) })
      return yield* parse(yield* Effect.promise(async () => (await fetch(url)).text()))
    })
  }
]

const failures = (runtime: string, service: Effect.Effect<string, unknown, Scope.Scope> = host()) =>
  Effect.map(Effect.flatMap(service, FailureHost.make), (places): Task.Task => ({
    cases: "failures",
    ...places,
    expected: FailureHost.expected(runtime)
  }))

const overFetch = places.flatMap(({ isEarly, name, perform }): ReadonlyArray<Row> => [
  { name: `fetch in ${name}`, results: Effect.flatMap(host(), (at) => perform({ cases: "conformance", at })) },
  { name: `promises in ${name}`, results: Effect.flatMap(host(), (at) => perform({ cases: "promises", at })) },
  {
    name: `uploads from ${name}`,
    results: Effect.flatMap(UploadHost.make, (at) => perform({ cases: "uploads", at, isEarly }))
  },
  { name: `failures: fetch in ${name}`, results: Effect.flatMap(failures(name), perform) }
])

/** A service with fresh content beside a page with the cases: its URL. */
const pageHost = Effect.flatMap(Runtime.bundle("inside/page.ts"), (script) => urlOf(PageHost.layer(script)))

const inChromium = (origin: string, task: Task.Task, at: string) =>
  Effect.gen(function* () {
    const { open } = yield* Runtime.Chromium
    const parameters = new URLSearchParams({ task: JSON.stringify(task), at })
    const page = yield* open(`${origin}/page/?${parameters}`)
    return yield* Effect.tryPromise(() => page.evaluate(() => globalThis.results))
  })

/** The cases from a page, whose own origin is that of the service or not. */
const inPage = (name: string, cases: "conformance" | "promises" | "page", sameOrigin: boolean): Row => ({
  name: `${cases === "promises" ? "promises" : "fetch"} in Chromium, ${name}`,
  isPage: true,
  results: Effect.gen(function* () {
    const url = yield* pageHost
    const at = sameOrigin ? url : yield* host(cases === "page" ? undefined : [url])
    return yield* inChromium(url, { cases, at }, at)
  })
})

const failuresInPage: Row = {
  name: "failures: fetch in Chromium",
  isPage: true,
  results: Effect.gen(function* () {
    const task = yield* failures("Chromium", pageHost)
    if (task.cases !== "failures") return []
    const places = [task.unknownHost, task.refused, task.distrusted].join(" ")
    return yield* inChromium(task.at, task, places)
  })
}

const served = (
  name: string,
  url: Effect.Effect<string, unknown, Scope.Scope>,
  canServe: (statement: string) => boolean = () => true
): Row => ({
  name: `web handler in ${name}`,
  results: Effect.flatMap(url, (url) =>
    Effect.provide(run(named(Conformance.cases(url).filter(({ name }) => canServe(name)))), NodeTransport.layer)
  )
})

/** Beside those of `packages/testing/test/Conformance.test.ts`: in memory, and over undici by every way. */
export const rows: ReadonlyArray<Row> = [
  {
    name: "failures: undici",
    results: Effect.flatMap(failures("undici"), (task) => Effect.provide(Task.perform(task), NodeTransport.layer))
  },
  ...overFetch,
  { name: "a key that changes, in workerd", results: rotation },
  ...(["conformance", "promises"] as const).flatMap((cases) => [
    inPage("same origin", cases, true),
    inPage("other origin", cases, false)
  ]),
  inPage("what a page sees", "page", false),
  failuresInPage,
  served("Bun", Runtime.serve(bun, "run", "inside/service.ts")),
  served(
    "Deno",
    Runtime.serve(deno, "serve", "--host", "127.0.0.1", "--port", "0", "--allow-net", "inside/service.ts"),
    // takes the length away, without which a 205 lasts until the connection ends (RFC 9112 §6.3)
    (statement) => !statement.includes("205")
  ),
  served(
    "workerd",
    Effect.flatMap(Runtime.bundle("inside/service.ts"), Runtime.serveWorker).pipe(Effect.map(({ url }) => url))
  ),
  { name: "examples/browser-proxy in Chromium", isPage: true, results: browserProxy },
  { name: "examples/edge-worker in workerd", results: Effect.flatMap(host(), edgeWorker) }
]
