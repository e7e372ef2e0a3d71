import { Child, describe, expect, Host, it, Program } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { Telemetry } from "@cloud-management/service"
import { Fixtures } from "@cloud-management/testing"
import * as Server from "./Server.ts"

const { acme, backupKey, deployKey, disabledKey, expiredKey, globexKey } = Fixtures
type Key = { readonly id: string; readonly secret: string }

const basic = ({ id, secret }: Key) => `Authorization: Basic ${Base64.encode(`${id}:${secret}`)}`
const send = (url: string, line: string, ...headers: ReadonlyArray<string>) =>
  Effect.map(Host.exchange(url, Host.closing(line, ...headers)), (text) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]))

const serve = (...args: ReadonlyArray<string>) =>
  Server.seeded(
    // on a busy machine, a request can take seconds to arrive
    { CLOUD_MANAGEMENT_HEADERS_TIMEOUT: "1m", CLOUD_MANAGEMENT_REQUEST_TIMEOUT: "2m" },
    "--metrics-port",
    "0",
    ...args
  )

const scrape = (page: string) => Effect.promise(() => fetch(page).then((response) => response.text()))
const samples = (text: string) =>
  new Map(Array.from(text.matchAll(/^([^#].*) (\S+)$/gm), ([, series = "", value]) => [series, Number(value)] as const))

const wrong = { id: deployKey.id, secret: Child.wrongSecret }
const nobody = { id: "a0000000-0000-4000-8000-0000000000ff", secret: Child.wrongSecret }
const list = "GET /v1/organizations"
const remove = `DELETE /v1/organizations/${acme}/keys/${backupKey.id}`

/** Requests of every kind: how often each is sent, and the status of its response. */
const load: ReadonlyArray<readonly [times: number, status: number, line: string, headers: ReadonlyArray<string>]> = [
  [3, 200, list, [basic(deployKey)]],
  [2, 200, "HEAD /v1/organizations", [basic(deployKey)]],
  [1, 200, "GET /health", []],
  [1, 200, "GET /ready", []],
  [1, 401, list, []],
  [1, 401, list, ["Authorization: Bearer abc"]],
  [2, 401, list, [basic(wrong)]],
  [1, 401, list, [basic(nobody)]],
  [1, 401, list, [basic(disabledKey)]],
  [1, 401, list, [basic(expiredKey)]],
  [1, 403, remove, [basic(globexKey)]],
  [1, 400, `DELETE /v1/organizations/${acme}/keys/1`, [basic(deployKey)]],
  [1, 200, remove, [basic(deployKey)]],
  [2, 404, remove, [basic(deployKey)]],
  // nine of ten requests that it may make are left
  [9, 200, list, [basic(globexKey)]],
  [4, 429, list, [basic(globexKey)]],
  // with the one before, as many guesses as an address may make with a key's ID, and one more
  [19, 401, list, [basic({ ...wrong, id: disabledKey.id })]],
  [1, 429, list, [basic({ ...wrong, id: disabledKey.id })]],
  [1, 405, "POST /v1/organizations", []],
  [1, 400, "GET /health", ["Transfer-Encoding: gzip"]],
  [1, 414, `GET /${"a".repeat(3000)}`, []],
  ...Array.from({ length: 20 }, (_, n) => [1, 404, `GET /scan-${n}/${nobody.id}`, []] as const),
  // a method that Node.js knows
  [1, 404, "PURGE /", []],
  ...Array.from({ length: 5 }, (_, n) => [1, 501, `SCAN${n} /`, []] as const)
]

const requests = (method: string, route: string, status: number, error = "") =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"${error}}`
const keyRoute = "/v1/organizations/{organizationId}/keys/{keyId}"
const counted = (name: string, label: string, values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(
    ([value, count]) => [`cloud_management_${name}{cloud_management_${label}="${value}"}`, count] as const
  )
const calls = (operation: string) =>
  `cloud_management_store_call_duration_seconds_count{cloud_management_store_operation="${operation}"}`

const expected = new Map([
  [requests("GET", "/v1/organizations", 200), 12],
  [requests("HEAD", "/v1/organizations", 200), 2],
  [requests("GET", "/v1/organizations", 401), 26],
  [requests("GET", "/v1/organizations", 429), 5],
  [requests("GET", "/health", 200), 1],
  [requests("GET", "/ready", 200), 1],
  [requests("DELETE", keyRoute, 200), 1],
  [requests("DELETE", keyRoute, 400), 1],
  [requests("DELETE", keyRoute, 403), 1],
  [requests("DELETE", keyRoute, 404), 2],
  [requests("POST", "/*", 405), 1],
  [requests("GET", "/*", 400), 1],
  [requests("GET", "/*", 404), 20],
  [requests("GET", "/*", 414), 1],
  [requests("_OTHER", "/*", 404), 1],
  [requests("_OTHER", "/*", 501, ',error_type="501"'), 5],
  ...counted("server_rejections_total", "reason", {
    malformed: 1,
    "too slow": 0,
    "too large": 1,
    "unknown method": 5,
    "unknown route": 21,
    "method not allowed": 1,
    "invalid input": 1,
    "foreign organization": 1,
    draining: 0
  }),
  ...counted("server_failed_authentications_total", "reason", {
    "no credentials": 1,
    "malformed credentials": 1,
    "unknown key": 1,
    "wrong secret": 21,
    "disabled key": 1,
    "expired key": 1
  }),
  ...counted("server_rate_limited_total", "limit", { key: 4, address: 0, "address and key": 1 }),
  ...counted("server_deletions_total", "outcome", { deleted: 1, "not-found": 2, "caller-inactive": 0, unconfirmed: 0 }),
  // all but those without a key's ID, which are not looked up
  [calls("organization"), 12 + 2 + 24 + 4],
  [calls("apiKey"), 5],
  [calls("deleteApiKey"), 3],
  [calls("ping"), 1],
  ["cloud_management_log_dropped_total", 0]
])
const isCounted = (series: string) =>
  /_total\b|^http_server_request_duration_seconds_count|_store_call_duration_seconds_count/.test(series)

describe.concurrent("the metrics of serve", () => {
  it.live("count each request, rejection and call of the store, with a series for each route", function* () {
    const { page, stop, url } = yield* serve("--rate-limit", "10/1h")
    for (const [times, status, line, headers] of load) {
      for (let n = 0; n < times; n++) expect([line, yield* send(url, line, ...headers)]).toEqual([line, status])
    }
    const text = yield* scrape(page)
    const all = samples(text)
    expect(new Map([...all].filter(([series]) => isCounted(series)))).toEqual(expected)
    for (const [series, value] of all) if (series.startsWith("http_server_active_requests")) expect(value).toBe(0)
    expect(text).toMatch(/^cloud_management_build_info\{service_version="[\d.]+",process_runtime_version="[\d.]+"\} 1/m)
    expect(all.get("process_memory_usage_bytes")).toBeGreaterThan(1e7)
    expect(all.get('v8js_memory_heap_used_bytes{v8js_heap_space_name="old_space"}')).toBeGreaterThan(1e6)
    // no ID, address or secret
    expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-|127\.0\.0\.1|secret-of|scan/i)
    expect(yield* stop).toMatchObject({ code: 0 })
  })

  Program.suite(["promtool"], (path) =>
    it.live("are written as Prometheus reads them, also those of TLS and of a database", function* () {
      const { page, url } = yield* serve()
      for (const [, , line, headers] of load) yield* send(url, line, ...headers)
      const names = Object.values(Telemetry.metrics)
        .map(({ name, type }) => [Telemetry.prometheusName(name), type === "histogram" ? "untyped" : type] as const)
        .map(([name, type]) => `# HELP ${name} x\n# TYPE ${name} ${type}\n${name} 1\n`)
      for (const input of [yield* scrape(page), names.join("")]) {
        const { status, stderr } = spawnSync(path("promtool"), ["check", "metrics"], { input, encoding: "utf8" })
        expect([status, stderr]).toEqual([0, ""])
      }
    })
  )

  it.live("have a port of their own, on which nothing else is served", function* () {
    const { page, url } = yield* serve()
    expect(new URL(page).port).not.toBe(new URL(url).port)
    expect(yield* send(url, "GET /metrics")).toBe(404)
    expect(yield* send(page, "GET /v1/organizations", basic(deployKey))).toBe(404)
    expect(yield* send(page, "POST /metrics")).toBe(405)
    expect(yield* send(page, "HEAD /metrics")).toBe(200)
    // without this, Prometheus does not take the page
    const { headers } = yield* Effect.promise(() => fetch(page, { method: "HEAD" }))
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  })

  Program.suite(["promtool"], (path) =>
    it("have example alert rules that fire for what goes on, and for each event that counts", () => {
      const { stderr, stdout } = spawnSync(path("promtool"), ["test", "rules", "examples/deploy/alerts.test.yml"])
      expect(String(stdout) + String(stderr)).toMatch(/SUCCESS/)
    })
  )

  it("have example alert rules on series that there are", () => {
    const rules = readFileSync("examples/deploy/alerts.yml", "utf8")
    const names = Array.from(
      rules.matchAll(/\b(?:http_server|db_client|cloud_management)_\w+(?=\W*(?:[[{)]|$))/gm),
      ([name]) => name.replace(/_(count|bucket)$/, "")
    )
    const labels = new Set(Object.values(Telemetry.attributes).map((name) => name.replaceAll(".", "_")))
    const known = Object.values(Telemetry.metrics).map(({ name }) => Telemetry.prometheusName(name))
    expect(names.length).toBeGreaterThan(9)
    expect(names.filter((name) => !known.includes(name) && !labels.has(name))).toEqual([])
  })
})
