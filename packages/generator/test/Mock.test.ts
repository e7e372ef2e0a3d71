import { afterAll, assert, beforeAll, describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Client, Credentials, Operation, Retry } from "@cloud-management/client"
import { Mock } from "@cloud-management/testing"
import { Effect } from "effect"
import { spawn, type ChildProcess } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { networkInterfaces } from "node:os"
import { createInterface } from "node:readline"
import { Client as PromiseClient, type ClientConstructor } from "../../promise/src/node.ts"
import {
  at,
  boolean,
  cookie,
  form,
  get,
  having,
  int64,
  integer,
  list,
  make,
  map,
  none,
  object,
  ok,
  path,
  query,
  ref,
  text,
  type Parts
} from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"
import { shop } from "./shop.ts"

/** A user's test, with its types, which is compiled with what is generated. */
const program = `
import * as Client from "@cloud-management/client/Client"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Faults from "@cloud-management/testing/Faults"
import * as Mock from "@cloud-management/testing/Mock"
import * as Effect from "effect/Effect"
import type { ClientConstructor } from "../../../promise/src/Client.ts"
import { operations } from "./index.ts"
import { Conflict } from "./refusals.ts"

const { create, list } = operations.items
const { order } = operations.orders

const credentials = Credentials.schemes({ token: Credentials.bearer("t-1"), key: Credentials.header("X-Key", "k-1") })
const item = { name: "chair", price: 3 }
const input = { shopId: "00000000-0000-4000-8000-000000000001", headers: { "X-Reason": "test" }, payload: item }

const stateful = () => {
  const mock = Mock.make(operations, { credentials })
  const items = new Map<string, { readonly id: string; readonly serial: number; readonly state: "new" }>()
  mock.reply(create, ({ payload: { name } }) => {
    if (items.has(name)) {
      const body = { message: "taken", by: 7 }
      return new Conflict({ message: body.message, body })
    }
    const made = { id: name, serial: items.size + 1, state: "new" as const }
    items.set(name, made)
    return { status: 201, value: made }
  })
  mock.reply(list, () => ({ items: [...items.values()] }))
  return mock
}

export const lost: Effect.Effect<unknown, unknown> = Effect.gen(function* () {
  const mock = stateful()
  return yield* Effect.gen(function* () {
    const client = yield* Client.make(operations, { baseUrl: "https://api.example.com/v2", credentials })
    const first = yield* Effect.flip(client.items.create(input))
    const second = yield* Effect.flip(client.items.create(input))
    const { items } = yield* client.items.list({ shopId: input.shopId, query: { kind: "a" } })
    const reasons: ReadonlyArray<string> = mock.inputs(create).map(({ headers }) => headers["X-Reason"])
    const by: number | bigint | undefined = second.reason._tag === "Conflict" ? second.reason.body.by : undefined
    return { outcome: first.outcome, second: second.reason._tag, by, items: items.map(({ id }) => id), reasons }
  }).pipe(Effect.provide(mock.layer.pipe(Faults.on(create, [Faults.Fault.DropAfterSend()]))))
})

export const promised = async (Promises: ClientConstructor): Promise<unknown> => {
  const mock = stateful()
  const fetch = Mock.fetch(mock.layer.pipe(Faults.on(create, [Faults.Fault.DropAfterSend()])))
  await using client = new Promises({ operations, baseUrl: "https://api.example.com", credentials, fetch })
  const first: unknown = await client.items.create(input).catch((error: unknown) => error)
  const { items } = await client.items.list({ shopId: input.shopId, query: { kind: "a" } })
  return { first, items: items.map(({ id }) => id) }
}

const mock = Mock.make({ orders: operations.orders })
// @ts-expect-error: this operation is not in the registry of the mock
mock.reply(create, { status: 202, value: undefined })
// @ts-expect-error: a number is not a text
mock.reply(order, 7)
// @ts-expect-error: nor does a function return one
mock.reply(order, () => 7)
mock.reply(order, ({ payload }) => Effect.succeed(payload.item))
`

interface Program {
  readonly lost: Effect.Effect<unknown, unknown>
  readonly promised: (Promises: ClientConstructor) => Promise<{ readonly first: unknown; readonly items: unknown }>
}

const folder = Folder.ofFile()
let operations: Generated.Module["operations"]
let user: Program
beforeAll(async () => {
  Generated.write(folder, Generated.of(shop))
  writeFileSync(join(folder, "program.ts"), program)
  operations = (await Generated.load(folder)).operations
  user = await Generated.load<Program>(folder, "program.ts")
})

const named = (name: string): Operation.Any => {
  const all = Object.values(operations).flatMap((group) => Object.values(group))
  return all.find((operation) => Operation.nameOf(operation) === name) ?? assert.fail(name)
}
const shopId = "00000000-0000-4000-8000-000000000001"
const url = `http://mock/shops/${shopId}/items`
const token = { authorization: "Bearer t-1" }
const headers = { "content-type": "application/json", "x-reason": "test", ...token }
const create = (init: RequestInit = {}) => ({
  method: "POST",
  headers,
  body: JSON.stringify({ name: "chair", price: 3 }),
  ...init
})

const mocked = Effect.fnUntraced(function* (parts: Parts) {
  const folder = Folder.ofTest()
  Generated.write(folder, Generated.of(make(parts)))
  const module = yield* Effect.promise(() => Generated.load(folder))
  const mock = Mock.make(module.operations)
  const options = { baseUrl: "http://mock", credentials: Credentials.none }
  const client = yield* Effect.provide(Client.make(module.operations, options), mock.layer)
  return { client, mock, module }
})

describe("a mock of a generated folder", () => {
  it("is used with types, and wrong ones are refused in a sentence", () => {
    const wrong = program.replace("// @ts-expect-error: this operation is not in the registry of the mock", "")
    writeFileSync(join(folder, "wrong.ts"), wrong)
    // the others are about the sources of packages, which users do not compile
    const errors = Generated.compile(folder)
      .split("\n")
      .filter((line) => /(program|wrong)\.ts|^ /.test(line))
    expect(errors.slice(0, 1)).toEqual([
      expect.stringMatching(/wrong\.ts.*"this operation is not in the registry of the mock"/)
    ])
  })

  it.effect("shows that a POST without its response may be applied, and keeps state", function* () {
    expect(yield* user.lost).toEqual({
      outcome: "unknown",
      second: "Conflict",
      by: 7,
      items: ["chair"],
      reasons: ["test", "test"]
    })
  })

  it("shows the same to promises", async () => {
    const { first, items } = await user.promised(PromiseClient)
    expect(first).toMatchObject({ outcome: "unknown" })
    expect(items).toEqual(["chair"])
  })

  it.effect("reads each style of a path, of cookies and of a query as it is sent", function* () {
    const color = object({ R: integer, G: integer })
    const paths = ["simple", "label", "matrix"].flatMap((style) =>
      [true, false].flatMap((explode) => [
        { schema: list(integer), id: [1, 2], style, explode },
        { schema: color, id: { R: 1, G: 2 }, style, explode }
      ])
    )
    const cookies = [
      cookie("ids", list(integer), { explode: false }),
      cookie("more", list(text)),
      cookie("color", color, { explode: false }),
      cookie("spread", object({ X: text, W: list(integer) })),
      { in: "cookie", name: "json", content: { "application/json": { schema: color } } },
      cookie("raw", list(text), { style: "cookie" }),
      cookie("pairs", object({ Y: integer, Z: text }), { style: "cookie", explode: false }),
      cookie("theme", text)
    ]
    const tree = object({ n: integer, all: list(ref("Tree")), by: map(list(integer)) })
    const all = [
      ...paths.map(({ explode, schema, style }, i) =>
        at(`GET /${i}/{id}`, `path${i}`, [path("id", schema, { explode, style })])
      ),
      get("cookies", cookies),
      get("deep", [
        query("tree", ref("Tree"), { style: "deepObject" }),
        query("page", object({ sort: list(text) }), { required: true }),
        query(
          "filter",
          { ...object({ all: list(text), by: object({ n: integer }) }), additionalProperties: text },
          { style: "deepObject" }
        )
      ]),
      get("spread", [
        query("labels", map(text)),
        query("flat", color, { explode: false }),
        query("tree", ref("Tree"), { style: "deepObject" }),
        query("page", object({ sort: list(text) }))
      ])
    ]
    const { client, mock, module } = yield* mocked({ operations: Object.assign({}, ...all), schemas: { Tree: tree } })
    const values = {
      ids: [1, 2],
      more: ["a", "b, c"],
      color: { R: 1 },
      spread: { X: "é", W: [1] },
      json: { G: 2 },
      raw: ["a&b=c", "%20"],
      pairs: { Y: 1, Z: "%" },
      theme: "dark"
    }
    const deep = { n: 1, all: [{ n: 2 }, { all: [{ by: { a: [3, 4] } }] }] }
    const inputs: ReadonlyArray<readonly [id: string, input: object]> = [
      ...paths.map(({ id }, i) => [`path${i}`, { id }] as const),
      ["cookies", { headers: { cookie: values } }],
      ["deep", { query: { tree: deep, page: { sort: ["a,b"] } } }],
      ["deep", { query: { page: {} } }],
      ["deep", { query: { page: {}, filter: { all: ["a", "b"], by: { n: 1 }, other: "c" } } }],
      ["spread", { query: { labels: { x: "1" }, flat: { R: 2 }, tree: { n: 3 }, page: { sort: ["4"] } } }]
    ]
    for (const [id, input] of inputs) {
      const operation = Generated.find(module, id)
      yield* client.execute(operation, input)
      expect([operation.name, mock.inputs(operation).at(-1)]).toEqual([operation.name, input])
    }
  })

  it.effect("has examples of lists that contain themselves", function* () {
    const schemas = {
      Tree: object({ name: text, children: list(ref("Tree")) }, ["name", "children"]),
      L: list(ref("L"))
    }
    const { client, module } = yield* mocked({ puts: { tree: ref("Tree"), l: ref("L") }, schemas })
    const call = (id: string, payload: unknown) => client.execute(Generated.find(module, id), { payload })
    const name = expect.any(String)
    const tree = { name, children: [{ name, children: [expect.anything()] }] }
    expect(yield* call("tree", { name: "a", children: [] })).toMatchObject(tree)
    expect(yield* call("l", [])).toEqual([expect.any(Array)])
  })

  it.effect("responds to each operation with an example, the same for each seed", function* () {
    const credentials = Credentials.schemes({
      token: Credentials.bearer("t"),
      key: Credentials.header("X-Key", "k"),
      session: Credentials.cookie("session", "s"),
      csrf: Credentials.cookie("csrf", "c")
    })
    const calls = (seed: number) =>
      Effect.gen(function* () {
        const client = yield* Client.make(operations, { baseUrl: "http://mock", credentials, retry: Retry.none })
        const list = { shopId, query: { kind: "a" } }
        const call = (name: string, input: object) => client.execute(named(name), input)
        return yield* Effect.all([
          call("items.list", list),
          call("items.create", { shopId, headers: { "X-Reason": "r" }, payload: { name: "a", price: 1 } }),
          call("items.label", { shopId, item: "a", payload: {} }),
          call("items.unlabel", { shopId, item: "a" }),
          call("settings.settings", { headers: { cookie: { theme: "dark" } } }),
          call("orders.list", {}),
          call("orders.order", { payload: { item: "a" } }),
          call("photos.upload", { payload: { photo: new Blob(["a"]) } })
        ])
      }).pipe(Effect.provide(Mock.make(operations, seed === 1 ? { seed } : { seed, credentials }).layer))
    const [first, again, other] = yield* Effect.all([calls(1), calls(1), calls(2)])
    expect(first).toEqual(again)
    expect(first).not.toEqual(other)
    expect(first[1]).toMatchObject({ status: 201, value: { id: expect.any(String), serial: expect.any(Number) } })
  })

  it.each<[what: string, status: number, message: RegExp, path: string, init: RequestInit]>([
    ["a request that fits", 201, /^$/, url, create()],
    ["a body that does not fit", 400, /price/, url, create({ body: '{"name":"chair"}' })],
    ["a missing header", 400, /x-reason/i, url, create({ headers: { "content-type": "application/json", ...token } })],
    ["an unknown path", 404, /no operation/, "http://mock/nothing", {}],
    ["another method", 404, /no operation/, url, { method: "PUT" }],
    ["no credentials", 401, /items.create needs credentials/, url, create({ headers: { "x-reason": "test" } })],
    ["a key in a header", 200, /^$/, `${url}?kind=a`, { headers: { "x-key": "any" } }],
    ["no key", 401, /needs credentials/, `${url}?kind=a`, { headers: { "x-trace": "1" } }],
    ["a public operation", 204, /^$/, `${url}/a:label`, { method: "DELETE" }]
  ])("responds to %s with %i, and says why", async (_, status, message, path, init) => {
    const mock = Mock.make(operations)
    const response = await mock.fetch(path, init)
    expect(response.status).toBe(status)
    const body: object = status < 400 ? {} : Object(await response.json())
    // where the declared body has its text, or a message
    const text = status < 400 ? "" : String("error" in body ? Object(body.error).detail : Object(body).message)
    expect(text).toMatch(message)
    expect(mock.requests()).toMatchObject([{ path: new URL(path).pathname, ...(text !== "" && { problem: text }) }])
    mock.reset()
    expect(mock.requests()).toEqual([])
  })

  it("refuses other credentials than those that a test names", async () => {
    const mock = Mock.make(operations, { credentials: Credentials.schemes({ token: Credentials.bearer("t-2") }) })
    expect((await mock.fetch(url, create())).status).toBe(401)
    const headers = { "content-type": "application/json", "x-reason": "test", authorization: "Bearer t-2" }
    expect((await mock.fetch(url, create({ headers }))).status).toBe(201)
  })
})

describe("a document that is served", () => {
  let base = ""
  let child: ChildProcess
  beforeAll(async () => {
    const file = join(folder, "shop.json")
    const responding = (status: string, operation: object = {}) => ({
      get: { security: [], responses: { [status]: { description: "" } }, ...operation }
    })
    const listed = (schema: object, name: string) =>
      responding("200", { parameters: [query(name, text)], responses: ok(schema) })
    const orNull = { type: ["string", "null"] }
    const paths = {
      ...shop.paths,
      "/keys/{key}": responding("204"),
      "/keys/{key}#acl": responding("202", { parameters: [query("acl", {}, { required: true })] }),
      "/listed/token": listed(
        object(
          {
            items: list(text),
            nextToken: text,
            page: object({ next: orNull, after: orNull, has_more: boolean }, ["next", "after", "has_more"])
          },
          ["items", "nextToken", "page"]
        ),
        "token"
      ),
      "/listed/page": listed(list(text), "page"),
      "/moved": responding("302"),
      "/known": responding("204", {
        parameters: [query("q", {}, { required: true })],
        responses: { ...none, "422": having(object({ error: { enum: ["bad"] }, detail: text }, ["error", "detail"])) }
      }),
      "/lists": responding("204", {
        parameters: [
          query("ids", list(text), { required: true }),
          query("page", object({ sort: list(text) }), { required: true }),
          query("by", map(list(integer)))
        ]
      }),
      "/form": { post: { security: [], requestBody: form(object({ a: text })), responses: none } },
      "/both": responding("204", { security: [{ token: [], basic: [] }] }),
      "/numbered/{id}": responding("202", { parameters: [path("id", integer)] }),
      "/numbered/{name}": responding("204"),
      "/silent": responding("404"),
      "/any/{id}": responding("301"),
      "/any/{id}.{type}": responding("default"),
      "/certificate": responding("200", { responses: ok({ ...text, format: "byte" }, "application/x-pem-file") }),
      "/pong": responding("200", { responses: ok({ ...text, pattern: "pong", example: "pong" }, "application/text") }),
      "/domains": responding("204", { parameters: [query("name", { ...text, pattern: "\\A[a-z.]+\\Z" })] }),
      "/long": responding("200", { responses: ok(int64) }),
      "/broken/{id}": responding("200", { responses: ok(ref("Missing")) }),
      "/broken": responding("200", { responses: ok(object({ a: list(ref("Missing")) }, ["a"])) })
    }
    const more = '"securitySchemes":{"basic":{"type":"http","scheme":"basic"},"broken":{"$ref":"#/components/none"},'
    writeFileSync(file, JSON.stringify({ ...shop, paths }).replace('"securitySchemes":{', more))
    child = spawn(process.execPath, [join(import.meta.dirname, "../src/internal/main.ts"), "mock", file], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    for await (const line of createInterface({ input: child.stdout ?? assert.fail() })) {
      base = line
      break
    }
  })
  afterAll(() => child.kill())

  const items = `/shops/${shopId}/items`
  const why = (text: RegExp) => ({ message: expect.stringMatching(text) })
  const key = { headers: { "x-key": "k" } }
  const wishing = (prefer: string) => create({ headers: { ...headers, prefer } })
  it.each<[what: string, status: number, expected: object, path: string, init: RequestInit]>([
    ["a request that fits", 201, { id: expect.any(String), state: expect.any(String) }, items, create()],
    ["a body that does not fit", 400, { message: expect.stringContaining("name") }, items, create({ body: "{}" })],
    ["a body that is not JSON", 400, { message: "the body is not JSON" }, items, create({ body: "{" })],
    ["no body", 400, { message: "the body is missing" }, items, create({ body: null })],
    ["an empty list, and lists by name", 204, {}, "/lists?a=1&b=2&b=3", {}],
    ["a request whose success is not declared", 204, {}, "/silent", {}],
    [
      "a missing parameter, in the status that is declared",
      422,
      { error: "bad", detail: "the query parameter q is missing" },
      "/known",
      {}
    ],
    ["one of two schemes that need the same header", 204, {}, "/both", { headers: token }],
    ["a text whose pattern is of another dialect", 204, {}, "/domains?name=a.b", {}],
    ["a form without fields", 204, {}, "/form", { method: "POST", body: new URLSearchParams() }],
    ["a missing header", 400, why(/X-Reason/), items, create({ headers: token })],
    ["an unknown value", 400, why(/parameter kind/), `${items}?kind=c`, key],
    ["an example", 200, { lines: [{ title: "The first of all reports" }, {}] }, "/lines", key],
    ["cookies", 204, {}, "/settings", { headers: { cookie: "session=a; theme=b; csrf=c" } }],
    ["a missing cookie", 400, why(/cookie parameter theme/), "/settings", { headers: { cookie: "session=a; csrf=c" } }],
    ["one key of two", 401, why(/session and csrf/), "/settings", { headers: { cookie: "csrf=c; theme=b" } }],
    ["a list", 200, { items: expect.any(Array) }, `${items}?kind=a&ids=1,2`, key],
    ["one that is sent as a text", 200, { items: expect.any(Array) }, `${items}?kind=a&ids=1%2C2`, key],
    ["one that fits neither way", 400, why(/parameter ids/), `${items}?kind=a&ids=1%2Cb`, key],
    ["no credentials", 401, { error: {}, ...why(/no credentials of key/) }, `${items}?kind=a`, {}],
    [
      "a value that does not fit, without quotation marks",
      400,
      { error: {}, message: "the path parameter shop-id: the value must match format 'uuid'" },
      "/shops/x/items?kind=a",
      key
    ],
    ["another scheme", 401, why(/token/), items, create(key)],
    ["a broken operation", 501, why(/^GET \/broken\/1 .*\/Missing leads nowhere$/), "/broken/1", {}],
    ["a broken response", 501, why(/^GET \/broken .*\/Missing leads nowhere$/), "/broken", {}],
    ["an unknown path", 404, { message: "the document has no operation GET /nothing" }, "/nothing", {}],
    ["a redirect that is the success", 302, {}, "/moved", { redirect: "manual" }],
    ["a default that is the success, at a path that is closer than another", 200, {}, "/any/1.diff", {}],
    ["the operation of a path whose query it has", 202, {}, "/keys/a?acl=", {}],
    ["that of the path without it", 204, {}, "/keys/a", {}],
    ["the first of two like paths that a request fits", 202, {}, "/numbered/7", {}],
    ["the second, where it fits only that", 204, {}, "/numbered/seven", {}],
    [
      "the last page of a list",
      200,
      { items: expect.any(Array), nextToken: "", page: { next: null, after: null, has_more: false } },
      "/listed/token",
      {}
    ],
    ["the first of numbered pages", 200, [expect.any(String), expect.any(String)], "/listed/page?page=1", {}],
    ["none after it", 200, [], "/listed/page?page=2", {}],
    ["a wish", 409, { message: expect.any(String) }, items, wishing("code=409")],
    ["a wish of a range", 422, { error: {} }, items, wishing("code=422")],
    ["another wish", 404, why(/declares no response 500/), items, wishing("code=500")]
  ])("responds to %s with %i", async (_, status, expected, path, init) => {
    const response = await fetch(base + path, init)
    const text = await response.text()
    const body: unknown = text === "" ? {} : JSON.parse(text)
    expect({ status: response.status, body }).toMatchObject({ status, body: expected })
  })

  it.each<[what: string, call: Credentials.Credentials, message: RegExp]>([
    ["missing credentials, so that a program can sign in again", Credentials.none, /no credentials of key$/],
    ["a request that does not fit", Credentials.header("X-Key", "any-key-4711"), /must match format 'uuid'$/]
  ])("has %s as the operation declares it, and the client quotes why", async (_, credentials, message) => {
    const { errors, success } = named("items.list")
    const list = Operation.make({
      group: "items",
      name: "list",
      method: "GET",
      path: "/shops/x/items?kind=a",
      success,
      errors
    })
    await using client = new PromiseClient({ operations: { items: { list } }, baseUrl: base, credentials })
    await expect(client.items.list()).rejects.toMatchObject({
      reason: "OtherRefusal",
      message: expect.stringMatching(message)
    })
  })

  it.each([
    ["/pong", /^pong$/],
    ["/certificate", /^[A-Za-z0-9+/]+=*$/]
  ])("has the form of a text, whose media type is one of bytes, at %s", async (path, form) => {
    expect(await (await fetch(base + path)).text()).toMatch(form)
  })

  it("has integers that each program can read", async () => {
    expect(await (await fetch(`${base}/long`)).json()).toSatisfy(Number.isSafeInteger)
  })

  it("lets a page of another origin call, whose browser asks first", async () => {
    const origin = "http://localhost:5173"
    const asked = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" }
    const allowed = await fetch(base + items, { method: "OPTIONS", headers: { origin, ...asked } })
    expect([allowed.status, Object.fromEntries(allowed.headers)]).toMatchObject([
      204,
      {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization"
      }
    ])
    for (const init of [create(), create({ body: "{" })]) {
      const response = await fetch(base + items, { ...init, headers: { ...headers, origin } })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "content-type"
      })
    }
  })

  it("is reached from this machine only", async () => {
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const others = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal))
    for (const { address, family } of others)
      if (family === "IPv4") await expect(fetch(base.replace("127.0.0.1", address))).rejects.toThrow()
  })

  it.each([
    ["", "name one DOCUMENT"],
    ["a.json --port x", "--port is a number"],
    ["not-there.json", "not-there.json"]
  ])("is not, and the command says why: mock %s", async (args, message) => {
    const { code, error } = await Generated.run("mock", ...args.split(" ").filter(Boolean))
    expect([code, error]).toEqual([2, expect.stringContaining(message)])
  })
})
