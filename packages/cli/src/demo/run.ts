import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpClient from "effect/http/HttpClient"
import type * as CloudManagement from "@cloud-management/core/CloudManagement"
import type * as Operation from "@cloud-management/core/Operation"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import type { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as ApiKeySecret from "@cloud-management/service/ApiKeySecret"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import * as Service from "@cloud-management/service/Service"
import { Store } from "@cloud-management/service/Store"
import { styleText } from "node:util"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import { rows } from "../operations/rows.ts"
import * as Table from "../output/table.ts"
import { connect } from "../connection/client.ts"
import * as Database from "../database/database.ts"
import * as Network from "../connection/network.ts"
import { codeOf } from "../input/unreadable.ts"
import * as Sample from "./sample.ts"

/** One call, as it is shown and, with `--format json`, as it is printed. */
interface Step {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly result?: unknown
  readonly error?: { readonly tag: string; readonly message: string }
}

/** What an envelope holds; nothing after a deletion. */
const resultOf = (envelope: unknown) => (Predicate.hasProperty(envelope, "result") ? { result: envelope.result } : {})

type Client = CloudManagement.CloudManagement["Service"]

const make = Effect.fnUntraced(function* <E>(network: Layer.Layer<HttpClient.HttpClient, E>) {
  const { canColor } = yield* TerminalCapabilities
  const isJson = (yield* Format.Format) === "json"
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    canColor ? styleText(format, text, { validateStream: false }) : text
  const say = (...lines: ReadonlyArray<string>) => (isJson ? Effect.void : Console.log(lines.join("\n")))

  // what the sockets carried, whatever the client makes of it
  let seen = { method: "", path: "", status: 0 }
  const transport = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tap(({ request, status }) =>
        Effect.sync(() => {
          seen = { method: request.method, path: new URL(request.url).pathname, status }
        })
      )
    )
  ).pipe(Layer.provide(network))

  const steps: Array<Step> = []

  /** Performs an operation, and shows the exchange and the decoded result. */
  const show = Effect.fnUntraced(function* <O extends Operation.Any>(
    title: string,
    call: {
      readonly client: Client
      readonly baseUrl: string
      readonly operation: O
      readonly input: Operation.Input<O>
    },
    deleted?: Table.Row
  ) {
    const { baseUrl, client, input, operation } = call
    const { requestId, value } = yield* Connection.exchange({ client, baseUrl }, operation, input)
    const { method, path, status } = seen
    const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(operation.success.schema)(value))
    const results = resultOf(encoded)
    steps.push({ title, method, path, status, requestId, ...results })
    // a line for each pair of segments, since a path can have 160 characters
    const [first = "", ...rest] = path.split(/(?<=[0-9a-f]{12})(?=\/)/i)
    yield* say(
      "",
      style("bold", `${steps.length}. ${title}`),
      `   ${method} ${first}`,
      ...rest.map((part) => `   ${" ".repeat(method.length)} ${part}`),
      `   ${style("green", `HTTP ${status}`)}, request ${Foreign.clean(requestId ?? "without an ID")}`,
      "",
      ...Table.record(deleted === undefined ? [results.result].flat().flatMap(rows) : [deleted]).map(
        (line) => `     ${line}`
      )
    )
    return value
  })

  /** Performs an operation that is refused. */
  const refuse = Effect.fnUntraced(function* <O extends Operation.Any>(
    title: string,
    client: Client,
    operation: O,
    input: Operation.Input<O>
  ) {
    const { reason, status }: Failure.AnyCloudError = yield* Effect.orDie(Effect.flip(client.execute(operation, input)))
    const error = { tag: reason._tag, message: reason.message }
    const { method, path } = seen
    const step: Step = { title, method, path, status, requestId: reason.requestId, error }
    steps.push(step)
    return [title, String(status ?? "none"), error.tag, error.message]
  })

  const end = isJson ? Effect.suspend(() => Console.log(Foreign.toJson(steps))) : Effect.void
  return { end, refuse, say, show, style, transport }
})

/** Performs the operations on the demonstration's own service, with sample data, over real sockets. */
export const local = Effect.gen(function* () {
  const { end, refuse, say, show, style, transport } = yield* make(NodeTransport.layer)
  const sample = yield* Sample.make
  const files = yield* FileSystem.FileSystem
  const folder = yield* Effect.mapError(
    files.makeTempDirectoryScoped({ prefix: "cloud-management-demo-" }),
    ({ reason }) =>
      Failure.usage(
        `a folder for temporary files cannot be made (${codeOf(reason)})`,
        "Set TMPDIR to a folder that exists and can be written."
      )
  )
  const fill = Layer.effectDiscard(Store.use((store) => store.seed(sample.seed)))
  const host = HttpHost.layer().pipe(
    Layer.provide(Service.layer()),
    Layer.provide(fill),
    Layer.provide(Database.layer(`${folder}/demo.db`))
  )
  const { url: baseUrl } = Context.get(yield* Layer.build(host), HttpHost.HttpHost)
  const signIn = (keySecret: Redacted.Redacted) =>
    connect({ baseUrl, credentials: { keyId: sample.key.id, keySecret } }, transport)
  const client = yield* signIn(sample.key.secret)
  const { foreignOrganizationId, organizationId, oldKey, reversePrivateEndpointId, serviceId } = sample
  const endpoint = { organizationId, serviceId, reversePrivateEndpointId }

  yield* say(
    style("bold", "The Cloud Management API, over real sockets"),
    "",
    ...Table.record([
      ["   Service", baseUrl],
      ["   Database", `SQLite in ${folder}, removed at the end`],
      ["   Key", `${sample.key.id}, with a new secret`]
    ])
  )
  yield* show("List organizations", { client, baseUrl, operation: listOrganizations, input: {} })
  yield* show("Read a reverse private endpoint (beta)", {
    client,
    baseUrl,
    operation: getReversePrivateEndpoint,
    input: endpoint
  })
  const second = { organizationId, keyId: oldKey.id }
  yield* show("Delete an API key", { client, baseUrl, operation: deleteApiKey, input: second }, [
    "Deleted",
    `${oldKey.id}, the key of an old laptop`
  ])

  const stranger = yield* signIn(yield* ApiKeySecret.generate)
  const refusals = [
    yield* refuse("a wrong secret", stranger, listOrganizations, {}),
    yield* refuse("another organization", client, getReversePrivateEndpoint, {
      ...endpoint,
      organizationId: foreignOrganizationId
    }),
    yield* refuse("deleting the key in use", client, deleteApiKey, { organizationId, keyId: sample.key.id }),
    yield* refuse("deleting a key again", client, deleteApiKey, second)
  ]
  const [head = "", ...lines] = Table.columns([["Attempt", "HTTP", "Reason", "Message"], ...refusals])
  yield* say(
    "",
    style("bold", "4. Refused requests"),
    "",
    `     ${style("dim", head)}`,
    ...lines.map((line) => `     ${line}`)
  )
  yield* end
}).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))

/** Performs the operations that only read, on the service that flags and environment select. */
export const remote = Effect.fnUntraced(function* (
  endpoint: Option.Option<{
    readonly serviceId: ServiceId
    readonly reversePrivateEndpointId: ReversePrivateEndpointId
  }>
) {
  const { end, say, show, style, transport } = yield* make(Network.layer)
  const options = yield* Connection.resolve
  const { baseUrl } = options
  const client = yield* Effect.mapError(connect(options, transport), Connection.refused)
  yield* say(
    style("bold", "The Cloud Management API, read-only"),
    "",
    ...Table.record([
      ["   Service", baseUrl],
      ["   Key", options.credentials.keyId]
    ])
  )
  const list = { client, baseUrl, operation: listOrganizations, input: {} }
  const { result } = yield* show("List organizations", list)
  if (Option.isSome(endpoint)) {
    yield* show("Read a reverse private endpoint (beta)", {
      client,
      baseUrl,
      operation: getReversePrivateEndpoint,
      input: { organizationId: result[0].id, ...endpoint.value }
    })
  } else {
    yield* say("", "   To read an endpoint as well, pass --service-id and --endpoint-id.")
  }
  yield* end
}, Effect.scoped)
