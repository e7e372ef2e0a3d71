import { Child, describe, expect, it, Listener } from "../../../checks/fixtures/index.ts"
import { Clock, Effect } from "effect"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, analytics, readyEndpoint } = Fixtures

/** A service whose endpoint has these statuses, one a read, and then the last one for good. A number is an HTTP status. */
const scripted = (
  statuses: ReadonlyArray<string | number>,
  headers: (read: number) => Readonly<Record<string, string>> = () => ({})
) =>
  Effect.map(
    Listener.replying(({ length }) => {
      const status = statuses[Math.min(length, statuses.length) - 1]
      const reply =
        typeof status === "number"
          ? Server.reply({ error: "X: refused" }, status)
          : Server.reply({ result: { id: readyEndpoint, status } })
      return { ...reply, headers: headers(length) }
    }),
    ({ received, url }) => ({ url, reads: () => received.length })
  )

/** A clock that someone sets an hour ahead or back each time that it is read. */
const setting = (direction: 1 | -1) =>
  Effect.map(Clock.Clock, (clock): Clock.Clock => {
    let now = clock.currentTimeMillisUnsafe()
    const currentTimeMillisUnsafe = () => (now += direction * 3_600_000)
    return Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe,
      currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
    })
  })

const wait = (url: string, ...args: ReadonlyArray<string>) =>
  Invocation.run(
    ["endpoints", "get", acme, analytics, readyEndpoint, "--wait", "--every", "1ms", ...args],
    Server.client(url)
  )

describe.concurrent("endpoints get --wait", () => {
  const changing = ["Provisioning", "Provisioning", "PendingAcceptance", "Ready"]
  const changes = /^\d+s  Provisioning\n\d+s  PendingAcceptance\n\d+s  Ready\nID {6}\S+\nStatus  Ready\n$/
  it.live.each<[string, ReadonlyArray<string | number>, args: string, code: number, read: number, written: RegExp]>([
    ["a line for each change, and the endpoint once it is ready", changing, "", 0, 4, changes],
    ["the endpoint in the status that is asked for", ["Ready", "Failed"], "--status Failed", 0, 2, /Status {2}Failed/],
    ["it, asked for in any letter case", ["Provisioning", "Ready"], "--status ready", 0, 2, /Status {2}Ready/],
    ["an error for a status that is not known", [], "--status novel", 2, 0, /pass --any-status as well/],
    ["that status where it is meant", ["Ready", "Novel"], "--status Novel --any-status", 0, 2, /Status {2}Novel/],
    ["an error where that cannot be reached", ["Provisioning", "Failed"], "", 6, 2, /can no longer become Ready\n$/],
    ["an error at once when the read is refused", [403], "", 4, 1, /^error: /]
  ])("writes %s", function* ([, statuses, args, code, read, written]) {
    const { reads, url } = yield* scripted(statuses)
    const { stderr, stdout, ...ended } = yield* wait(url, ...args.split(" ").filter((arg) => arg !== ""))
    expect(stderr + stdout).toMatch(written)
    expect([ended.code, stdout === "", reads()]).toEqual([code, code !== 0, read])
  })

  it.live("gives JSON, on stderr as well", function* () {
    const { url } = yield* scripted(["Provisioning", "Ready"])
    const ended = yield* wait(url, "--format", "json")
    expect(Child.documents(ended.stderr)).toEqual([
      { progress: { status: "Provisioning", elapsedSeconds: expect.any(Number) } },
      { progress: { status: "Ready", elapsedSeconds: expect.any(Number) } }
    ])
    expect(JSON.parse(ended.stdout)).toEqual({ id: readyEndpoint, status: "Ready" })
    expect(ended.code).toBe(0)
  })

  it.live("exits with 7 when it takes too long", function* () {
    const { url } = yield* scripted(["Provisioning"])
    const ended = yield* wait(url, "--timeout", "300ms", "--format", "json")
    const last = ended.stderr.trimEnd().split("\n").at(-1) ?? ""
    expect(JSON.parse(last)).toMatchObject({
      error: { tag: "WaitTimedOut", message: expect.stringContaining("within 300ms"), retryable: true }
    })
    expect(ended).toMatchObject({ code: 7, stdout: "" })
  })

  it.live("shows a failure after which it goes on, what it waits for, and the time left", function* () {
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

  it.live("goes on while nobody listens, and shows that", function* () {
    const ended = yield* wait("http://127.0.0.1:1", "--timeout", "2s")
    expect(ended).toMatchObject({ code: 7, stdout: "" })
    expect(ended.stderr).toMatch(/^\d+s  .*ECONNREFUSED.*; still waiting for Ready, \ds left\n/)
  })

  it.live("exits at once when there is no such host", function* () {
    const ended = yield* wait("https://nowhere.invalid")
    expect(ended).toMatchObject({ code: 7, stdout: "" })
    expect(ended.stderr).toContain("the host name in https://nowhere.invalid cannot be resolved (ENOTFOUND)")
  })

  it.live("keeps to the rate limit that the service states, as every command does", function* () {
    const times: Array<number> = []
    const limit = (read: number) => {
      times.push(performance.now())
      return { "x-ratelimit-limit": "2", "x-ratelimit-remaining": String(read % 2), "x-ratelimit-reset": "0.1" }
    }
    const { url } = yield* scripted(["Provisioning", "Provisioning", "Provisioning", "Provisioning", "Ready"], limit)
    expect(yield* wait(url)).toMatchObject({ code: 0 })
    const [, second = 0, third = 0, fourth = 0, fifth = 0] = times
    expect(third - second).toBeGreaterThanOrEqual(99)
    expect(fifth - fourth).toBeGreaterThanOrEqual(99)
  })
})

it.live.each<[what: string, direction: 1 | -1]>([
  ["ahead", 1],
  ["back", -1]
])("durations do not follow a clock that is set %s", function* ([, direction]) {
  const clock = yield* setting(direction)
  const waiting = wait((yield* scripted(["Provisioning", "Ready"])).url)
  const waited = yield* Effect.provideService(waiting, Clock.Clock, clock)
  expect(waited.stderr).toMatch(/^\d+s  Provisioning\n\d+s  Ready\n$/)
  const organizations = Server.reply({ requestId: "1", result: [{ id: acme, name: "Acme" }] })
  const { url } = yield* Listener.replying(({ length }) => (length === 1 ? organizations : undefined))
  const run = (...args: ReadonlyArray<string>) =>
    Effect.provideService(Invocation.run(args, Server.client(url)), Clock.Clock, clock)
  expect((yield* run("whoami")).stdout).toMatch(/\nRound trip +\d{1,6}ms\n/)
  expect((yield* run("organizations", "list", "--timeout", "50ms")).stderr).toContain("response within 50ms")
})
