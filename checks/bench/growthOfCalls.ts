/**
 * `npm run check bench:growth:calls`: how much longer a call takes for twice the input, by what the input has more of.
 */
import { Body, Client, Credentials, Operation, Pagination, Wire } from "@cloud-management/client"
import { Mock } from "@cloud-management/testing"
import { Effect, Record, Result, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Served from "../../packages/generator/src/verify/served/Mock.ts"
import * as Doubling from "./doubling.ts"
import { hold } from "./figures.ts"

type Codec = Schema.Codec<unknown, unknown>

const range = <A>(length: number, make: (i: number) => A) => Array.from({ length }, (_, i) => make(i))
const optional = Schema.optionalKey(Schema.String)

const member = (i: number) => Schema.Struct({ [`f${i}`]: Schema.Finite, name: optional })

const decoding = (schema: Codec, value: unknown) => {
  const decode = Schema.decodeUnknownResult(Body.json(schema).form ?? schema)
  return () => Result.getOrThrow(decode(value))
}
const shared = { group: "bench", name: "read", method: "GET", path: "/v1/x", summary: "Read", errors: [] } as const

const clientOf = (respond: (url: URL) => Response) =>
  Client.make(
    {},
    { baseUrl: "https://api.example.com", credentials: Credentials.make("id", "secret"), maxResponseBytes: 1e9 }
  ).pipe(
    Effect.provideService(
      HttpClient.HttpClient,
      HttpClient.make((request, url) => Effect.sync(() => HttpClientResponse.fromWeb(request, respond(url))))
    )
  )

const calling = (success: Body.Success, respond: () => Response) => {
  const operation = Operation.make({ ...shared, success })
  const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)
  return () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* clientOf(respond)
        const value = yield* client.execute<Operation.Any>(operation, {})
        if (isStream(value)) yield* Stream.runDrain(value)
      })
    )
}

const Numbers = Schema.Struct({ numbers: Schema.Array(Schema.Finite), next: Schema.optionalKey(Schema.String) })
const paged = Operation.make({
  ...shared,
  query: Operation.query(Schema.Struct({ cursor: optional })),
  success: Body.json(Numbers),
  pagination: Operation.cursor({ query: "cursor", next: "next", items: "numbers" })
})

const exact = Body.exact(Body.json(Schema.Unknown))

const reads = (count: number) =>
  Object.fromEntries(
    range(count, (i) => {
      const [name, path] = [`read${i}`, `/p${i}/:id`] as const
      const success = Body.json(Schema.Struct({ [`p${i}`]: Schema.String }))
      return [name, Operation.make({ ...shared, name, path, params: Schema.Struct({ id: Schema.String }), success })]
    })
  )
/** Calls an operation of a mock so often. */
const callingMock = (mock: Pick<Mock.Mock<Client.Registry>, "layer">, operation: Operation.Any, times: number) =>
  Effect.gen(function* () {
    const client = yield* Client.make({}, { baseUrl: "http://mock", credentials: Credentials.make("id", "secret") })
    for (let i = 0; i < times; i++) yield* client.execute(operation, { id: String(i) })
  }).pipe(Effect.provide(mock.layer), Effect.runPromise)

const served = (count: number) => {
  const text = { type: "string" }
  const of = (i: number) => {
    const schema = { type: "object", properties: { [`p${i}`]: text } }
    const parameters = [{ in: "path", name: "id", required: true, schema: text }]
    return {
      get: { parameters, responses: { "200": { description: "", content: { "application/json": { schema } } } } }
    }
  }
  return { openapi: "3.1.0", paths: Object.fromEntries(range(count, (i) => [`/p${i}/{id}`, of(i)])) }
}

type Kind = Doubling.Kinds[string]
const unions: Readonly<Record<string, (members: ReadonlyArray<Codec>) => Codec>> = {
  "Wire.oneOf": Wire.oneOf,
  "Wire.anyOf": Wire.anyOf,
  "Schema.Union": Schema.Union
}
const streaming = (size: number, type: string, success: Body.Success, textOf: (count: number) => string): Kind => [
  size,
  (count) => {
    const text = textOf(count)
    return calling(success, () => new Response(text, { headers: { "content-type": type } }))
  }
]
const parsing = (size: number, textOf: (count: number) => string): Kind => [
  size,
  (count) => {
    const text = textOf(count)
    return () => exact.codec?.parse(text)
  }
]
const events = "text/event-stream"

const kinds: Doubling.Kinds = {
  ...Record.mapEntries(unions, (of, name): [string, Kind] => [
    `alternatives of ${name}`,
    [50, (count) => decoding(of(range(count, member)), { [`f${count - 1}`]: 1, later: 1 })]
  ]),
  // to copy an object of up to a thousand fields takes half as long for each of them, in any program
  fields: [
    2_000,
    (count) =>
      decoding(
        Wire.anyOf([Schema.Record(Schema.String, Schema.Finite), Schema.Struct({ f0: Schema.Finite })]),
        Object.fromEntries(range(count, (i) => [`f${i}`, i]))
      )
  ],
  entries: [
    200,
    (count) =>
      decoding(
        Schema.Array(Wire.orUnknown(Wire.oneOf([member(0), member(1), member(2)]))),
        range(count, (i) => ({ [`f${i % 4}`]: i, later: 1 }))
      )
  ],
  "digits of integers": parsing(2_000, (count) =>
    JSON.stringify(range(count, () => "n")).replaceAll('"n"', "9007199254740993")
  ),
  "digits of one integer": parsing(20_000, (count) => "9".repeat(count)),
  "integers of most digits": parsing(20, (count) => `[${range(count, () => "9".repeat(9_999)).join()}]`),
  "texts of most digits": [
    20,
    (count) =>
      decoding(
        Schema.Array(Schema.BigInt),
        range(count, () => "9".repeat(9_999))
      )
  ],
  events: streaming(1_000, events, Body.events(Schema.Struct({ a: Schema.Finite })), (count) =>
    'id: 1\ndata: {"a":1}\n\n'.repeat(count)
  ),
  "lines of one event": streaming(
    2_000,
    events,
    Body.events(Schema.Array(Schema.Finite)),
    (count) => `${"data: 1,\n".repeat(count).replace(/^data: /, "data: [")}data: 1]\n\n`
  ),
  lines: streaming(2_000, "application/x-ndjson", Body.jsonLines(Schema.Struct({ a: Schema.Finite })), (count) =>
    '{"a":1}\n'.repeat(count)
  ),
  pages: [
    50,
    (count) => () =>
      Effect.runPromise(
        Effect.gen(function* () {
          const client = yield* clientOf(({ searchParams }) => {
            const page = Number(searchParams.get("cursor") ?? 0)
            return Response.json({ numbers: [page], ...(page < count && { next: String(page + 1) }) })
          })
          yield* Stream.runDrain(Pagination.items(client, paged, {}))
        })
      )
  ],
  "operations of a mock": [
    200,
    (count) => () => {
      const bench = reads(count)
      const last = bench[`read${count - 1}`]
      return last && callingMock(Mock.make({ bench }), last, 1)
    }
  ],
  "operations of a document that the command serves": [
    200,
    (count) => {
      const root = served(count)
      const request = { method: "GET", path: `/p${count - 1}/1`, query: [], headers: {}, body: Buffer.of() }
      return () => Served.make(root, 0)(request)
    }
  ],
  "requests of a mock": [
    1_000,
    (count) => () => {
      const bench = reads(1)
      const mock = Mock.make({ bench })
      return bench["read0"] && callingMock(mock, bench["read0"], count).then(() => mock.requests())
    }
  ],
  headers: [
    500,
    (count) => {
      const headers = range(count, (i) => [`x-h${i}`, "v"] as const)
      return calling(Body.json(Schema.Null), () => new Response("null", { headers: headers.map(([...one]) => one) }))
    }
  ]
}

await Doubling.judge(kinds, process.argv[2])

setFlagsFromString("--expose-gc")
const gc: unknown = runInNewContext("gc")
const heap = () => {
  if (typeof gc === "function") gc()
  return process.memoryUsage().heapUsed
}
const bench = reads(1)
const mock = Mock.make({ bench })
const few = 1_000
if (bench["read0"] !== undefined) {
  await callingMock(mock, bench["read0"], few)
  const before = heap()
  await callingMock(mock, bench["read0"], 10 * few)
  hold("what a mock holds of a request", (heap() - before) / (10 * few), "at most", 1_000, " bytes")
}
