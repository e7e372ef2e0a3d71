import { Effect, Layer, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { FetchTransport } from "@cloud-management/browser"
import { Body, CallError, Client, Credentials, Operation, Refusal, Wire } from "@cloud-management/client"
import { assert, describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Client as PromiseClient } from "../../promise/src/node.ts"
import * as Faults from "../src/Faults.ts"
import * as Fixtures from "../src/Fixtures.ts"
import * as InMemoryTransport from "../src/InMemoryTransport.ts"
import * as Mock from "../src/Mock.ts"

const Thing = Schema.Struct({ id: Schema.String, name: Wire.nullishKey(Schema.String) })
const read = { group: "things", method: "GET", errors: [] } as const
const params = Schema.Struct({ id: Schema.String })
const get = Operation.make({ ...read, name: "get", path: "/things/:id", params, success: Body.json(Thing) })
const watch = Operation.make({ ...read, name: "watch", path: "/events", success: Body.jsonLines(Thing) })
const operations = { things: { get, watch } }
const baseUrl = "http://mock"
const id = Fixtures.acme

type Program = (fetch: Mock.Fetch) => Promise<unknown>
const promised: Program = async (fetch) => {
  await using client = new PromiseClient({ operations, baseUrl, fetch })
  return await client.things.get({ id })
}
const streamed: Program = async (fetch) => {
  await using client = new PromiseClient({ operations, baseUrl, fetch })
  for await (const thing of await client.things.watch()) assert.fail(thing.id)
}
const effect: Program = (fetch) =>
  Effect.gen(function* () {
    const client = yield* Client.make(operations, { baseUrl, credentials: Credentials.none })
    return yield* client.things.get({ id })
  }).pipe(
    Effect.provide(Layer.provide(FetchTransport.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))),
    Effect.runPromise
  )
const plain: Program = (fetch) => fetch(`${baseUrl}/things/1`)

const mistakes: ReadonlyArray<readonly [what: string, reply: () => unknown, message: RegExp]> = [
  ["an assertion that fails", () => assert.fail("as the test says"), /^as the test says$/],
  ["an Effect that dies", () => Effect.die(new Error("as the test says")), /^as the test says$/],
  ["a promise that rejects", () => Promise.reject(new Error("as the test says")), /^as the test says$/],
  ["a promise of what does not fit", async () => ({ id: 7 }), /^the reply to things.get does not fit: .*id/s],
  ["what is thrown that is not an error", () => Effect.die("as the test says"), /as the test says/],
  ["a reply that is wrong", () => ({ id: 7 }), /^the reply to things.get does not fit: Expected string at \["id"\]$/],
  ["an optional field", () => ({ id: "a", name: 7 }), /^the reply to things.get does not fit: .* at \["name"\]$/]
]

describe("a mistake of the test itself is no failure of the service: it is neither tried again nor taken for a lost response", () => {
  const cases = mistakes.flatMap((mistake) =>
    Object.entries({ promised, effect, plain }).flatMap(([name, program]) =>
      [false, true].map((isLost) => ({ what: mistake[0], mistake, name, program, isLost }))
    )
  )
  it.each(cases)(
    "$what, to $name; response lost: $isLost",
    async ({ isLost, mistake: [, reply, message], program }) => {
      const mock = Mock.make(operations)
      let count = 0
      // as a test in JavaScript does
      mock.reply(get, (() => (count++, reply())) as never)
      const lossy = Faults.on(mock.layer, get, [Faults.Fault.DropAfterSend()])
      await expect(program(isLost ? Mock.fetch(lossy) : mock.fetch)).rejects.toThrow(message)
      expect(count).toBe(1)
      // also where the program took it for a failure
      for (const ask of [() => mock.inputs(get), mock.requests]) expect(ask).toThrow(message)
      mock.reset()
      expect(mock.requests()).toEqual([])
    }
  )

  it("an item of a stream that does not fit, once the head of the response is sent", async () => {
    const mock = Mock.make(operations)
    // as a test in JavaScript does
    mock.reply(watch, Stream.make({ id: 7 }) as never)
    await expect(streamed(mock.fetch)).rejects.toThrow(/Expected string/)
    expect(mock.requests).toThrow(/Expected string/)
  })

  it("a handler of the service's own operations", async () => {
    const handled = Layer.unwrap(
      Effect.gen(function* () {
        const service = yield* InMemoryTransport.InMemoryTransport
        yield* service.reply(get, () => assert.fail("as the test says"))
        return Layer.empty
      })
    ).pipe(Layer.provideMerge(InMemoryTransport.layer(Fixtures.seed)))
    const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
    await using client = new PromiseClient({ operations, baseUrl, credentials, fetch: Mock.fetch(handled) })
    await expect(client.things.get({ id })).rejects.toThrow(/^as the test says$/)
  })

  it("faults that cannot happen", async () => {
    const { layer } = Mock.make(operations)
    const faults = (function* () {
      yield Faults.Fault.Status({ status: 7 })
    })()
    await expect(promised(Mock.fetch(Faults.inject(layer, faults)))).rejects.toThrow(/status must be a whole number/)
  })
})

describe("an operation that is not there", () => {
  const mock = Mock.make(operations)
  // a name that index.ts does not have, in JavaScript
  const nothing = undefined as never
  it.each<[what: string, use: () => unknown]>([
    ["reply of a mock", () => mock.reply(nothing, nothing)],
    ["inputs of a mock", () => mock.inputs(nothing)],
    ["an example", () => mock.example(nothing)],
    ["faults", () => Faults.on(mock.layer, nothing, [])]
  ])("is named so by %s", (_, use) => {
    expect(use).toThrow("no operation was given: index.ts has the names of those that were generated")
  })
})

it("gives the example that it would respond with, for a reply that differs in a part", async () => {
  const mock = Mock.make(operations)
  const example = mock.example(get)
  await expect(promised(mock.fetch)).resolves.toEqual(example)
  mock.reply(get, { ...example, id: "one" })
  await expect(promised(mock.fetch)).resolves.toEqual({ ...example, id: "one" })
})

it("takes a function that is async, as programs with promises have it", async () => {
  class NotFound extends CallError.refusal("NotFound", 404, Refusal.body(Thing)) {}
  const done = Body.oneOf(Body.status(200, Body.json(Thing)), Body.status(201, Body.json(Thing)))
  const found = Operation.make({ ...get, name: "found", success: done, errors: [NotFound] })
  const mock = Mock.make({ things: { found } })
  mock.reply(found, async ({ id }) => {
    if (id === "none") return new NotFound({ message: "none", body: { id } })
    return { status: 201, value: { id } }
  })
  await using client = new PromiseClient({ operations: { things: { found } }, baseUrl, fetch: mock.fetch })
  expect(await client.things.found({ id })).toEqual({ status: 201, value: { id } })
  await expect(client.things.found({ id: "none" })).rejects.toMatchObject({ reason: "NotFound", body: { id: "none" } })
})

it("passes a status without a body on as a service sends it", async () => {
  const { layer } = Mock.make(operations)
  const fetch = Mock.fetch(
    Faults.inject(layer, [Faults.Fault.Status({ status: 429, headers: { "retry-after": "90" } })])
  )
  await expect(promised(fetch)).rejects.toThrow(/the body is empty/)
})
