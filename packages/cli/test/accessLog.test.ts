import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Host from "../../../checks/fixtures/Host.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Server from "./Server.ts"

const { acme, deployKey } = Fixtures

const list = "/v1/organizations"
const asked = { authorization: `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}` }
const guess = { authorization: `Basic ${Base64.encode(`${deployKey.id}:${Child.wrongSecret}`)}` }

/** The lines of a log that are not the service's own. */
const accesses = (stderr: string) =>
  stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === "request")

describe.concurrent("the access log", () => {
  it.live("has a line for each request, malformed and rejected ones too", () =>
    Effect.gen(function* () {
      const child = yield* Server.seeded(
        {},
        "--access-log",
        "--rate-limit",
        "2/1h",
        "--log-format",
        "pretty",
        "--no-docs"
      )
      const seen: Array<{ readonly id: string | null; readonly bytes: number }> = []
      const fetched = (path: string, init: RequestInit) =>
        Effect.promise(async () => {
          const response = await fetch(`${child.url}${path}`, init)
          const { byteLength } = new Uint8Array(await response.arrayBuffer())
          seen.push({ id: response.headers.get("x-request-id"), bytes: byteLength })
        })
      const raw = (text: string) =>
        Effect.map(Host.exchange(child.url, text), (response) => {
          const [head = "", body = ""] = response.split("\r\n\r\n")
          seen.push({ id: /x-request-id: (.+)/i.exec(head)?.[1] ?? null, bytes: body.length })
        })

      yield* fetched(`${list}?token=hidden`, { headers: asked })
      yield* fetched(`${list}/${acme}/keys/hidden`, { method: "DELETE", headers: asked })
      yield* fetched(list, { headers: asked })
      yield* fetched(list, { headers: guess })
      yield* fetched("/hidden", { headers: asked })
      yield* fetched("/health", { method: "HEAD" })
      yield* raw("hidden\r\n\r\n")
      yield* raw(Host.closing("GET /health", "Host: hidden"))
      child.process.kill("SIGTERM")
      const { stderr } = yield* child.end

      const { id: keyId } = deployKey
      const [GET, DELETE] = ["GET", "DELETE"]
      const expected = [
        { method: GET, route: list, status: 200, keyId },
        { method: DELETE, route: `${list}/{organizationId}/keys/{keyId}`, status: 400, keyId },
        { method: GET, route: list, status: 429, keyId },
        { method: GET, route: list, status: 401 },
        { method: GET, status: 404 },
        { method: "HEAD", route: "/health", status: 200 },
        { method: "_OTHER", status: 400 },
        { method: GET, status: 400 }
      ].map((entry, i) => ({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: "INFO",
        message: "request",
        requestId: seen[i]?.id,
        durationMs: expect.any(Number),
        bytes: seen[i]?.bytes,
        address: "127.0.0.1",
        ...entry
      }))
      const lines = stderr.split("\n").filter((line) => line.startsWith("{"))
      expect(accesses(lines.join("\n"))).toEqual(expected)
      expect(lines).toHaveLength(expected.length)
      expect(lines.join()).not.toContain("hidden")
    })
  )

  it.live("does not wait in memory without limit for a reader that stalls", () =>
    Effect.gen(function* () {
      const child = yield* Server.seeded({}, "--access-log")
      child.process.stderr.pause()
      // a line has more than 200 bytes: together more than the pipe and the log hold
      const batch = Host.request("GET /health").repeat(29) + Host.closing("GET /health")
      const batches = 250
      yield* Effect.replicateEffect(Host.exchange(child.url, batch), batches, { concurrency: 4, discard: true })
      child.process.stderr.resume()
      const [, dropped] = yield* child.until("stderr", /"message":"(\d+) log entries were dropped/)
      child.process.kill("SIGTERM")
      const written = accesses((yield* child.end).stderr).length
      expect(written + Number(dropped)).toBe(30 * batches)
    })
  )
})
