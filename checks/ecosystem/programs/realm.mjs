/** Uploads a file of a page that the tool in the argument makes, whose classes are not those of Node.js, to a mock. */
import * as Body from "@cloud-management/client/Body"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import { Client } from "@cloud-management/promise"
import * as Mock from "@cloud-management/testing/Mock"
import * as Schema from "effect/Schema"

const [tool] = process.argv.slice(2)
const page = async () => {
  if (tool === "jsdom") return new (await import("jsdom")).JSDOM().window
  return new (await import("happy-dom")).Window()
}
const window = await page()
// what jsdom lacks stays that of Node.js
for (const name of ["navigator", "Blob", "File", "FormData", "Headers", "Request", "Response"])
  if (name in window) Object.defineProperty(globalThis, name, { value: window[name], configurable: true })

const upload = Operation.make({
  group: "assets",
  name: "upload",
  method: "POST",
  path: "/assets",
  payload: Body.multipart(Schema.Struct({ note: Schema.String, file: Body.File })),
  success: Body.empty,
  errors: []
})
const mock = Mock.make({ assets: { upload } })
const options = { baseUrl: "http://mock", credentials: Credentials.none, fetch: mock.fetch }
await using client = new Client({ operations: { assets: { upload } }, ...options })
const file = new File(["hellö"], "a.txt", { type: "text/plain" })
await client.assets.upload({ payload: { note: "ü", file } })
const form = new FormData()
form.append("note", "by itself")
form.append("file", file)
await mock.fetch("http://mock/assets", { method: "POST", body: form })

for (const { payload } of mock.inputs(upload)) {
  const { name, size, type } = payload.file
  console.log(`${tool}: ${payload.note}, ${name}, ${type}, ${size}, ${await payload.file.text()}`)
}
