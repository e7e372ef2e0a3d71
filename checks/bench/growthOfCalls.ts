/**
 * `npm run check bench:growth:calls`: how much longer a call takes for twice the input, by what the input has more of.
 */
import { Body, Client, Credentials, Envelope, Operation, Pagination, Wire } from "@cloud-management/client"
import { Effect, Result, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import * as Doubling from "./doubling.ts"

type Codec = Schema.Codec<unknown, unknown>

const range = <A>(length: number, make: (i: number) => A) => Array.from({ length }, (_, i) => make(i))
const optional = Schema.optionalKey(Schema.String)

const nested = (of: (members: ReadonlyArray<Codec>) => Codec) => {
  const next = Schema.optionalKey(Schema.suspend((): Codec => Node))
  const Node = of([
    Schema.Struct({ next, v: Schema.Finite, a: Schema.Finite }),
    Schema.Struct({ next, v: Schema.Finite }),
    Schema.Struct({ next, v: Schema.Finite, b: optional })
  ])
  return Node
}
/** A value of them, whose innermost part has a field of none. */
const chain = (depth: number) => range(depth, () => 0).reduce<object>((next) => ({ next, v: 1 }), { v: 1, later: 1 })
const member = (i: number) => Schema.Struct({ [`f${i}`]: Schema.Finite, name: optional })

const decoding = (schema: Codec, value: unknown) => {
  const decode = Schema.decodeUnknownResult(Body.json(schema).form ?? schema)
  return () => Result.getOrThrow(decode(value))
}
const depth = (of: (members: ReadonlyArray<Codec>) => Codec) =>
  [40, (count: number) => decoding(nested(of), chain(count))] as const

type Envelope = Body.Envelope<Schema.Codec<{ readonly requestId?: string }, unknown>>
const envelope = (of: (body: Envelope) => Envelope): Doubling.Kinds[string] => [
  40,
  (count) => {
    const { form, schema } = of(Envelope.withResult(nested(Schema.Union)))
    const decode = Schema.decodeUnknownResult(form ?? schema)
    return () => Result.getOrThrow(decode({ status: 200, result: chain(count) }))
  }
]

const shared = { group: "bench", name: "read", method: "GET", path: "/v1/x", summary: "Read", errors: [] } as const

const clientOf = (answer: (url: URL) => Response) =>
  Client.make(
    {},
    { baseUrl: "https://api.example.com", credentials: Credentials.make("id", "secret"), maxResponseBytes: 1e9 }
  ).pipe(
    Effect.provideService(
      HttpClient.HttpClient,
      HttpClient.make((request, url) => Effect.sync(() => HttpClientResponse.fromWeb(request, answer(url))))
    )
  )

const calling = (success: Body.Success, answer: () => Response) => {
  const operation = Operation.make({ ...shared, success })
  const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)
  return () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* clientOf(answer)
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

const kinds: Doubling.Kinds = {
  "depth of Wire.oneOf": depth(Wire.oneOf),
  "depth of Wire.anyOf": depth(Wire.anyOf),
  "depth of Schema.Union": depth(Schema.Union),
  "depth of Wire.oneOf, in an envelope": [
    40,
    (count) => {
      const decode = Schema.decodeUnknownResult(Envelope.withResult(nested(Wire.oneOf)).schema)
      return () => Result.getOrThrow(decode({ status: 200, result: chain(count) }))
    }
  ],
  "depth of Schema.Union, in an envelope": envelope((body) => body),
  "depth of Schema.Union, in an envelope with all digits": envelope(Body.exact),
  "alternatives of Wire.oneOf": [
    50,
    (count) => decoding(Wire.oneOf(range(count, member)), { [`f${count - 1}`]: 1, later: 1 })
  ],
  "alternatives of Wire.anyOf": [
    50,
    (count) => decoding(Wire.anyOf(range(count, member)), { [`f${count - 1}`]: 1, later: 1 })
  ],
  "alternatives of Schema.Union": [
    50,
    (count) => decoding(Schema.Union(range(count, member)), { [`f${count - 1}`]: 1 })
  ],
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
  "digits of integers": [
    2_000,
    (count) => {
      const text = JSON.stringify(range(count, () => "n")).replaceAll('"n"', "9007199254740993")
      return () => exact.codec?.parse(text)
    }
  ],
  "digits of one integer": [
    20_000,
    (count) => {
      const text = "9".repeat(count)
      return () => exact.codec?.parse(text)
    }
  ],
  "integers of most digits": [
    20,
    (count) => {
      const text = `[${range(count, () => "9".repeat(9_999)).join()}]`
      return () => exact.codec?.parse(text)
    }
  ],
  "texts of most digits": [
    20,
    (count) =>
      decoding(
        Schema.Array(Schema.BigInt),
        range(count, () => "9".repeat(9_999))
      )
  ],
  events: [
    1_000,
    (count) => {
      const text = 'id: 1\ndata: {"a":1}\n\n'.repeat(count)
      const headers = { "content-type": "text/event-stream" }
      return calling(Body.events(Schema.Struct({ a: Schema.Finite })), () => new Response(text, { headers }))
    }
  ],
  "lines of one event": [
    2_000,
    (count) => {
      const text = `${"data: 1,\n".repeat(count).replace(/^data: /, "data: [")}data: 1]\n\n`
      const headers = { "content-type": "text/event-stream" }
      return calling(Body.events(Schema.Array(Schema.Finite)), () => new Response(text, { headers }))
    }
  ],
  lines: [
    2_000,
    (count) => {
      const text = '{"a":1}\n'.repeat(count)
      const headers = { "content-type": "application/x-ndjson" }
      return calling(Body.jsonLines(Schema.Struct({ a: Schema.Finite })), () => new Response(text, { headers }))
    }
  ],
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
  headers: [
    500,
    (count) => {
      const headers = range(count, (i) => [`x-h${i}`, "v"] as const)
      return calling(Body.json(Schema.Null), () => new Response("null", { headers: headers.map(([...one]) => one) }))
    }
  ]
}

await Doubling.judge(kinds, process.argv[2])
