import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Client from "@cloud-management/core/Client"
import type { CloudError } from "@cloud-management/core/CloudError"
import * as Body from "@cloud-management/core/Body"
import * as Operation from "@cloud-management/core/Operation"
import * as Echo from "../Echo.ts"

type Row = readonly [section: string, name: string, effect: Effect.Effect<void, unknown, HttpClient.HttpClient>]

type Kinds = Client.Client<typeof Echo.operations>

/** Runs what uses a client for the operations. */
type Use = <A, E>(use: (cloud: Kinds) => Effect.Effect<A, E>) => Effect.Effect<A, E, HttpClient.HttpClient>

const { multipart } = Echo.operations.kinds
const typed = Body.multipart(multipart.payload.schema, Body.partTypes({ title: "text/markdown", tags: "text/plain" }))

type Reason = { readonly _tag: string; readonly message: string }

/** Cases of every kind of content, parameter, success and refusal. */
export const rows = (
  use: Use,
  equal: (actual: unknown, expected: unknown) => Effect.Effect<void, unknown>
): ReadonlyArray<Row> => {
  const same = (call: (cloud: Kinds) => Effect.Effect<unknown, unknown>, expected: unknown) =>
    Effect.flatMap(use(call), (actual) => equal(actual, expected))
  const refused = <R extends Reason>(call: (cloud: Kinds) => Effect.Effect<unknown, CloudError<R>>) =>
    Effect.flip(use(call))
  const row = (name: string, effect: Row[2]): Row => ["operations", name, effect]
  const odd = "a/b?c#d%2F;=&,:@ü"

  return [
    row(
      "variables inside a segment, a list in it, a colon and a fixed query",
      Effect.gen(function* () {
        for (const params of [
          { name: "report", ext: "pdf", list: [1] },
          { name: odd, ext: "tar", list: [1, -2.5, 3] }
        ]) {
          yield* same(({ kinds }) => kinds.path({ ...params, query: { text: "x" } }), params)
        }
      })
    ),
    row(
      "parameters of every style, JSON and long integers in them, and a list and an object in headers",
      Effect.gen(function* () {
        for (const query of [
          {},
          { comma: ["a"], space: ["b"], pipe: ["c"], list: [odd] },
          { comma: ["a,b", "c d", odd], space: ["a|b", "c,d"], pipe: ["a b", "c"] },
          { deep: { "a b": "1", c: odd } },
          { nested: { in: { [odd]: odd }, list: [{ item: odd }, { item: "" }] } },
          { spread: { state: odd, size: 7, tags: [odd, ""] } },
          { pairs: { x: "1,2", y: odd } },
          { json: { [odd]: odd } }
        ]) {
          yield* same(({ kinds }) => kinds.styles({ query }), query)
        }
        yield* same(({ kinds }) => kinds.styles({ headers: { "x-list": ["a", "b"] } }), { header: ["a", "b"] })
        const pair = { x: "1", y: "=" }
        yield* same(({ kinds }) => kinds.styles({ headers: { "x-pair": pair } }), { pair })
        yield* same(({ kinds }) => kinds.styles({ query: { long: -9007199254740993n } }), { long: "-9007199254740993" })
      })
    ),
    row(
      "an optional payload of another media type, and successes told apart by their status",
      Effect.gen(function* () {
        yield* same(({ kinds }) => kinds.patch({ payload: { name: "x" } }), { status: 201, value: { name: "x" } })
        yield* same(({ kinds }) => Effect.map(kinds.patch({}), ({ status }) => status), 202)
      })
    ),
    row(
      "a deletion with content",
      same(({ kinds }) => kinds.remove({ payload: { name: "x" } }), { name: "x" })
    ),
    row(
      "one of several payloads, and a success of status 201",
      Effect.gen(function* () {
        const json = { contentType: "application/json", value: { name: "x" } } as const
        const created = yield* use((cloud) => cloud.kinds.created({ payload: json }))
        yield* equal(created, { name: "x" })
        const text = { contentType: "text/plain", value: "y" } as const
        yield* same(({ kinds }) => kinds.created({ payload: text }), { name: "y" })
      })
    ),
    ...[
      ["", multipart] as const,
      [", texts with types", Operation.make({ ...multipart, payload: typed })] as const
    ].map(([more, operation]) =>
      row(
        `files, bytes and texts of a form, with their names and types${more}`,
        same(
          (cloud) =>
            cloud.execute(operation, {
              payload: {
                title: odd,
                file: new File(["ü✓"], "a.txt", { type: "text/plain" }),
                bytes: Uint8Array.of(104, 105),
                tags: ["x", ""]
              }
            }),
          [
            { name: "title", type: "", text: odd },
            { name: "file", type: "text/plain", text: "ü✓" },
            { name: "bytes", type: "application/octet-stream", text: "hi" },
            { name: "tags", type: "", text: "x" },
            { name: "tags", type: "", text: "" }
          ]
        )
      )
    ),
    row(
      "a stream is sent as it is made, or not at all where the transport cannot",
      Effect.gen(function* () {
        const text = ["a", "ü", "✓".repeat(5000)]
        const stream = Stream.encodeText(Stream.fromIterable(text))
        const sent = use(({ kinds }) => kinds.upload({ payload: { stream } }))
        yield* Effect.matchEffect(sent, {
          onSuccess: (received) => equal(received, text.join("")),
          onFailure: ({ outcome, attempts, reason }) =>
            equal([outcome, attempts, reason._tag], ["not-sent", 1, "TransportFailed"])
        })
      })
    ),
    row(
      "bytes are received as they arrive",
      Effect.gen(function* () {
        const stream = yield* use(({ kinds }) => kinds.download({ query: { parts: 300 } }))
        const sizes = yield* Stream.runFold(
          stream,
          () => [0, 0],
          ([size = 0, sum = 0], part) => [size + part.length, sum + part.reduce((a, b) => a + b, 0)]
        )
        const sum = Array.from({ length: 300 }, (_, i) => ((i + 1) % 256) * 1024).reduce((a, b) => a + b, 0)
        yield* equal(sizes, [300 * 1024, sum])
        const first = yield* use(({ kinds }) => kinds.download({ query: { parts: 300 } }))
        yield* equal((yield* Stream.runCollect(Stream.take(first, 1))).length, 1)
      })
    ),
    row(
      "lines of JSON and events are received as they arrive",
      Effect.gen(function* () {
        const lines = yield* use(({ kinds }) => kinds.lines())
        yield* equal(yield* Stream.runCollect(lines), [{ name: "a" }, { name: "ü✓" }])
        const events = yield* use(({ kinds }) => kinds.events())
        yield* equal(yield* Stream.runCollect(events), [
          { event: "message", id: "1", data: { name: "a" } },
          { event: "done", id: "1", data: { name: "b\nc" } }
        ])
      })
    ),
    row(
      "integers keep their digits, both ways",
      Effect.gen(function* () {
        for (const id of [1, -9007199254740993n, 9223372036854775807n]) {
          const text = "12345678901234567890"
          const { id: received, text: same } = yield* use(({ kinds }) => kinds.exact({ payload: { id, text } }))
          yield* equal([typeof received, String(received), same], [typeof id, String(id), text])
        }
      })
    ),
    row(
      "alternatives lose no field",
      Effect.gen(function* () {
        const payload = { user: "u", password: "p" }
        yield* same(({ kinds }) => kinds.union({ payload }), payload)
        yield* same(({ kinds }) => kinds.union({ payload: { note: "n" } }), { note: "n" })
      })
    ),
    row(
      "an input that breaks a rule of its schema is refused by its name, and nothing is sent",
      Effect.gen(function* () {
        const payload: { readonly name: string } = Object.assign({ name: "x" }, { size: 1 })
        const refusals = [
          ["payload.size", yield* refused(({ kinds }) => kinds.remove({ payload }))],
          ["text", yield* refused(({ echo }) => echo.path({ text: "..", number: 0 }))],
          ["number", yield* refused(({ echo }) => echo.path({ text: "a", number: Infinity }))]
        ] as const
        for (const [path, { attempts, outcome, reason }] of refusals) {
          yield* equal([outcome, attempts, "path" in reason && reason.path], ["not-sent", 0, path])
        }
      })
    ),
    row(
      "refusals with bodies, free text, of a range and of the rest",
      Effect.gen(function* () {
        const as = (as: string) => refused(({ kinds }) => kinds.refuse({ query: { as } }))
        const many = yield* as("many")
        const { reason } = many
        yield* equal(reason._tag === "TooMany" && [String(reason.body.limit), reason.message], [
          "9007199254740993",
          "At most"
        ])
        const taken = yield* as("taken")
        yield* equal(taken.reason._tag === "Taken" && [taken.status, taken.reason.body.by], [409, "others"])
        const rejected = yield* as("rejected")
        yield* equal(
          [rejected.reason._tag, rejected.status, rejected.reason.message],
          ["Rejected", 422, "Not like that"]
        )
        const gone = yield* as("gone")
        yield* equal([gone.reason._tag, gone.reason.message], ["Gone", "The word is gone since Monday"])
        const failed = yield* as("else")
        yield* equal([failed.reason._tag, failed.status, failed.reason.message], ["Failed", 507, "Out of ideas"])
      })
    )
  ]
}
