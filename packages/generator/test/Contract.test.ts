import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as Body from "@cloud-management/core/Body"
import * as Client from "@cloud-management/core/Client"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Contract from "@cloud-management/core/Contract"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Operation from "@cloud-management/core/Operation"
import * as Retry from "@cloud-management/core/Retry"
import * as Echo from "@cloud-management/testing/Echo"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Generated from "./Generated.ts"

/** What an operation says of itself. */
const said = Operation.make({
  id: "said.all",
  group: "said",
  name: "all",
  method: "GET",
  path: "/v1/said",
  summary: "Say everything",
  description: "More for people.",
  deprecated: true,
  stability: "beta",
  security: [],
  success: Echo.operations.echo.head.success,
  errors: CloudError.commonRefusals
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

const parent = join(import.meta.dirname, "../.tmp")
let folder: string
let module: Generated.Module
beforeAll(async () => {
  mkdirSync(parent, { recursive: true })
  folder = mkdtempSync(join(parent, "contract-"))
  const generated = Generated.of(JSON.parse(JSON.stringify(OpenApi.fromApi(Contract.make(registry)))))
  expect(generated.refused).toEqual([])
  Generated.write(folder, generated)
  module = await Generated.load(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keysOf = (schema: unknown): unknown => {
  const fields: unknown = Reflect.get(Object(schema), "fields")
  return fields === undefined ? undefined : Object.keys(Object(fields)).sort()
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

/** What the round keeps. `docs/decisions/0025` lists what it does not. */
const partsOf = (operation: Operation.Any) => ({
  ids: [operation.id, operation.method, operation.path, operation.summary, operation.deprecated, operation.pagination],
  isBeta: operation.stability === "beta",
  params: keysOf(operation.params),
  query: [keysOf(operation.query?.schema), stylesOf(operation.query)],
  headers: keysOf(operation.headers?.schema),
  payload: operation.payload && [operation.payload.optional, contentOf(operation.payload)],
  success: contentOf(operation.success),
  // several refusals of one status are one, whose body is a union
  errors: [...new Set(operation.errors.map(({ status }) => String(status)))].sort(),
  repeat: typeof operation.repeat === "object" && operation.repeat.header
})

it.effect("what is generated has a mock in memory, and faults", () => {
  const remove = Generated.find(module, "kinds.remove")
  const transport = InMemoryTransport.layer(Fixtures.seed).pipe(Faults.on(remove, [Faults.Fault.DropAfterSend()]))
  return Effect.gen(function* () {
    const service = yield* InMemoryTransport.InMemoryTransport
    yield* service.reply(remove, () => Effect.succeed({ name: "y" }))
    const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
    const client = yield* Client.make({}, { baseUrl: "http://in-memory", credentials, retry: Retry.none })
    const call = client.execute(remove, { payload: { name: "x" } })
    expect(yield* Effect.flip(call)).toMatchObject({ outcome: "unknown", reason: { _tag: "TransportFailed" } })
    expect(yield* call).toEqual({ name: "y" })
    expect(yield* service.inputs(remove)).toHaveLength(2)
  }).pipe(Effect.provide(transport))
})

it("the generated code compiles", () => expect(Generated.compile(folder)).toBe(""))

it.each(
  Object.values<Readonly<Record<string, Operation.Any>>>(registry)
    .flatMap((group) => Object.values(group))
    .map((operation) => [Operation.nameOf(operation), operation] as const)
)(
  "%s is the same after its contract, the document of that, and the code generated from the document",
  (name, operation) => {
    expect(partsOf(Generated.find(module, name))).toEqual(partsOf({ ...operation, id: name }))
  }
)
