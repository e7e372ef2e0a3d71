/** Pages with one operation each, for `npm run size -- --kinds`: the smallest, and others that use one thing more. */

interface Use {
  /** Modules of core that it needs besides those of the smallest page. */
  readonly core?: ReadonlyArray<string>
  /** Fields of the operation. */
  readonly fields?: string
  readonly success?: string
  readonly errors?: string
  readonly credentials?: string
  readonly input?: string
  readonly transport?: "layer" | "layerStreams"
  /** What is done with the result. */
  readonly use?: string
}

const page = ({
  core = [],
  credentials = 'Credentials.make("key-id", "secret")',
  errors = "",
  fields = "",
  input = "",
  success = "Body.json(Item)",
  use = "Effect.map(console.log)",
  transport = "layer"
}: Use) => `
${["Body", "Client", "CallError", "Credentials", "Operation", ...core]
  .map((name) => `import * as ${name} from "@cloud-management/client/${name}"`)
  .join("\n")}
import * as Refusals from "@cloud-management/core/Refusals"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const Item = Schema.Struct({ name: Schema.String })
const run = Operation.make({
  group: "items", name: "run", method: "POST", path: "/v1/items",
  success: ${success}, errors: [...Refusals.commonRefusals, ${errors}], ${fields}
})
const program = Effect.flatMap(
  Client.make({ items: { run } }, { baseUrl: "https://api.example.com", credentials: ${credentials} }),
  ({ items }) => items.run({ ${input} }).pipe(${use})
)
Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(FetchTransport.${transport})))
`

const styled = (style: string): Use => ({
  core: ["Style"],
  fields: `query: Operation.query(Schema.Struct({ ids: Schema.Array(Schema.String) }), { ids: Style.${style} })`,
  input: 'query: { ids: ["1", "2"] }'
})
const query: Use = {
  fields: "query: Operation.query(Schema.Struct({ ids: Schema.Array(Schema.String) }))",
  input: 'query: { ids: ["1", "2"] }'
}
const json: Use = { fields: "payload: Body.json(Item)", input: 'payload: { name: "x" }' }
const bytes = "Stream.succeed(new Uint8Array(1))"

/** A page, and the one that it is compared with; without that, it is the smallest. */
interface Kind {
  readonly code: string
  readonly of?: string
}
const kind = (use: Use, of?: string): Kind => ({ code: page(use), ...(of !== undefined && { of }) })

export const smallest: string = page({})

export const kinds: Readonly<Record<string, Kind>> = {
  "`Body.json` in a request": kind(json),
  "`Body.form`": kind({ ...json, fields: "payload: Body.form(Item)" }),
  "`Body.multipart`": kind({ ...json, fields: "payload: Body.multipart(Item)" }),
  "`Body.multipart` with `Body.File`": kind({
    fields: "payload: Body.multipart(Schema.Struct({ file: Body.File }))",
    input: 'payload: { file: new File(["x"], "x.txt") }'
  }),
  "`Body.partTypes`, over `Body.multipart`": kind(
    { ...json, fields: 'payload: Body.multipart(Item, Body.partTypes({ name: "text/plain" }))' },
    "`Body.multipart`"
  ),
  "`Body.text` in a request": kind({ fields: "payload: Body.text()", input: 'payload: "x"' }),
  "`Body.bytes` in a request": kind({ fields: "payload: Body.bytes()", input: "payload: new Uint8Array(1)" }),
  "`Body.optional`, over `Body.json`": kind(
    { ...json, fields: "payload: Body.optional(Body.json(Item))" },
    "`Body.json` in a request"
  ),
  "`Body.choice` of JSON and text": kind({
    fields: "payload: Body.choice(Body.json(Item), Body.text())",
    input: 'payload: { contentType: "text/plain", value: "x" }'
  }),
  "`Body.upload` over `layerStreams`": kind({
    fields: "payload: Body.upload()",
    input: `payload: { stream: ${bytes} }`,
    transport: "layerStreams"
  }),
  "`Body.text` of a response": kind({ success: "Body.text()" }),
  "`Body.bytes` of a response": kind({ success: "Body.bytes()" }),
  "`Body.oneOf` with two statuses": kind({
    success: "Body.oneOf(Body.status(200, Body.json(Item)), Body.status(202, Body.empty))"
  }),
  "`Body.exact` with `Wire.Int64`": kind({
    core: ["Wire"],
    success: "Body.exact(Body.json(Schema.Struct({ id: Wire.Int64 })))"
  }),
  "`Body.stream`": kind({ success: "Body.stream()", use: "Effect.flatMap(Stream.runDrain)" }),
  "`Body.jsonLines`": kind({ success: "Body.jsonLines(Item)", use: "Effect.flatMap(Stream.runDrain)" }),
  "`Body.events`": kind({ success: "Body.events(Item)", use: "Effect.flatMap(Stream.runDrain)" }),
  "`Operation.query`": kind(query),
  "`Style.form`, over `Operation.query`": kind(styled("form"), "`Operation.query`"),
  "`Style.spaceDelimited`, over the same": kind(styled("spaceDelimited"), "`Operation.query`"),
  "`Style.pipeDelimited`, over the same": kind(styled("pipeDelimited"), "`Operation.query`"),
  "`Style.deepObject`, over the same": kind(styled("deepObject"), "`Operation.query`"),
  "`Style.spread`, over the same": kind(styled("spread"), "`Operation.query`"),
  "`Operation.headers`": kind({
    fields: 'headers: Operation.headers(Schema.Struct({ "if-match": Schema.String }))',
    input: 'headers: { "if-match": "x" }'
  }),
  "`Operation.limits`": kind({ fields: "limits: Operation.limits({ retry: { attempts: 1 } })" }),
  "`Refusal.body`": kind({
    core: ["Refusal"],
    errors: 'CallError.refusal("Taken", 409, Refusal.body(Schema.Struct({ code: Schema.String })))'
  }),
  "`Refusal.exact`, over the same": kind(
    {
      core: ["Refusal"],
      errors: 'CallError.refusal("Taken", 409, Refusal.exact(Refusal.body(Schema.Struct({ code: Schema.String }))))'
    },
    "`Refusal.body`"
  ),
  "`Refusal.text`": kind({ core: ["Refusal"], errors: 'CallError.refusal("Taken", 409, Refusal.text)' }),
  "`Refusal.status`": kind({ core: ["Refusal"], errors: 'CallError.refusal("Taken", 409, Refusal.status)' }),
  "`Wire.oneOf`": kind({ core: ["Wire"], success: "Body.json(Wire.oneOf([Item]))" }),
  "`Wire.simple` in a path": kind({
    core: ["Wire"],
    fields: 'path: "/v1/items/:at", params: Schema.Struct({ at: Wire.simple(Schema.Struct({ x: Schema.String })) })',
    input: 'at: { x: "1" }'
  }),
  "`Credentials.bearer`": kind({ credentials: 'Credentials.bearer("token")' }),
  "`Credentials.header`": kind({ credentials: 'Credentials.header("x-key", "secret")' }),
  "`Credentials.query`": kind({ credentials: 'Credentials.query("key", "secret")' }),
  "`Credentials.schemes` of a token": kind(
    { credentials: 'Credentials.schemes({ token: Credentials.bearer("token") })' },
    "`Credentials.bearer`"
  ),
  "`Credentials.all` of a token": kind(
    { credentials: 'Credentials.all(Credentials.bearer("token"))' },
    "`Credentials.bearer`"
  )
}
