import { Miniflare } from "miniflare"
import { env } from "node:process"

const { CLOUD_MANAGEMENT_BASE_URL, CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET } = env
const { ENDPOINT, SERVICE, VICTIM } = env
const client = { CLOUD_MANAGEMENT_BASE_URL, CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET }
const worker = new Miniflare({
  modules: true,
  scriptPath: "dist/worker.js",
  bindings: { ...client, ENDPOINT, SERVICE, VICTIM },
  compatibilityDate: "2026-04-01"
})
try {
  const response = await worker.dispatchFetch("http://worker/")
  console.log(await response.text())
} finally {
  await worker.dispose()
}
