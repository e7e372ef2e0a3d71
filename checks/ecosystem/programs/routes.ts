/** Serves the routes of Hono and Express, and prints what they respond with. */
import { serve } from "@hono/node-server"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { app as effect, close } from "./effect.ts"
import { app as express } from "./express.ts"
import { app as hono } from "./hono.ts"

const { ENDPOINT = "", SERVICE = "", VICTIM = "" } = process.env

const servers = [serve({ fetch: hono.fetch, port: 0 }), createServer(express).listen(0)]
const [first = "", second = ""] = await Promise.all(
  servers.map(async (server) => {
    if (server.address() === null) await once(server, "listening")
    return `http://localhost:${(server.address() as AddressInfo).port}`
  })
)
const read = await fetch(`${first}/services/${SERVICE}/${ENDPOINT}`)
const { name, status } = (await read.json()) as { readonly name: string; readonly status: string }
const statuses = [
  (await fetch(`${first}/services/${SERVICE}/${SERVICE}`)).status,
  (await fetch(`${first}/services/${SERVICE}/no-uuid`)).status,
  (await fetch(`${second}/keys/${VICTIM}`, { method: "DELETE" })).status
]
if (statuses.join() !== "404,400,204") throw new Error(statuses.join())
const organization = await (await effect.request("/organization")).json()
if (JSON.stringify(organization) !== JSON.stringify({ name })) throw new Error(JSON.stringify(organization))
await close()
const again = await fetch(`${second}/keys/${VICTIM}`, { method: "DELETE" })
const { reason } = (await again.json()) as { readonly reason: string }
console.log(name, status, reason)
for (const server of servers) server.close()
