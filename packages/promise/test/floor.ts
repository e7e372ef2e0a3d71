/** Makes calls in a runtime without the features that browsers of 2022 lack, and prints their results. */
import "./lacking.ts"
import { CloudManagement } from "@cloud-management/promise"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Schema from "effect/Schema"
import { fromHttpApi } from "../../client/src/HttpApi.ts"
import * as SecretFinder from "../../client/src/SecretFinder.ts"
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
const failing = HttpApiEndpoint.get("get", "/pets", { error: Schema.Struct({ _tag: Schema.tag("Gone") }) })
const api = HttpApi.make("api").add(HttpApiGroup.make("pets").add(failing))
/** Those browsers lack it too, and the `Response` of Node.js needs it. */
const withoutWellFormed = <A>(run: () => A): A => {
  const own = Reflect.getOwnPropertyDescriptor(String.prototype, "toWellFormed")
  Reflect.deleteProperty(String.prototype, "toWellFormed")
  const result = run()
  if (own !== undefined) Object.defineProperty(String.prototype, "toWellFormed", own)
  return result
}
const findsSecret = () => {
  const finder = SecretFinder.make()
  finder.add("correct horse")
  return finder.finds("a correct horse")
}
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
  wellFormed("query", "😀"),
  Object.keys(fromHttpApi(api).operations.pets),
  withoutWellFormed(findsSecret)
]
await cloud.close()
console.log(JSON.stringify({ requests, results }))
