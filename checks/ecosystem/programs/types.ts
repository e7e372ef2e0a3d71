/** A program uses the values of outputs, and passes functions as `fetch`. */
import { Client, type Options } from "@cloud-management/promise"
import * as Body from "@cloud-management/client/Body"
import * as Operation from "@cloud-management/client/Operation"
import { operations } from "@cloud-management/core/Operations"
import { Status } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Schema from "effect/Schema"

const id = "12345678-1234-1234-1234-123456789012"
const Thing = Schema.Struct({
  id: Schema.String.pipe(Schema.brand("ThingId")),
  count: Schema.BigIntFromString.pipe(Schema.brand("Count")),
  status: Status,
  at: Schema.DateTimeUtcFromString
})
const put = Operation.make({
  group: "things",
  name: "put",
  method: "PUT",
  path: "/v1/things",
  payload: Body.json(Thing),
  success: Body.json(Thing),
  errors: []
})
const thing = { id: "a", count: "1", status: "Ready", at: "2026-01-01T00:00:00Z" }
const endpoint = { id, type: "VPC_RESOURCE", status: "Ready" }

const respond = (request: Request) =>
  Response.json(request.url.endsWith("things") ? thing : { status: 200, requestId: "1", result: endpoint })
const fetches: ReadonlyArray<NonNullable<Options["fetch"]>> = [
  globalThis.fetch,
  fetch,
  async () => Response.json(thing),
  async (url) => new Response(url),
  async (url, init) => respond(new Request(url, init)),
  (url, { signal, ...init }) => fetch(url, { ...init, signal: signal ?? null })
]

const names: Readonly<Record<string, string>> = { Ready: "ready" }
const shout = (text: string) => text.toUpperCase()
const cloud = new Client({
  baseUrl: "https://api.example.com",
  operations: { ...operations, things: { put } },
  fetch: async (url, init) => respond(new Request(url, init))
})
const ids = { organizationId: id, serviceId: id, reversePrivateEndpointId: id }
const { status, type = "" } = await cloud.reversePrivateEndpoints.get(ids)
const assigned: string | undefined = status
const result = await cloud.things.put({ payload: { id: "a", count: 1n, status: "New", at: new Date() } })
const texts: ReadonlyArray<string> = [result.id, result.status, type, assigned ?? ""]
const again = await cloud.things.put({ payload: result })
const total: bigint = again.count + 1n
const seconds: number = again.at.getTime() / 1000
await cloud.close()
const known = new Set<string>(["Ready"]).has(status ?? "")
console.log(fetches.length, texts.map(shout).join(), names[result.status], known, total, seconds)
