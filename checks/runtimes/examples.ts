/** The examples that need a browser or workerd, driven as their users would. */
import { Fixtures } from "@cloud-management/testing"
import { Effect, Schedule } from "effect"
import type { Response } from "playwright-core"
import * as Runtime from "./Runtime.ts"
import { equal, run } from "./run.ts"

const { deployKey } = Fixtures

export const browserProxy = Effect.gen(function* () {
  const url = yield* Runtime.serve(process.execPath, "examples/browser-proxy/main.ts")
  const { open } = yield* Runtime.Chromium
  const page = yield* open(url)
  const see = (id: string, text: string) =>
    Effect.asVoid(Effect.tryPromise(() => page.locator(`#${id}`, { hasText: text }).waitFor({ timeout: 60_000 })))
  const textOf = (id: string) => Effect.tryPromise(() => page.locator(`#${id}`).innerText())

  return yield* run({
    "the page shows the organization and the endpoint": Effect.gen(function* () {
      yield* see("status", "Ready")
      yield* equal(yield* textOf("organization"), "Acme")
      yield* equal(yield* textOf("created"), "since 2026-01-01")
      yield* equal(yield* textOf("names"), "vpce-0123456789abcdef0.example.com, orders.internal.example.com")
      yield* equal(yield* textOf("error"), "")
    }),
    "the key is in nothing that the browser gets or sends, and nothing leaves the page's origin": Effect.gen(
      function* () {
        const responses: Array<Response> = []
        const complaints: Array<string> = []
        page.on("response", (response) => responses.push(response))
        page.on("console", (message) => complaints.push(message.text()))
        yield* Effect.tryPromise(() => page.reload({ waitUntil: "networkidle" }))
        yield* see("status", "Ready")
        const seen = yield* Effect.forEach(responses, (response) =>
          Effect.tryPromise(async () => {
            const heads = [await response.request().allHeaders(), await response.allHeaders()]
            return { url: response.url(), text: `${JSON.stringify(heads)}${await response.text()}` }
          })
        )
        yield* equal([...new Set(seen.map((one) => new URL(one.url).origin))], [url])
        yield* equal(seen.filter(({ url }) => url.includes("/api/v1/organizations")).length, 2)
        const forms = [deployKey.secret, btoa(`${deployKey.id}:${deployKey.secret}`), btoa(deployKey.secret)]
        yield* equal(
          seen.filter(({ text }) => forms.some((form) => text.includes(form))).map(({ url }) => url),
          []
        )
        yield* equal(complaints, [])
      }
    ),
    "without a session there is a 401, without a challenge, and for other origins no consent": Effect.gen(function* () {
      const headers = { origin: "https://elsewhere.example.com", authorization: `Basic ${btoa("session:made up")}` }
      const ask = Effect.tryPromise((signal) => fetch(`${url}/api/v1/organizations`, { headers, signal }))
      const { headers: given, status } = yield* ask
      yield* equal([status, given.get("www-authenticate"), given.get("access-control-allow-origin")], [401, null, null])
    })
  })
})

export const edgeWorker = (baseUrl: string) =>
  Effect.gen(function* () {
    const script = yield* Runtime.bundle("../../examples/edge-worker/worker.ts")
    const key = { CLOUD_MANAGEMENT_KEY_ID: deployKey.id, CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret }
    const path = `/${Fixtures.analytics}/${Fixtures.readyEndpoint}`
    const serve = (baseUrl: string) => Runtime.serveWorker(script, { CLOUD_MANAGEMENT_BASE_URL: baseUrl, ...key })
    const { logged, url } = yield* serve(baseUrl)
    const readAt = (url: string) =>
      Effect.tryPromise(async (signal) => {
        const response = await fetch(url + path, { signal })
        return `${response.status} ${await response.text()}`
      })
    const read = readAt(url)
    const all = { concurrency: "unbounded" } as const

    return yield* run({
      "requests that come at once all get a response, by one client": Effect.gen(function* () {
        yield* equal([...new Set(yield* Effect.replicateEffect(read, 30, all))], ["200 Ready"])
        const built = Effect.map(logged, (text) => text.split("client built").length - 1)
        yield* Effect.repeat(built, { until: (times) => times > 0, schedule: Schedule.spaced("10 millis") })
        yield* equal(yield* built, 1)
      }),
      "a caller that leaves takes nobody else's response along": Effect.gen(function* () {
        yield* Effect.replicateEffect(Effect.timeoutOption(read, "2 millis"), 10, all)
        yield* equal([...new Set(yield* Effect.replicateEffect(read, 10, all))], ["200 Ready"])
      }),
      "when the service is unavailable, the response says that it does not know": Effect.gen(function* () {
        const lost = yield* serve("http://127.0.0.1:1")
        yield* equal(yield* readAt(lost.url), "503 Not known at the moment")
      }).pipe(Effect.scoped)
    })
  })
