/** Makes calls in a runtime without the features that browsers of 2022 lack, and prints their results. */
import "./lacking.ts"
import { CloudManagement } from "@cloud-management/promise"
import { wellFormed } from "../../client/src/internal/content.ts"

const id = "12345678-1234-1234-1234-123456789012"
const settings = { baseUrl: "https://api.example.com", keyId: "key-id", keySecret: "key-secret" }
const listed = { status: 200, requestId: "req-1", result: [{ id, name: "Acme", createdAt: "2026-01-01T00:00:00Z" }] }
let requests = 0
const cloud = new CloudManagement({
  ...settings,
  fetch: async (_, init) => {
    if (init?.method === "DELETE") return new Response(`{"status":403,"error":"no"}`, { status: 403 })
    return ++requests === 1 ? new Response("", { status: 503 }) : new Response(JSON.stringify(listed))
  }
})
const nameOf = (error: unknown) => String(error instanceof Error && error.name)
const results: Array<unknown> = [
  (await cloud.organizations.list())[0]?.name,
  await cloud.apiKeys.delete({ organizationId: id, keyId: id }).catch(nameOf),
  await Promise.resolve()
    .then(() => new CloudManagement({ ...settings, baseUrl: "https://" }))
    .catch(nameOf),
  await Promise.resolve()
    .then(() => wellFormed("query", "\ud800"))
    .catch(nameOf),
  wellFormed("query", "😀")
]
await cloud.close()
console.log(JSON.stringify({ requests, results }))
