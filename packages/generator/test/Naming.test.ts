import { Client, Credentials, Log, Metrics } from "@cloud-management/client"
import { NodeTransport } from "@cloud-management/node"
import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { join } from "node:path"
import { inspect } from "node:util"
import * as Listener from "../../../checks/fixtures/Listener.ts"
import * as Recorder from "../../client/test/Recorder.ts"
import { having, make, none, object, text } from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

const failure = object({ code: text, message: text }, ["code", "message"])
const responses = { ...none, "409": having(failure) }
const operations = { "POST /pets": { operationId: "create_pet", tags: ["pets"], responses } }

const refused = Effect.fnUntraced(
  function* (generated: Generated.Module) {
    const requests: Array<IncomingHttpHeaders> = []
    const baseUrl = yield* Listener.serve((request, response) => {
      requests.push(request.headers)
      response.writeHead(409, { "content-type": "application/json" }).end('{"code":"taken","message":"It is taken"}')
    })
    const credentials = Credentials.bearer("key")
    const client = yield* Client.make({}, { baseUrl, credentials, log: Log.effect, metrics: Metrics.effect })
    const recorder = Recorder.make()
    const call = client.execute(Generated.find(generated, "create_pet"), {})
    const error = yield* recorder.record(Effect.flip(call))
    return { error, agent: requests[0]?.["user-agent"], recorder, series: recorder.series() }
  },
  Effect.provide(NodeTransport.layer),
  Effect.scoped
)

it.effect.each<[title: string | undefined, name: string | undefined, agent: string, prefix: string]>([
  ["Pet Store (beta)", undefined, "Pet-Store-beta/v1", "pet_store_beta"],
  ["Pet Store", "Zoo", "Zoo/v1", "zoo"],
  ["宠物", undefined, "api/v1", "api"],
  [undefined, undefined, "api/v1", "api"]
])("a client of the document %s, with the name %s, is called %s", function* ([title, name, agent, prefix]) {
  const folder = Folder.ofTest()
  const document = { ...make({ operations }), info: { title, version: "v1" } }
  Generated.write(folder, Generated.of(document, { name }))
  const seen = yield* refused(yield* Effect.promise(() => Generated.load(folder)))
  expect(seen.error.reason).toMatchObject({ _tag: "Conflict", body: { code: "taken" } })
  expect(seen.agent).toBe(agent)
  expect(seen.recorder.spans.map(({ name }) => name)).toContain(`${prefix} pets.create`)
  expect(inspect(seen.series)).toContain(`${prefix}.client.call.duration`)
  const texts = [seen.error.message, String(seen.error), inspect(seen, { depth: 20 })]
  expect(texts.join("\n")).not.toMatch(/cloud|envelope/i)
})

it("the types of a client say nothing of another API", () => {
  const folder = Folder.ofTest()
  Generated.write(folder, Generated.of(make({ operations })))
  const program = `import type * as Client from "@cloud-management/client/Client"
import type { operations } from "./index.ts"
export const shown = (method: Client.Client<typeof operations>["pets"]["create"]): never => method
`
  writeFileSync(join(folder, "program.ts"), program)
  const shown = Generated.compile(folder)
  expect(shown).toContain("Effect<void, CallError<")
  expect(shown).not.toMatch(/cloud|envelope/i)
})
