import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, analytics, readyEndpoint } = Fixtures

/** A service whose endpoint has these statuses, one a read, and then the last one for good. A number is an HTTP status. */
const scripted = (
  statuses: ReadonlyArray<string | number>,
  headers: (read: number) => Readonly<Record<string, string>> = () => ({})
) =>
  Effect.map(
    Server.answering(({ length }) => {
      const status = statuses[Math.min(length, statuses.length) - 1]
      const body =
        typeof status === "number"
          ? { status, error: "X: refused" }
          : { status: 200, result: { id: readyEndpoint, status } }
      return { status: body.status, headers: headers(length), body: JSON.stringify(body) }
    }),
    ({ received, url }) => ({ url, reads: () => received.length })
  )

const wait = (url: string, ...args: ReadonlyArray<string>) =>
  Invocation.run(
    ["endpoints", "get", acme, analytics, readyEndpoint, "--wait", "--every", "1ms", ...args],
    Server.client(url)
  )

describe.concurrent("endpoints get --wait", () => {
  it.live("writes a line for each change to stderr, and the endpoint once it is ready", () =>
    Effect.gen(function* () {
      const { reads, url } = yield* scripted(["Provisioning", "Provisioning", "PendingAcceptance", "Ready"])
      const ended = yield* wait(url)
      expect(ended.stderr).toMatch(/^\d+s  Provisioning\n\d+s  PendingAcceptance\n\d+s  Ready\n$/)
      expect(ended.stdout).toMatch(new RegExp(`^ID      ${readyEndpoint}\nStatus  Ready\n$`))
      expect(ended.code).toBe(0)
      expect(reads()).toBe(4)
    })
  )

  it.live("gives JSON, on stderr as well", () =>
    Effect.gen(function* () {
      const { url } = yield* scripted(["Provisioning", "Ready"])
      const ended = yield* wait(url, "--format", "json")
      const progress = ended.stderr.trimEnd().split("\n")
      expect(progress.map((line) => JSON.parse(line))).toEqual([
        { progress: { status: "Provisioning", elapsedSeconds: expect.any(Number) } },
        { progress: { status: "Ready", elapsedSeconds: expect.any(Number) } }
      ])
      expect(JSON.parse(ended.stdout)).toEqual({ id: readyEndpoint, status: "Ready" })
      expect(ended.code).toBe(0)
    })
  )

  it.live("waits for the status that is asked for", () =>
    Effect.gen(function* () {
      const { url } = yield* scripted(["Ready", "Failed"])
      const { code, stdout } = yield* wait(url, "--status", "Failed")
      expect(stdout).toMatch(/Status {2}Failed/)
      expect(code).toBe(0)
    })
  )

  it.live("takes a status in any letter case, and one that is not known only when it is told to", () =>
    Effect.gen(function* () {
      const { reads, url } = yield* scripted(["Provisioning", "Ready", "Novel"])
      expect(yield* wait(url, "--status", "ready")).toMatchObject({ code: 0 })
      expect(reads()).toBe(2)
      const refused = yield* wait(url, "--status", "novel")
      expect(refused).toMatchObject({ code: 2, stdout: "" })
      expect(refused.stderr).toContain("pass --any-status as well")
      expect(reads()).toBe(2)
      const { code, stdout } = yield* wait(url, "--status", "Novel", "--any-status")
      expect(stdout).toMatch(/Status {2}Novel/)
      expect(code).toBe(0)
    })
  )

  it.live("exits with 6 at a status from which the other cannot be reached", () =>
    Effect.gen(function* () {
      const { reads, url } = yield* scripted(["Provisioning", "Failed", "Ready"])
      const ended = yield* wait(url)
      expect(ended.stderr).toMatch(/\nerror: the endpoint is Failed and can no longer become Ready\n$/)
      expect(ended).toMatchObject({ code: 6, stdout: "" })
      expect(reads()).toBe(2)
    })
  )

  it.live("exits with 7 when it takes too long", () =>
    Effect.gen(function* () {
      const { url } = yield* scripted(["Provisioning"])
      const ended = yield* wait(url, "--timeout", "300ms", "--format", "json")
      const last = ended.stderr.trimEnd().split("\n").at(-1) ?? ""
      expect(JSON.parse(last)).toMatchObject({
        error: {
          tag: "WaitTimedOut",
          message: expect.stringMatching("did not become Ready within 300ms"),
          retryable: true
        }
      })
      expect(ended).toMatchObject({ code: 7, stdout: "" })
    })
  )

  it.live("shows a failure after which it goes on, what it waits for, and the time left", () =>
    Effect.gen(function* () {
      const statuses = [503, 503, "Provisioning", 503, "Ready"]
      const people = yield* wait((yield* scripted(statuses)).url, "--timeout", "5m")
      expect(people.code).toBe(0)
      const failure = "\\d+s  X: refused; still waiting for Ready, (5m|4m \\d+s) left\n"
      expect(people.stderr).toMatch(new RegExp(`^${failure}\\d+s  Provisioning\n(${failure})?\\d+s  Ready\n$`))
      const programs = yield* wait((yield* scripted(statuses)).url, "--format", "json")
      expect(JSON.parse(programs.stderr.split("\n", 1)[0] ?? "")).toEqual({
        event: {
          tag: "ReadFailed",
          reason: "ServiceUnavailable",
          message: expect.any(String),
          awaited: "Ready",
          elapsedSeconds: expect.any(Number),
          leftSeconds: expect.any(Number)
        }
      })
    })
  )

  it.live("exits at once when there is no such host", () =>
    Effect.gen(function* () {
      const ended = yield* wait("https://nowhere.invalid")
      expect(ended).toMatchObject({ code: 7, stdout: "" })
      expect(ended.stderr).toContain("the host name in https://nowhere.invalid cannot be resolved (ENOTFOUND)")
    })
  )

  it.live("exits at once when the read is refused", () =>
    Effect.gen(function* () {
      const { reads, url } = yield* scripted([403])
      expect(yield* wait(url)).toMatchObject({ code: 4, stdout: "" })
      expect(reads()).toBe(1)
    })
  )

  it.live("keeps to the rate limit that the service states, as every command does", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const limit = (read: number) => {
        times.push(performance.now())
        return {
          "x-ratelimit-limit": "2",
          "x-ratelimit-remaining": String(read % 2),
          "x-ratelimit-reset": "0.1"
        }
      }
      const { url } = yield* scripted(["Provisioning", "Provisioning", "Provisioning", "Provisioning", "Ready"], limit)
      expect(yield* wait(url)).toMatchObject({ code: 0 })
      const [, second = 0, third = 0, fourth = 0, fifth = 0] = times
      expect(third - second).toBeGreaterThanOrEqual(99)
      expect(fifth - fourth).toBeGreaterThanOrEqual(99)
    })
  )
})
