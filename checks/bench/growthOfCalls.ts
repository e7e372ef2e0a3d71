/** An argument chooses the kinds that contain it. */
import { Body, Client, Credentials, Operation, Pagination, Wire } from "@cloud-management/client"
import * as Contract from "@cloud-management/client/Contract"
import { Mock } from "@cloud-management/testing"
import { Effect, Result, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import * as Served from "../../packages/generator/src/served/Mock.ts"
import { collect } from "../fixtures/turns.ts"
import * as Doubling from "./doubling.ts"
import { hold } from "./figures.ts"

type Codec = Schema.Codec<unknown, unknown>
type Kind = Doubling.Kinds[string]

const range = <A>(length: number, make: (i: number) => A) => Array.from({ length }, (_, i) => make(i))
const optional = Schema.optionalKey(Schema.String)
const shared = { group: "bench", name: "read", method: "GET", path: "/v1/x", summary: "Read", errors: [] } as const
const credentials = Credentials.make("id", "secret")

const decoding = (schema: Codec, value: unknown) => {
  const decode = Schema.decodeUnknownResult(Body.json(schema).form ?? schema)
  return () => Result.getOrThrow(decode(value))
}
const { codec } = Body.exact(Body.json(Schema.Unknown))
const parsing = (size: number, textOf: (count: number) => string): Kind => [
  size,
  (count) => {
    const text = textOf(count)
    return () => codec?.parse(text)
  }
]
const member = (i: number) => Schema.Struct({ [`f${i}`]: Schema.Finite, name: optional })
const alternatives = (of: (members: ReadonlyArray<Codec>) => Codec): Kind => [
  50,
  (count) => decoding(of(range(count, member)), { [`f${count - 1}`]: 1, later: 1 })
]

const clientOf = (respond: (url: URL) => Response) =>
  Client.make({}, { baseUrl: "https://api.example.com", credentials, maxResponseBytes: 1e9 }).pipe(
    Effect.provideService(
      HttpClient.HttpClient,
      HttpClient.make((request, url) => Effect.sync(() => HttpClientResponse.fromWeb(request, respond(url))))
    )
  )
const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)
const calling = (success: Body.Success, respond: () => Response) => {
  const operation = Operation.make({ ...shared, success })
  return () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* clientOf(respond)
        const value = yield* client.execute<Operation.Any>(operation, {})
        if (isStream(value)) yield* Stream.runDrain(value)
      })
    )
}
const streaming = (size: number, type: string, success: Body.Success, textOf: (count: number) => string): Kind => [
  size,
  (count) => {
    const text = textOf(count)
    return calling(success, () => new Response(text, { headers: { "content-type": type } }))
  }
]
const events = "text/event-stream"

const Numbers = Schema.Struct({ numbers: Schema.Array(Schema.Finite), next: Schema.optionalKey(Schema.String) })
const paged = Operation.make({
  ...shared,
  query: Operation.query(Schema.Struct({ cursor: optional })),
  success: Body.json(Numbers),
  pagination: Operation.cursor({ query: "cursor", next: "next", items: "numbers" })
})

const reads = (count: number) =>
  range(count, (i) => {
    const success = Body.json(Schema.Struct({ [`p${i}`]: Schema.String }))
    const params = Schema.Struct({ id: Schema.String })
    return Operation.make({ ...shared, name: `read${i}`, path: `/p${i}/:id`, params, success })
  })
const registry = (operations: ReadonlyArray<Operation.Any>) => ({
  bench: Object.fromEntries(operations.map((operation) => [operation.name, operation]))
})
const callingMock = (mock: Mock.Mock<Client.Registry>, operations: ReadonlyArray<Operation.Any>, times: number) =>
  Effect.gen(function* () {
    const client = yield* Client.make({}, { baseUrl: "http://mock", credentials })
    for (const operation of operations.slice(-1))
      for (let i = 0; i < times; i++) yield* client.execute(operation, { id: String(i) })
  }).pipe(Effect.provide(mock.layer), Effect.runPromise)

const kinds: Doubling.Kinds = {
  "alternatives of Wire.oneOf": alternatives(Wire.oneOf),
  "alternatives of Wire.anyOf": alternatives(Wire.anyOf),
  "alternatives of Schema.Union": alternatives(Schema.Union),
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
  "digits of integers": parsing(2_000, (count) => `[${"9007199254740993,".repeat(count)}0]`),
  "digits of one integer": parsing(20_000, (count) => "9".repeat(count)),
  "integers of most digits": parsing(20, (count) => `[${`${"9".repeat(9_999)},`.repeat(count)}0]`),
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
    (count) => `data: [1\n${"data: ,1\n".repeat(count)}data: ]\n\n`
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
      const operations = reads(count)
      return callingMock(Mock.make(registry(operations)), operations, 1)
    }
  ],
  "operations of a document that the command serves": [
    200,
    (count) => {
      const document = OpenApi.fromApi(Contract.make(registry(reads(count))))
      const root = JSON.parse(JSON.stringify(document))
      const request = { method: "GET", path: `/p${count - 1}/1`, query: [], headers: {}, body: Buffer.of() }
      return () => Served.make(root, 0)(request)
    }
  ],
  "requests of a mock": [
    1_000,
    (count) => () => {
      const operations = reads(1)
      const mock = Mock.make(registry(operations))
      return callingMock(mock, operations, count).then(() => mock.requests())
    }
  ],
  headers: [
    500,
    (count) => {
      const headers = range(count, (i): [string, string] => [`x-h${i}`, "v"])
      return calling(Body.json(Schema.Null), () => new Response("null", { headers }))
    }
  ]
}

await Doubling.judge(kinds, process.argv[2])

const heap = async () => {
  await collect()
  return process.memoryUsage().heapUsed
}
const operations = reads(1)
const mock = Mock.make(registry(operations))
await callingMock(mock, operations, 1_000)
const before = await heap()
await callingMock(mock, operations, 10_000)
hold("what a mock holds of a request", ((await heap()) - before) / 10_000, "at most", 1_000, " bytes")
