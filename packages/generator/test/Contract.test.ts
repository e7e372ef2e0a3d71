import { beforeAll, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Body, type Client, Operation } from "@cloud-management/client"
import * as Contract from "@cloud-management/client/Contract"
import { commonRefusals } from "@cloud-management/core/Refusals"
import { operations as ours } from "@cloud-management/core/Operations"
import { Echo, Fixtures } from "@cloud-management/testing"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import type { HttpClient } from "effect/http"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ClientConstructor } from "../../promise/src/Client.ts"
import { Client as PromiseClient } from "../../promise/src/node.ts"
import * as Telemetry from "../../client/test/Recorder.ts"
import * as Recorded from "../../testing/test/recorded.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

const said = Operation.make({
  id: "said.all",
  group: "said",
  name: "all",
  method: "GET",
  path: "/v1/said",
  summary: "Say everything",
  description: "More for people.",
  deprecated: true,
  annotations: { stability: "beta" },
  security: [],
  success: Echo.operations.echo.head.success,
  errors: commonRefusals
})

const redirect = Operation.make({
  ...said,
  id: "said.redirect",
  name: "redirect",
  path: "/v1/elsewhere",
  success: Body.redirect(302)
})

const { multipart } = Echo.operations.kinds
const typed = Operation.make({
  ...multipart,
  id: "said.typed",
  group: "said",
  name: "typed",
  path: "/v1/typed",
  payload: Body.multipart(multipart.payload.schema, Body.partTypes({ title: "text/markdown" }))
})

const registry = { ...Echo.registry, said: { all: said, redirect, typed } }

/** A user's program over what is generated, which is compiled with it. */
interface Program {
  readonly promised: (Promises: ClientConstructor, fetch: (url: string) => Promise<Response>) => Promise<unknown>
  readonly waited: (http: HttpClient.HttpClient) => Effect.Effect<string, unknown>
}
const program = `
import * as Client from "@cloud-management/client/Client"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Metrics from "@cloud-management/client/Metrics"
import * as Operation from "@cloud-management/client/Operation"
import * as Waiting from "@cloud-management/core/Waiting"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { ClientConstructor } from "../../../promise/src/Client.ts"
import { operations } from "./index.ts"

const baseUrl = "http://service.example"

export const promised = async (Promises: ClientConstructor, fetch: (url: string) => Promise<Response>): Promise<unknown> => {
  await using cloud = new Promises({ operations, baseUrl, credentials: Credentials.make("key", "key-secret"), fetch })
  const numbers: Array<number> = []
  for await (const number of cloud.echo.byCursor.items()) numbers.push(number)
  const [organization] = await cloud.organizations.list()
  const createdAt: Date | undefined = organization?.createdAt
  return { numbers, createdAt }
}

export const waited = (http: HttpClient.HttpClient): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const query = Operation.make({ ...operations.echo.query, group: "things", name: "find" })
    const credentials = Credentials.make("key", "key-secret")
    const api = { ...operations, things: { find: query } }
    const client = yield* Client.make(api, { baseUrl, credentials, metrics: Metrics.effect })
    const ready = client.things.find({ query: { text: "a" } }).pipe(
      Waiting.poll({ until: ({ text }) => text === "ready", every: 0 })
    )
    return (yield* ready).text ?? ""
  }).pipe(Effect.provideService(HttpClient.HttpClient, http))
`

const folder = Folder.ofFile()
let module: Generated.Module
let own: Generated.Module
beforeAll(async () => {
  const generated = Generated.of(JSON.parse(JSON.stringify(OpenApi.fromApi(Contract.make(registry)))))
  expect(generated.omitted).toEqual([])
  Generated.write(folder, generated)
  writeFileSync(join(folder, "program.ts"), program)
  module = await Generated.load(folder)
  const document = Generated.of(readFileSync(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8"))
  expect(document).toMatchObject({ omitted: [], warnings: [] })
  Generated.write(join(folder, "own"), document)
  own = await Generated.load(join(folder, "own"))
})

const keysOf = (schema: unknown, repeat?: Operation.Any["repeat"]): unknown => {
  const fields: unknown = Reflect.get(Object(schema), "fields")
  const left = typeof repeat === "object" ? repeat.header : undefined
  const names = Object.keys(Object(fields)).filter((name) => name !== left)
  return names.length === 0 ? undefined : names.sort()
}

const stylesOf = ({ styles }: { readonly styles?: object | undefined } = {}) =>
  Object.fromEntries(Object.entries(styles ?? {}).map(([name, { explode, style }]) => [name, [style, explode]]))

const contentOf = (body: Body.Payload | Body.Success): unknown => {
  if (body._tag === "OneOf") return body.bodies.map(contentOf)
  if (body._tag === "Choice") return body.payloads.map(contentOf)
  const of = (key: string): unknown => Reflect.get(body, key)
  const framing = of("framing")
  const status = of("status") ?? 200
  return [
    body._tag,
    of("contentType"),
    status,
    framing,
    of("types"),
    body._tag === "Form" ? keysOf(body.schema) : undefined
  ]
}

/** Kept by the round trip. `docs/decisions/0025` lists what it does not. */
const partsOf = (operation: Operation.Any) => ({
  ids: [operation.id, operation.method, operation.path, operation.summary, operation.deprecated],
  pagination: { ...operation.pagination, reader: undefined },
  isBeta: operation.annotations?.["stability"] === "beta",
  params: keysOf(operation.params),
  query: [keysOf(operation.query?.schema), stylesOf(operation.query)],
  // a key that a document has is the caller's to set
  headers: keysOf(operation.headers?.schema, operation.repeat),
  payload: operation.payload && [operation.payload.optional, contentOf(operation.payload)],
  success: contentOf(operation.success),
  // several refusals of one status are one, whose body is a union
  errors: [...new Set(operation.errors.map(({ status }) => String(status)))].sort(),
  repeat: typeof operation.repeat === "object" && operation.repeat.header
})

it("what is generated has promises, with dates and pages", async () => {
  const { promised } = await Generated.load<Program>(folder, "program.ts")
  const createdAt = "2026-01-01T00:00:00.000Z"
  const fetch = async (url: string) => {
    const { pathname, search } = new URL(url)
    const numbers = search === "" ? { numbers: [1, 2], next: "2" } : { numbers: [3] }
    const result = pathname === "/v1/echo/cursor" ? numbers : [{ id: Fixtures.acme, createdAt }]
    return Response.json({ status: 200, requestId: "1", result })
  }
  expect(await promised(PromiseClient, fetch)).toEqual({ numbers: [1, 2, 3], createdAt: new Date(createdAt) })
})

it.effect("what is generated is recorded, replayed, waited for, and measured and traced by its name", function* () {
  const { waited } = yield* Effect.promise(() => Generated.load<Program>(folder, "program.ts"))
  const { file } = yield* Recorded.folder
  const texts = ["a", "ready"]
  const transport = Recorded.responding(() => Response.json({ text: texts.shift() }))
  expect(yield* Recorded.using(transport, { file, mode: "record" })(waited)).toBe("ready")
  const { record, series, trees } = Telemetry.make()
  const replayed = Recorded.using(Recorded.offline, { file, mode: "replay" })(waited)
  expect(yield* record(replayed)).toBe("ready")
  const call = { name: "api things.find", children: [{ name: "GET /v1/echo/query" }] }
  expect(trees()).toMatchObject([call, call])
  const labels = { "api.operation": "things.find", unit: "s" }
  expect(series()).toContainEqual(["api.client.call.duration", labels, { count: 2, sum: 0 }])
})

it("the generated code compiles", () => expect(Generated.compile(folder)).toBe(""))

const named = (operations: Client.Registry) =>
  Object.values(operations)
    .flatMap((group) => Object.values(group))
    .map((operation) => [Operation.nameOf(operation), operation] as const)

it.each(named(registry))(
  "%s is the same after its contract, the document of that, and the code generated from the document",
  (name, operation) => {
    expect(partsOf(Generated.find(module, name))).toEqual(partsOf({ ...operation, id: name }))
  }
)

it.each(named(ours))("%s is generated from our own document as it was written by hand", (name, operation) => {
  const parts = partsOf({ ...operation, id: name })
  // the document also has refusals that any request can get
  const errors: unknown = expect.arrayContaining(parts.errors)
  expect(partsOf(Generated.find(own, name))).toEqual({ ...parts, errors })
})
