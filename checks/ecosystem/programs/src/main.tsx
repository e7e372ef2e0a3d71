/** Mounts the component over a service that is busy once, busy always, and silent. */
import { CloudManagement } from "@cloud-management/promise"
import { QueryClientProvider } from "@tanstack/react-query"
import { createRoot } from "react-dom/client"
import { Organization, queries } from "./Organization.tsx"

const { CLOUD_MANAGEMENT_KEY_ID: keyId, CLOUD_MANAGEMENT_KEY_SECRET: keySecret } = Object.fromEntries(
  new URLSearchParams(location.search)
)
const main = document.querySelector("main")
if (main === null || keyId === undefined || keySecret === undefined) throw new Error("no settings")

/** How many requests the page has sent when it shows a text. */
const show = async (pattern: RegExp, respond: (sent: number, init?: RequestInit) => Promise<Response> | undefined) => {
  let sent = 0
  const cloud = new CloudManagement({
    baseUrl: location.origin,
    keyId,
    keySecret,
    // only the component ends a request
    timeout: Infinity,
    fetch: (url, init) => respond(++sent, init) ?? fetch(url, init)
  })
  const root = createRoot(main)
  root.render(
    <QueryClientProvider client={queries}>
      <Organization cloud={cloud} />
    </QueryClientProvider>
  )
  while (sent === 0 || !pattern.test(main.textContent)) await new Promise(requestAnimationFrame)
  root.unmount()
  queries.clear()
  return sent
}
const busy = async () => Response.json({ status: 503, error: "BUSY: Come again", requestId: "1" }, { status: 503 })

const once = await show(/Acme/, (sent) => (sent === 1 ? busy() : undefined))
const always = await show(/^Try again.*BUSY/, busy)
const aborted = Promise.withResolvers<string>()
await show(/…/, (_, init) => {
  init?.signal?.addEventListener("abort", () => aborted.resolve("aborted"))
  return new Promise(() => {})
})
document.title = `Acme after ${once}, BUSY after ${always}, ${await aborted.promise}`
