/**
 * Pages with one operation each, for `npm run size -- --kinds`: the smallest, and those that use one thing more, of the
 * things that add more than 0.6 kB.
 */

interface Use {
  /** Fields of the operation. */
  readonly fields?: string
  readonly success?: string
  readonly input?: string
  readonly transport?: "layer" | "layerStreams"
  /** What is done with the result. */
  readonly use?: string
}

const page = ({
  fields = "",
  input = "",
  success = "Body.json(Item)",
  use = "Effect.map(console.log)",
  transport = "layer"
}: Use) => `
import * as Body from "@cloud-management/core/Body"
import * as Client from "@cloud-management/core/Client"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Operation from "@cloud-management/core/Operation"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const Item = Schema.Struct({ name: Schema.String })
const run = Operation.make({
  group: "items", name: "run", method: "POST", path: "/v1/items",
  success: ${success}, errors: CloudError.commonRefusals, ${fields}
})
const program = Effect.flatMap(
  Client.make({ items: { run } }, {
    baseUrl: "https://api.example.com", credentials: Credentials.make("key-id", "secret")
  }),
  ({ items }) => items.run({ ${input} }).pipe(${use})
)
Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(FetchTransport.${transport})))
`

export const smallest: string = page({})

const drained = "Effect.flatMap(Stream.runDrain)"
export const kinds: Readonly<Record<string, string>> = {
  "`Body.bytes` in a request": page({
    fields: "payload: Body.bytes()",
    input: "payload: new Uint8Array(1)"
  }),
  "`Body.upload` over `layerStreams`": page({
    fields: "payload: Body.upload()",
    input: "payload: { stream: Stream.succeed(new Uint8Array(1)) }",
    transport: "layerStreams"
  }),
  "`Body.bytes` of a response": page({ success: "Body.bytes()" }),
  "`Body.stream`": page({ success: "Body.stream()", use: drained }),
  "`Body.jsonLines`": page({ success: "Body.jsonLines(Item)", use: drained }),
  "`Body.events`": page({ success: "Body.events(Item)", use: drained }),
  "`Operation.query`": page({
    fields: "query: Operation.query(Schema.Struct({ ids: Schema.Array(Schema.String) }))",
    input: 'query: { ids: ["1", "2"] }'
  })
}
