import { Console, Context, Effect, FileSystem, Layer, Option, Predicate, Redacted, Schema } from "effect"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import { SecureRandom } from "effect/crypto"
import type { Operation } from "@cloud-management/client"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import { NodeTransport } from "@cloud-management/node"
import { ApiKeySecret, CloudService, Seed } from "@cloud-management/service"
import { HttpHost } from "@cloud-management/service/node"
import { Store } from "@cloud-management/service/Store"
import { randomUUID } from "node:crypto"
import { styleText } from "node:util"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import { rows } from "../operations/rows.ts"
import * as Table from "../output/table.ts"
import { connect } from "../connection/client.ts"
import * as Database from "../database/database.ts"
import { codeOf } from "../input/input.ts"

const make = Effect.gen(function* () {
  const { canColor } = yield* TerminalCapabilities
  const isJson = (yield* Format.Format) === "json"
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    canColor ? styleText(format, text, { validateStream: false }) : text
  const say = (...lines: ReadonlyArray<string>) => (isJson ? Effect.void : Console.log(lines.join("\n")))
  const steps: Array<object> = []

  const show = Effect.fnUntraced(function* <O extends Operation.Any>(
    title: string,
    connected: Connection.Connection,
    operation: O,
    input: Operation.Input<O>,
    deleted?: Table.Row
  ) {
    const { requestId, status, value } = yield* Connection.exchange(connected, operation, input)
    const { method } = operation
    const path = Connection.pathOf(operation, input)
    const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(operation.success.schema)(value))
    // nothing after a deletion
    const results = Predicate.hasProperty(encoded, "result") ? { result: encoded.result } : {}
    steps.push({ title, method, path, status, requestId, ...results })
    const records = deleted === undefined ? [results.result].flat().flatMap((record) => rows(record)) : [deleted]
    // a line for each pair of segments, since a path can have 160 characters
    const [first = "", ...rest] = path.split(/(?<=[0-9a-f]{12})(?=\/)/i)
    yield* say(
      "",
      style("bold", `${steps.length}. ${title}`),
      `   ${method} ${first}`,
      ...rest.map((part) => `   ${" ".repeat(method.length)} ${part}`),
      `   ${style("green", `HTTP ${status}`)}, request ${Foreign.clean(requestId ?? "without an ID")}`,
      "",
      ...Table.record(records).map((line) => `     ${line}`)
    )
    return value
  })

  const refuse = Effect.fnUntraced(function* <O extends Operation.Any>(
    title: string,
    { client }: Connection.Connection,
    operation: O,
    input: Operation.Input<O>
  ) {
    const refused = Effect.flip(client.exchange(operation, input))
    const { reason, status }: Failure.AnyCloudError = yield* Effect.orDie(refused)
    const { _tag: tag, message, requestId } = reason
    const path = Connection.pathOf(operation, input)
    steps.push({ title, method: operation.method, path, status, requestId, error: { tag, message } })
    return [title, String(status ?? "none"), tag, message]
  })

  const end = isJson ? Effect.suspend(() => Console.log(Foreign.toJson(steps))) : Effect.void
  return { end, refuse, say, show, style }
})

const newKey = Effect.map(ApiKeySecret.generate, (secret) => ({ id: ApiKeyId.make(randomUUID()), secret }))

const sampled = Effect.gen(function* () {
  const endpoint = {
    organizationId: OrganizationId.make(randomUUID()),
    serviceId: ServiceId.make(randomUUID()),
    reversePrivateEndpointId: ReversePrivateEndpointId.make(randomUUID())
  }
  const [key, oldKey] = [yield* newKey, yield* newKey]
  const seed = yield* Seed.fromDocument({
    organizations: [
      {
        id: endpoint.organizationId,
        name: "Acme",
        createdAt: "2026-01-01T00:00:00.000Z",
        privateEndpoints: [{ id: "pe-1", description: "office" }],
        byocConfig: [{ id: "byoc-1", accountName: "acme-aws" }],
        apiKeys: [
          { id: key.id, name: "deploy", secret: Redacted.value(key.secret) },
          { id: oldKey.id, name: "old laptop", secret: Redacted.value(oldKey.secret) }
        ],
        services: [
          {
            id: endpoint.serviceId,
            name: "analytics",
            reversePrivateEndpoints: [
              {
                id: endpoint.reversePrivateEndpointId,
                description: "orders",
                type: "VPC_ENDPOINT_SERVICE",
                status: "Ready",
                vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
                endpointId: "vpce-0123456789abcdef0",
                dnsNames: ["vpce-0123456789abcdef0.example.com"],
                privateDnsNames: ["orders.internal.example.com"]
              }
            ]
          }
        ]
      }
    ]
  })
  return { seed, key, oldKey, endpoint }
})

export const local = Effect.gen(function* () {
  const { end, refuse, say, show, style } = yield* make
  const { endpoint, key, oldKey, seed } = yield* sampled
  const files = yield* FileSystem.FileSystem
  const folder = yield* Effect.mapError(
    files.makeTempDirectoryScoped({ prefix: "cloud-management-demo-" }),
    ({ reason }) =>
      Failure.usage(
        `a folder for temporary files cannot be made (${codeOf(reason)})`,
        "Set TMPDIR to a folder that exists and can be written."
      )
  )
  const host = HttpHost.layer().pipe(
    Layer.provide(CloudService.layer()),
    Layer.provide(Layer.effectDiscard(Store.use((store) => store.seed(seed)))),
    Layer.provide(Database.layer(`${folder}/demo.db`))
  )
  const { url: baseUrl } = Context.get(yield* Layer.build(host), HttpHost.HttpHost)
  const signIn = Effect.fnUntraced(function* (keySecret: Redacted.Redacted) {
    return {
      ...(yield* connect({ baseUrl, keyId: key.id, keySecret }, NodeTransport.layer)),
      baseUrl,
      isForeign: false
    }
  })
  const own = yield* signIn(key.secret)

  yield* say(
    style("bold", "The Cloud Management API, over real sockets"),
    "",
    ...Table.record([
      ["   Service", baseUrl],
      ["   Database", `SQLite in ${folder}, removed at the end`],
      ["   Key", `${key.id}, with a new secret`]
    ])
  )
  yield* show("List organizations", own, listOrganizations, {})
  yield* show("Read a reverse private endpoint (beta)", own, getReversePrivateEndpoint, endpoint)
  const { organizationId } = endpoint
  const second = { organizationId, keyId: oldKey.id }
  yield* show("Delete an API key", own, deleteApiKey, second, ["Deleted", `${oldKey.id}, the key of an old laptop`])

  const stranger = yield* signIn(yield* ApiKeySecret.generate)
  const foreign = { ...endpoint, organizationId: OrganizationId.make(randomUUID()) }
  const [head = "", ...lines] = Table.columns([
    ["Attempt", "HTTP", "Reason", "Message"],
    yield* refuse("a wrong secret", stranger, listOrganizations, {}),
    yield* refuse("another organization", own, getReversePrivateEndpoint, foreign),
    yield* refuse("deleting the key in use", own, deleteApiKey, { organizationId, keyId: key.id }),
    yield* refuse("deleting a key again", own, deleteApiKey, second)
  ])
  yield* say(
    "",
    style("bold", "4. Refused requests"),
    "",
    ...[style("dim", head), ...lines].map((line) => `     ${line}`)
  )
  yield* end
}).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))

export const remote = Effect.fnUntraced(function* (
  endpoint: Option.Option<Omit<Operation.Params<typeof getReversePrivateEndpoint>, "organizationId">>
) {
  const { end, say, show, style } = yield* make
  const settings = yield* Connection.settled
  const own = yield* Connection.open(settings)
  yield* say(
    style("bold", "The Cloud Management API, read-only"),
    "",
    ...Table.record([
      ["   Service", settings.baseUrl],
      ["   Key", settings.keyId]
    ])
  )
  const { result } = yield* show("List organizations", own, listOrganizations, {})
  if (Option.isSome(endpoint)) {
    const input = { organizationId: result[0].id, ...endpoint.value }
    yield* show("Read a reverse private endpoint (beta)", own, getReversePrivateEndpoint, input)
  } else {
    yield* say("", "   To read an endpoint as well, pass --service-id and --endpoint-id.")
  }
  yield* end
}, Effect.scoped)
