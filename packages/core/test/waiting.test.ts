import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Context, Effect, Exit, Option, Random, Stream } from "effect"
import { CloudManagement, Waiting } from "@cloud-management/core"
import { operations } from "@cloud-management/core/Operations"
import { Retry } from "@cloud-management/client"
import { Fixtures, VirtualTime } from "@cloud-management/testing"
import { over } from "../../client/test/Stub.ts"

const params = {
  organizationId: Fixtures.acme,
  serviceId: Fixtures.analytics,
  reversePrivateEndpointId: Fixtures.pendingEndpoint
}

/** A response: an endpoint with this status and description, an HTTP status with headers, or for `hang` none at all. */
type Reply =
  | string
  | { readonly status?: string; readonly description: string }
  | { readonly http: number; readonly headers?: Record<string, string> }

const reply = (response: Reply) => {
  if (response === "hang") return Effect.never
  if (typeof response === "object" && "http" in response) {
    const { headers = {}, http: status } = response
    return Effect.sync(() => Response.json({ status, error: "CODE: text", requestId: "req-1" }, { status, headers }))
  }
  const details = typeof response === "string" ? { status: response } : response
  const result = { id: params.reversePrivateEndpointId, ...details }
  return Effect.sync(() => Response.json({ status: 200, requestId: "req-1", result }))
}

/** Runs a program on a timeline, against responses of which the last is given for ever. */
const play = Effect.fnUntraced(function* <A, E>(
  responses: ReadonlyArray<Reply>,
  program: Effect.Effect<A, E, CloudManagement.CloudManagement>
) {
  const timeline = VirtualTime.make()
  const reads: Array<number> = []
  const replies = responses.map((response) => () => {
    reads.push(timeline.now())
    return reply(response)
  })
  const { client } = yield* over(operations, replies, { retry: Retry.none })
  const { elapsed, exit } = yield* timeline
    .run(Effect.provideService(program, CloudManagement.CloudManagement, client))
    .pipe(Random.withSeed(JSON.stringify(responses)))
  return { elapsed, exit, reads, left: timeline.sleeps() }
})

const untilStatus = (wanted: string) => Waiting.waitUntil(params, { status: Waiting.anyStatus(wanted) })
const busy = (seconds: string): Reply => ({ http: 503, headers: { "retry-after": seconds } })
const failure = <E>(exit: Exit.Exit<unknown, E>) => Option.getOrUndefined(Exit.findErrorOption(exit))
const gaps = (reads: ReadonlyArray<number>) => reads.slice(1).map((at, i) => at - (reads[i] ?? NaN))

describe("waitUntil", () => {
  it.effect.each<[wanted: string, responses: ReadonlyArray<string>]>([
    ["Ready", ["Unknown", "ANewOne", "Provisioning", "Ready", "Failed"]],
    ["PendingAcceptance", ["Provisioning", "PendingAcceptance", "Ready"]],
    ["Failed", ["Expired", "Rejected", "Failed"]],
    ["Deleting", ["Ready", "Deleting"]]
  ])("ends with the state that is waited for: %s of %j", function* ([wanted, responses]) {
    const options = wanted === "Ready" ? {} : { status: Waiting.anyStatus(wanted) }
    const { exit, reads } = yield* play(responses, Waiting.waitUntil(params, options))
    expect(exit).toMatchObject({ _tag: "Success", value: { status: wanted } })
    expect(reads).toHaveLength(responses.indexOf(wanted) + 1)
  })

  it.effect.each<[status: string, wanted: string]>([
    ["Failed", "Ready"],
    ["Rejected", "Ready"],
    ["Expired", "Ready"],
    ["Deleting", "Ready"],
    ["Failed", "PendingAcceptance"],
    ["Deleting", "Failed"]
  ])("fails at once in %s, from where nothing becomes %s", function* ([status, wanted]) {
    const { exit, reads } = yield* play(["Provisioning", status, "Ready"], untilStatus(wanted))
    expect(failure(exit)).toBeInstanceOf(Waiting.StatusUnreachable)
    expect(failure(exit)).toMatchObject({
      wanted,
      status,
      message: `the endpoint is ${status} and can no longer become ${wanted}`
    })
    expect(reads).toHaveLength(2)
  })

  it.effect.each<[asked: string, waited: number]>([
    ["90", 90_000],
    ["31536000", 3_600_000]
  ])("reads no sooner than the service asks for, but after an hour: in %s seconds", function* ([asked, waited]) {
    const { reads } = yield* play([busy(asked), "Ready"], Stream.runHead(Waiting.watch(params)))
    expect(gaps(reads)).toEqual([waited])
  })

  it.effect.each<[deadline: "10 minutes" | "42 seconds", responses: ReadonlyArray<Reply>, status: string | undefined]>([
    ["42 seconds", ["Provisioning"], "Provisioning"],
    ["10 minutes", ["Provisioning", "PendingAcceptance"], "PendingAcceptance"],
    ["42 seconds", [{ description: "no status" }], undefined],
    ["42 seconds", [{ http: 503 }], undefined],
    ["42 seconds", ["Provisioning", "hang"], "Provisioning"],
    // any text can be in it: the secret, or what moves the cursor of a terminal
    ["42 seconds", ["Provisioning", "key-secret\u001b[2J\u202e"], undefined]
  ])("gives up after %s of %j, and tells the last state", function* ([deadline, responses, status]) {
    const { elapsed, exit, left } = yield* play(
      responses,
      Waiting.waitUntil(params, deadline === "10 minutes" ? {} : { deadline })
    )
    expect(failure(exit)).toBeInstanceOf(Waiting.WaitTimedOut)
    expect(failure(exit)).toMatchObject({ wanted: "Ready", ...(status !== undefined && { status }) })
    expect(failure(exit)?.message).toContain(`its last status is ${status ?? "not known"}`)
    expect(elapsed).toBe(deadline === "10 minutes" ? 600_000 : 42_000)
    expect(left).toBe(0)
  })

  it.effect.each<[responses: ReadonlyArray<Reply>]>([[["Provisioning"]], [["Provisioning", "hang"]]])(
    "leaves nothing running when it is interrupted: %j",
    function* ([responses]) {
      const { elapsed, exit, left, reads } = yield* play(
        responses,
        Effect.timeoutOption(Waiting.waitUntil(params), "12 seconds")
      )
      expect(exit).toEqual(Exit.succeed(Option.none()))
      expect(elapsed).toBe(12_000)
      expect(left).toBe(0)
      expect(reads.at(-1)).toBeLessThan(12_000)
    }
  )
})

describe("waitUntil with a condition", () => {
  it.effect("ends with the endpoint that satisfies it, whatever its state", function* () {
    const { exit, reads } = yield* play(
      ["Provisioning", { description: "no status" }, { status: "Failed", description: "as asked" }],
      Waiting.waitUntil(params, { until: ({ description }) => description === "as asked" })
    )
    expect(exit).toMatchObject({ _tag: "Success", value: { status: "Failed" } })
    expect(reads).toHaveLength(3)
  })

  it.effect("fails at once in a final state that does not satisfy it", function* () {
    const { exit, reads } = yield* play(
      ["Provisioning", "Expired", "Ready"],
      Waiting.waitUntil(params, { until: ({ description }) => description === "never" })
    )
    expect(failure(exit)).toBeInstanceOf(Waiting.StatusUnreachable)
    expect(failure(exit)?.message).toBe("the endpoint is Expired and can no longer meet the condition")
    expect(reads).toHaveLength(2)
  })
})

it("does not compile for a state that is not known, unless it is meant", () => {
  // @ts-expect-error it is spelt Ready
  expect(Effect.isEffect(Waiting.waitUntil(params, { status: "ready" }))).toBe(true)
  expect(Effect.isEffect(Waiting.waitUntil(params, { status: Waiting.anyStatus("Archived") }))).toBe(true)
})

class Journal extends Context.Service<Journal, Array<string>>()("Journal") {}

it.effect("onChange may use services and fail, which ends the wait", function* () {
  const journal: Array<string> = []
  const waiting = Waiting.waitUntil(params, {
    onChange: Effect.fnUntraced(function* ({ status = "" }) {
      ;(yield* Journal).push(status)
      if (status === "PendingAcceptance") return yield* Effect.fail("not accepted" as const)
    })
  })
  const { exit, left } = yield* play(
    ["Provisioning", "PendingAcceptance", "Ready"],
    Effect.provideService(waiting, Journal, journal)
  )
  expect(failure(exit)).toBe("not accepted")
  expect(journal).toEqual(["Provisioning", "PendingAcceptance"])
  expect(left).toBe(0)
})

describe("poll", () => {
  const description = Effect.flatMap(CloudManagement.CloudManagement, (cloud) =>
    Effect.map(cloud.reversePrivateEndpoints.get(params), ({ description = "" }) => description)
  )

  it.effect("makes any call until what it returns is as it should be, also after it failed for now", function* () {
    const seen: Array<string> = []
    const { exit, reads } = yield* play(
      [{ description: "a" }, { http: 503 }, { description: "a" }, { description: "b" }],
      description.pipe(
        Waiting.poll({ until: (text) => text === "b", onChange: (text) => Effect.sync(() => seen.push(text)) })
      )
    )
    expect(exit).toEqual(Exit.succeed("b"))
    expect(seen).toEqual(["a", "b"])
    expect(reads).toHaveLength(4)
  })

  it.effect("says why the last read failed when it is given up", function* () {
    const waiting = Waiting.poll(description, { until: () => false, deadline: "1 minute" })
    const { exit } = yield* play([{ description: "a" }, { http: 503 }], waiting)
    expect(failure(exit)).toMatchObject({
      message: expect.stringMatching(/^the condition was not met within 1m; the last read failed: .*Unavailable/),
      cause: { _tag: "CallError", reason: { _tag: "ServiceUnavailable" } }
    })
    const recovered = yield* play([{ http: 503 }, { description: "a" }], waiting)
    expect(failure(recovered.exit)).toMatchObject({ message: "the condition was not met within 1m" })
  })
})

describe("watch", () => {
  it.effect.each<[every: "5 seconds" | "1 minute", millis: number]>([
    ["5 seconds", 5000],
    ["1 minute", 60_000]
  ])("reads every %s, give or take a fifth, and not always the same", function* ([every, millis]) {
    const watched = Waiting.watch(params, every === "5 seconds" ? {} : { every }).pipe(
      Stream.runDrain,
      Effect.timeoutOption(millis * 101)
    )
    const { reads } = yield* play(["Provisioning"], watched)
    const waits = gaps(reads)
    expect(waits.length).toBeGreaterThan(90)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(millis * 0.8)
    expect(Math.max(...waits)).toBeLessThanOrEqual(millis * 1.2)
    // even over the whole range
    expect(Math.min(...waits)).toBeLessThan(millis * 0.83)
    expect(Math.max(...waits)).toBeGreaterThan(millis * 1.17)
  })

  it.effect("emits what differs from what was seen before, in whatever field", function* () {
    const watched = Waiting.watch(params).pipe(
      Stream.map(({ description, status }) => `${status} ${description}`),
      Stream.take(4),
      Stream.runCollect
    )
    const states = ["Ready a", "Ready a", "Ready b", "Failed b", "Failed b", "Ready b"]
    const replies = states.map((state) => ({ status: state.slice(0, -2), description: state.slice(-1) }))
    const { exit } = yield* play(replies, watched)
    expect(exit).toEqual(Exit.succeed(["Ready a", "Ready b", "Failed b", "Ready b"]))
  })

  it.effect("reads for nobody: not before it is run, and not after the last that was asked for", function* () {
    const { left, reads } = yield* play(["Ready"], Stream.runDrain(Stream.take(Waiting.watch(params), 1)))
    expect(reads).toEqual([0])
    expect(left).toBe(0)
  })
})
