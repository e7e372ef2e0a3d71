/** Mocks HTTP with the tool in the argument, and prints which clients see it; `docs/library/testing.md` has the table. */
import { FetchTransport } from "@cloud-management/browser"
import { CloudManagement as Core } from "@cloud-management/core"
import { CloudManagement } from "@cloud-management/promise"
import { Effect, Layer } from "effect"

const baseUrl = process.env.CLOUD_MANAGEMENT_BASE_URL
const path = "/v1/organizations"
const reply = { status: 200, requestId: "1", result: [{ id: "12345678-1234-1234-1234-123456789012", name: "mocked" }] }

const [tool] = process.argv.slice(2)
if (tool === "msw") {
  const { http, HttpResponse } = await import("msw")
  const { setupServer } = await import("msw/node")
  setupServer(http.get(`${baseUrl}${path}`, () => HttpResponse.json(reply))).listen()
} else if (tool === "undici") {
  const { MockAgent, setGlobalDispatcher } = await import("undici")
  const agent = new MockAgent()
  agent.disableNetConnect()
  agent.get(baseUrl).intercept({ path }).reply(200, reply).persist()
  setGlobalDispatcher(agent)
} else {
  const { default: nock } = await import(tool)
  nock.disableNetConnect()
  nock(baseUrl).persist().get(path).reply(200, reply)
}

const withPromises = async (options) => {
  await using cloud = new CloudManagement(options)
  return (await cloud.organizations.list())[0].name
}
const withEffect = Effect.gen(function* () {
  const cloud = yield* Core.CloudManagement
  return (yield* cloud.organizations.list())[0].name
}).pipe(Effect.provide(Layer.provide(Core.layerConfig(), FetchTransport.layer)))

const names = [
  await withPromises({}),
  await withPromises({ fetch: (url, init) => fetch(url, init) }),
  await Effect.runPromise(withEffect)
]
console.log(`${tool}: ${names.join(", ")}`)
