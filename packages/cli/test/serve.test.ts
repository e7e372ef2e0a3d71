import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Child from "./Child.ts"

const seed = JSON.stringify(Fixtures.seed)
const { deployKey } = Fixtures

const list = (url: string, origin = "https://app.example.com") =>
  Effect.promise(() =>
    fetch(`${url}/v1/organizations`, {
      headers: { authorization: `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}`, origin }
    })
  )

describe.concurrent("serve", () => {
  it.live("writes its URL to stdout and everything else to stderr, until it is told to stop", () =>
    Effect.gen(function* () {
      const child = yield* Child.start(["serve", "--port", "0"])
      const [, url = ""] = yield* child.until("stdout", /^Listening on (http:\/\/127\.0\.0\.1:\d+)\n$/)
      expect((yield* list(url)).status).toBe(401)
      child.process.kill("SIGTERM")
      const { code, stderr, stdout } = yield* child.end
      expect(stdout).toBe(`Listening on ${url}\n`)
      const lines = stderr
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(lines).toEqual([
        { time, level: "WARN", message: expect.stringMatching(/the database is empty, .*--seed$/) },
        {
          time,
          level: "WARN",
          message: "authentication.failed",
          audit: "authentication.failed",
          operation: "organizations.list",
          reason: "unknown key",
          keyId: deployKey.id,
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          address: "127.0.0.1"
        },
        { time, level: "INFO", message: expect.stringMatching(/^stopping/) }
      ])
      expect(code).toBe(130)
    })
  )

  it.live("keeps what a file holds, and leaves a seed for it aside", () =>
    Effect.gen(function* () {
      const folder = yield* Child.folder({ "seed.json": seed, "empty.json": `{ "organizations": [] }` })
      const first = yield* Child.serve("--database", `${folder}/cloud.db`, "--seed", `${folder}/seed.json`)
      first.process.kill("SIGINT")
      expect(yield* first.end).toMatchObject({ code: 130, stdout: `{"url":"${first.url}"}\n` })
      const second = yield* Child.serve("--database", `${folder}/cloud.db`, "--seed", `${folder}/empty.json`)
      yield* second.until("stderr", /"WARN".*already has content: .*empty\.json was left aside/)
      expect((yield* list(second.url)).status).toBe(200)
    })
  )

  it.live("limits the rate of a key, and lets the named origins in", () =>
    Effect.gen(function* () {
      const folder = yield* Child.folder({ "seed.json": seed })
      const origins = ["https://app.example.com", "http://localhost:3000"]
      const { url } = yield* Child.serve(
        "--seed",
        `${folder}/seed.json`,
        "--rate-limit",
        "2/1h",
        ...origins.flatMap((origin) => ["--cors-origin", origin])
      )
      for (const origin of origins) {
        const response = yield* list(url, origin)
        expect(response.headers.get("access-control-allow-origin")).toBe(origin)
        expect(response.headers.get("x-ratelimit-limit")).toBe("2")
        expect(response.status).toBe(200)
      }
      const ended = yield* Child.run(["organizations", "list", "--format", "json"], {
        CLOUD_MANAGEMENT_BASE_URL: url,
        CLOUD_MANAGEMENT_KEY_ID: deployKey.id,
        CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret
      })
      expect(ended).toMatchObject({ code: 7, stdout: "" })
      expect(ended.stderr).toMatch(/^\{"error":\{"tag":"RateLimited",.*"status":429,.*"retryable":true\}\}\n$/)
    })
  )

  it.live("says which port is taken", () =>
    Effect.gen(function* () {
      const { url } = yield* Child.serve()
      const { port } = new URL(url)
      const { code, stderr } = yield* Child.run(["serve", "--port", port])
      expect(stderr).toContain(`error: 127.0.0.1:${port} is taken by another process (EADDRINUSE)\n`)
      expect(code).toBe(1)
    })
  )
})
