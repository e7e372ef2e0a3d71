/** All clients have their defaults, but where a body stalls, those with a limit for an attempt get one second. */
import { Body, Credentials, Operation } from "@cloud-management/client"
import { CallError, Client as Orders, CloudManagement } from "@cloud-management/promise"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { listen } from "../fixtures/Listener.ts"
import { table } from "./figures.ts"

interface Client {
  readonly list: () => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
  readonly create: () => Promise<unknown>
}
interface Settings {
  readonly authorization: string
  readonly baseUrl: string
  /** Milliseconds for an attempt, for clients with such a limit. */
  readonly timeout: number | undefined
}

const id = "12345678-1234-4234-8234-123456789012"

const create = Operation.make({
  group: "orders",
  name: "create",
  method: "POST",
  path: "/v1/orders",
  payload: Body.json(Schema.Struct({ article: Schema.String })),
  success: Body.json(Schema.Struct({ id: Schema.String })),
  errors: []
})

const ours = ({ baseUrl, timeout }: Settings): Client => {
  const cloud = new CloudManagement({ baseUrl, keyId: id, keySecret: "secret", ...(timeout && { timeout }) })
  const { orders } = new Orders({
    operations: { orders: { create } },
    baseUrl,
    credentials: Credentials.bearer("secret")
  })
  return {
    list: () => cloud.organizations.list(),
    remove: (keyId) => cloud.apiKeys.delete({ organizationId: id, keyId }),
    create: () => orders.create({ payload: { article: "chair" } })
  }
}

const envelope = { status: 200, requestId: id }
const reply =
  (status: number, body: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }
const list = reply(200, { ...envelope, result: [{ id, name: "Acme" }] })
const busy = reply(503, { status: 503, error: "SERVICE_UNAVAILABLE: Try again", requestId: id })
const missing = reply(404, { status: 404, error: "NOT_FOUND: No such key", requestId: id })
const lost: RequestListener = (_, response) => void response.destroy()
const stalled: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.write('{"status":200,')
}

const settle = async (call: Promise<unknown>) => {
  const timer = Promise.withResolvers<string>()
  const timeout = setTimeout(() => timer.resolve("still waits after 10 s"), 10_000)
  try {
    return await Promise.race([call.then(() => "succeeds"), timer.promise])
  } catch (error) {
    if (error instanceof CallError) return `\`${error.reason}\`, outcome ${error.outcome}`
    if (!(error instanceof Error)) return "fails"
    const message = error.message.split("\n")[0] ?? ""
    return error.constructor === Error ? `\`${message}\`` : `\`${error.constructor.name}\``
  } finally {
    clearTimeout(timeout)
  }
}

interface Scene {
  readonly name: string
  /** The responses of the server in turn; the last is for all that follow. */
  readonly replies: ReadonlyArray<RequestListener>
  readonly call: keyof Client
  /** Calls at once; of more than one, only the requests count. */
  readonly calls?: number
  readonly timeout?: number
}
const withoutId = reply(200, { ...envelope, result: [{ name: "Acme" }] })
const scenes: ReadonlyArray<Scene> = [
  { name: "the service is busy once (503)", call: "list", replies: [busy, list] },
  {
    name: "a deletion is applied, its response is lost, its 404 is declared",
    call: "remove",
    replies: [lost, missing]
  },
  { name: "a POST is applied, its response is lost", call: "create", replies: [lost, reply(200, { id })] },
  { name: "a gateway answers a deletion with its own 404", call: "remove", replies: [reply(404, "<h1>Not here</h1>")] },
  { name: "a gateway answers a list with its own 200", call: "list", replies: [reply(200, "<h1>Sign in</h1>")] },
  { name: "a list lacks a required ID", call: "list", replies: [withoutId] },
  { name: "the body of a list stalls", call: "list", replies: [stalled], timeout: 1000 },
  { name: "1,000 calls at once to a broken service (503)", call: "list", replies: [busy], calls: 1000 }
]

const play = async (make: (settings: Settings) => Client, { replies, call, calls = 1, timeout }: Scene) => {
  let requests = 0
  const server = createServer((request, response) => {
    const turn = replies[Math.min(requests++, replies.length - 1)]
    request.resume()
    turn?.(request, response)
  })
  const baseUrl = `http://127.0.0.1:${await listen(server)}`
  const client = make({ authorization: `Basic ${btoa(`${id}:secret`)}`, baseUrl, timeout })
  const [end = ""] = await Promise.all(Array.from({ length: calls }, () => settle(client[call](id))))
  server.closeAllConnections()
  server.close()
  const sent = `${requests.toLocaleString("en")} requests`
  if (calls > 1) return sent
  return requests === 1 ? end : `${end}, ${sent}`
}

const peers: { readonly clients: Readonly<Record<string, (settings: Settings) => Client>> } = await import(
  new URL("peers/clients.js", import.meta.url).href
)
const contestants = Object.entries({ ...peers.clients, "this client": ours })

const rows = [["", ...contestants.map(([name]) => name)]]
for (const scene of scenes) {
  const ends: Array<string> = []
  for (const [, make] of contestants) ends.push(await play(make, scene))
  rows.push([scene.name, ...ends])
}
const printed = table(rows)
console.log(printed)
const holds = readFileSync("docs/comparison.md", "utf8").includes(printed)
if (!holds) console.error("the table in docs/comparison.md is outdated: replace it with this one")
// some calls still wait
process.exit(holds ? 0 : 1)
