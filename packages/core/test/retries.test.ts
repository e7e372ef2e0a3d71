import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Body from "@cloud-management/core/Body"
import * as Operation from "@cloud-management/core/Operation"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import * as Retry from "@cloud-management/core/Retry"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { always, calls, connect, operations, play, refusal, type Client } from "./Scripted.ts"
import * as Timeline from "./Timeline.ts"

const { Fault } = Faults
const transient = [408, 429, 500, 502, 503, 504]

describe("what is sent again", () => {
  it.effect.each(transient)("an answer of %d", (status) =>
    Effect.gen(function* () {
      const { ending, sent } = yield* play([refusal(status)])
      expect([ending, sent.length]).toEqual(["ok", 2])
    })
  )

  const failures: ReadonlyArray<readonly [name: string, fault: Faults.Fault]> = [
    ["a connection that cannot be made", Fault.DropBeforeSend()],
    ["a name that is not known", Fault.Break({ code: "ENOTFOUND", when: "before-send" })],
    ["a name server that does not answer", Fault.Break({ code: "EAI_AGAIN", when: "before-send" })],
    ["a network that cannot be reached", Fault.Break({ code: "ENETUNREACH", when: "before-send" })],
    ["a connection that breaks before the answer", Fault.DropAfterSend()],
    ["a connection that is closed before the answer", Fault.Break({ code: "UND_ERR_SOCKET", when: "after-send" })],
    ["a body of a success that breaks off", Fault.Truncate({ bytes: 20 })],
    ["a body of a success that stalls", Fault.Stall({ bytes: 20 })],
    ["an answer that does not come", Fault.Hang()]
  ]
  it.effect.each(failures)("%s", ([, fault]) =>
    Effect.gen(function* () {
      const { ending, sent } = yield* play([fault])
      expect([ending, sent.length]).toEqual(["ok", 2])
    })
  )

  const cuts: ReadonlyArray<readonly [problem: string, cut: Faults.Fault]> = [
    ["breaks off", Fault.Truncate({ bytes: 9 })],
    ["stalls", Fault.Stall({ bytes: 9 })]
  ]
  it.effect.each(cuts)("by its status, an answer whose body %s", ([, cut]) =>
    Effect.gen(function* () {
      for (const status of transient) {
        const { ending, sent } = yield* play([refusal(status)], { cuts: [cut] })
        expect([ending, sent.length]).toEqual(["ok", 2])
        const last = yield* play(always(refusal(status)), { cuts: always(cut), retry: Retry.none })
        expect([last.error?.status, last.error?.reason._tag]).not.toContain("Timeout")
      }
    })
  )

  it.effect.each(operations)("%s", (operation) =>
    Effect.gen(function* () {
      const { ending, served } = yield* play([refusal(503)], { call: calls[operation] })
      expect([ending, served.length]).toEqual(["ok", 1])
    })
  )

  const either: ReadonlyArray<readonly [Operation.Method, Operation.Any["repeat"], attempts: number]> = [
    ["GET", undefined, 2],
    ["HEAD", undefined, 2],
    ["PUT", undefined, 2],
    ["DELETE", undefined, 2],
    ["DELETE", "not-idempotent", 1],
    // neither safe nor idempotent
    ["POST", undefined, 1],
    ["PATCH", undefined, 1],
    ["POST", "idempotent", 2],
    ["PATCH", Operation.idempotencyKey(), 2]
  ]
  it.effect.each(either)(
    "%s (%j) after an attempt that may have been applied (RFC 9110 §9.2.2): %d",
    ([method, repeat, attempts]) =>
      Effect.gen(function* () {
        const operation: Operation.Any = {
          ...listOrganizations,
          method,
          success: Body.empty,
          ...(repeat && { repeat })
        }
        const call = (cloud: Client) => cloud.execute(operation, {})
        const { ending, sent } = yield* play([Fault.DropAfterSend()], { call })
        expect(sent.length).toBe(attempts)
        if (attempts === 1) expect(ending).toBe("TransportFailed unknown")
        // what was never sent, and what was refused, did nothing
        for (const fault of [Fault.DropBeforeSend(), refusal(429)]) {
          expect((yield* play([fault], { call })).sent.length).toBe(2)
        }
      })
  )

  it("no operation of the specification but what is safe or idempotent", () => {
    expect([listOrganizations, deleteApiKey, getReversePrivateEndpoint].map(({ method }) => method)).toEqual([
      "GET",
      "DELETE",
      "GET"
    ])
  })
})

describe("what is never sent again", () => {
  it.effect("an answer of any other status", () =>
    Effect.gen(function* () {
      const statuses = Array.from({ length: 300 }, (_, i) => 300 + i).filter((status) => !transient.includes(status))
      const timeline = yield* Timeline.make
      const { cloud, sent } = yield* connect(statuses.map((status) => refusal(status)))
      for (const [i, status] of statuses.entries()) {
        const { exit } = yield* timeline.run(cloud.organizations.list())
        const error = yield* Effect.flip(exit)
        expect([error.status, error.attempts, error.isRetryable, sent.length]).toEqual([status, 1, false, i + 1])
      }
    })
  )

  const failures: ReadonlyArray<readonly [name: string, fault: Faults.Fault, ending: string]> = [
    [
      "a certificate that nobody vouches for",
      Fault.Break({ code: "DEPTH_ZERO_SELF_SIGNED_CERT", when: "before-send" }),
      "TransportFailed not-sent"
    ],
    [
      "a certificate that expired",
      Fault.Break({ code: "CERT_HAS_EXPIRED", when: "before-send" }),
      "TransportFailed not-sent"
    ],
    [
      "a certificate of another host",
      Fault.Break({ code: "ERR_TLS_CERT_ALTNAME_INVALID", when: "before-send" }),
      "TransportFailed not-sent"
    ],
    ["a success that is not JSON", Fault.Status({ status: 200, body: "<html>" }), "InvalidResponse 200 unknown"],
    ["a success of another shape", Fault.Status({ status: 200, body: "{}" }), "InvalidResponse 200 unknown"],
    [
      "a success that is not the service's",
      Fault.Status({ status: 200, body: `{"result":[{"id":"${Fixtures.acme}"}]}` }),
      "InvalidResponse 200 unknown"
    ],
    ["a success without a body", Fault.Status({ status: 200 }), "InvalidResponse 200 unknown"],
    [
      "a body over the limit",
      Fault.Status({ status: 200, body: " ".repeat(2 ** 20 + 1) }),
      "InvalidResponse 200 unknown"
    ]
  ]
  it.effect.each(failures)("%s", ([, fault, expected]) =>
    Effect.gen(function* () {
      const { ending, error, sent } = yield* play(always(fault))
      expect([ending, error?.attempts, sent.length]).toEqual([expected, 1, 1])
    })
  )

  const cuts: ReadonlyArray<readonly [how: string, cut: Faults.Fault, elapsed: number, problem: string]> = [
    ["breaks off", Fault.Truncate({ bytes: 9 }), 0, "Transport error (GET …): simulated ECONNRESET"],
    // which the deadline of the attempt ends
    ["stalls", Fault.Stall({ bytes: 9 }), 10_000, "no complete response within 10 s"]
  ]
  it.effect.each(cuts)("a refusal whose body %s: its status tells all", ([, cut, expected, problem]) =>
    Effect.gen(function* () {
      for (const [status, tag] of [
        [307, "UnexpectedStatus"],
        [400, "BadRequest"],
        [401, "Unauthorized"],
        [403, "Forbidden"],
        [404, "UnexpectedStatus"],
        [409, "UnexpectedStatus"]
      ] as const) {
        const { elapsed, ending, error } = yield* play(always(refusal(status)), { cuts: always(cut) })
        expect([ending, error?.attempts, elapsed]).toEqual([`${tag} ${status} refused`, 1, expected])
        expect(error?.reason.message).toBe(`no error envelope: the body cannot be read: ${problem}`)
      }
    })
  )

  it.effect("a call that is interrupted during an attempt", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.make
      const { cloud, sent } = yield* connect([Fault.Hang()])
      const call = yield* Effect.forkChild(timeline.on(cloud.organizations.list()))
      yield* timeline.until(1000)
      yield* Fiber.interrupt(call)
      expect([timeline.now(), timeline.waits()]).toEqual([1000, 0])
      yield* timeline.until(100_000)
      expect(sent).toEqual([0])
    })
  )
})

describe("how often", () => {
  it.effect.each([1, 2, 3, 7])("%d attempts in all", (attempts) =>
    Effect.gen(function* () {
      const { error, sent } = yield* play(always(refusal(503)), { retry: { attempts } })
      expect([error?.attempts, sent.length]).toEqual([attempts, attempts])
    })
  )

  const presets: ReadonlyArray<readonly [name: "standard" | "none" | "patient", attempts: number]> = [
    ["standard", 3],
    ["none", 1],
    ["patient", 10]
  ]
  it.effect.each(presets)("Retry.%s: %d", ([name, attempts]) =>
    Effect.gen(function* () {
      const deadline = { total: "1 hour" } as const
      const { error, sent } = yield* play(always(refusal(503)), { retry: Retry[name], deadline })
      expect([error?.attempts, sent.length]).toEqual([attempts, attempts])
    })
  )

  it.effect("statuses, broken connections and timeouts count together", () =>
    Effect.gen(function* () {
      const faults = [refusal(503), Fault.DropAfterSend(), Fault.Hang()]
      const { ending, error } = yield* play(faults)
      expect([ending, error?.attempts]).toEqual(["Timeout unknown", 3])
    })
  )
})

describe("how long it waits", () => {
  /** The waits before each attempt after the first, of so many calls that never succeed. */
  const draw = Effect.fnUntraced(function* (count: number, status: number, retry: Partial<Retry.Retry>) {
    const budget = { ...Retry.standard.budget, capacity: Infinity }
    const timeline = yield* Timeline.make
    // without a body, since to search thousands of them for the secret takes most of the time
    const { cloud, sent } = yield* connect(always(Fault.Status({ status })), {
      retry: { ...retry, budget },
      deadline: { total: "1 hour" }
    })
    const waits: Array<Array<number>> = []
    for (let i = 0; i < count; i++) {
      const start = sent.length
      yield* timeline.run(cloud.organizations.list())
      for (const [n, at] of sent.slice(start + 1).entries()) (waits[n] ??= []).push(at - (sent[start + n] ?? NaN))
    }
    return waits
  })

  const growth: ReadonlyArray<
    readonly [name: string, status: number, retry: Partial<Retry.Retry>, bounds: ReadonlyArray<number>]
  > = [
    ["100 ms, doubled each time", 503, { attempts: 4 }, [100, 200, 400]],
    ["500 ms after a 429, doubled each time", 429, { attempts: 4 }, [500, 1000, 2000]],
    ["at most the cap", 503, { attempts: 6, base: "8 seconds" }, [8000, 16_000, 20_000, 20_000, 20_000]],
    ["the base of the policy", 500, { attempts: 3, base: 7, cap: 10 }, [7, 10]]
  ]
  it.effect.each(growth)("evenly between nothing and %s", ([, status, retry, bounds]) =>
    Effect.gen(function* () {
      const waits = yield* draw(400, status, retry)
      expect(waits).toHaveLength(bounds.length)
      for (const [n, bound] of bounds.entries()) {
        const shares = (waits[n] ?? []).map((wait) => wait / bound)
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)
        expect(Math.max(...shares)).toBeLessThan(1)
        // of 400 even draws each quarter of the range gets 100, give or take 3.5 standard deviations (8.7 each)
        for (const quarter of [0, 1, 2, 3]) {
          const count = shares.filter((share) => Math.floor(share * 4) === quarter).length
          expect(Math.abs(count - 100)).toBeLessThan(30)
        }
      }
    }).pipe(Random.withSeed("full jitter"))
  )

  it.effect("the base is that of the answer at hand, the doubling that of the attempts", () =>
    Effect.gen(function* () {
      const { gaps } = yield* play([refusal(503), refusal(429)])
      expect(gaps[0]).toBeLessThan(100)
      expect(gaps[1]).toBeGreaterThan(200)
      expect(gaps[1]).toBeLessThan(1000)
    }).pipe(Random.withSeed("base"))
  )

  it.effect("the same for the same seed, and other for another", () =>
    Effect.gen(function* () {
      const seeded = (seed: string) =>
        Effect.map(play(always(refusal(503))).pipe(Random.withSeed(seed)), ({ gaps }) => gaps)
      const [first = 0, second = 0] = yield* seeded("one")
      // to a tenth of a millisecond: the clock goes on between the calls
      expect(yield* seeded("one")).toEqual([expect.closeTo(first, 1), expect.closeTo(second, 1)])
      expect(yield* seeded("other")).not.toEqual([expect.closeTo(first, 1), expect.closeTo(second, 1)])
    })
  )

  it.effect("calls that fail together do not come back together", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.make
      const { cloud, sent } = yield* connect(Array.from({ length: 100 }, () => refusal(503)))
      const all = Effect.all(
        Array.from({ length: 100 }, () => cloud.organizations.list()),
        { concurrency: "unbounded" }
      )
      yield* timeline.run(all)
      const again = sent.slice(100)
      expect(again).toHaveLength(100)
      for (const moment of again) {
        expect(again.filter((other) => Math.abs(other - moment) < 1).length).toBeLessThan(10)
      }
    }).pipe(Random.withSeed("herd"))
  )

  it.effect("no wait after the last attempt", () =>
    Effect.gen(function* () {
      const { elapsed, gaps } = yield* play(always(refusal(503)))
      expect(elapsed).toBeCloseTo(gaps.reduce((sum, gap) => sum + gap, 0))
    })
  )
})

describe("an interruption during a wait", () => {
  it.effect("acts at once, and leaves no timer and no attempt behind", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.make
      const { cloud, sent } = yield* connect(always(refusal(429, { "retry-after": "30" })))
      const call = yield* Effect.forkChild(timeline.on(cloud.organizations.list()))
      yield* timeline.until(10_000)
      expect([sent.length, timeline.waits()]).toEqual([1, 1])
      yield* Fiber.interrupt(call)
      expect([timeline.now(), timeline.waits()]).toEqual([10_000, 0])
      yield* timeline.until(100_000)
      expect(sent).toEqual([0])
    })
  )
})

it.effect("a call leaves no timer behind, however it ends", () =>
  Effect.gen(function* () {
    const timeline = yield* Timeline.make
    const { cloud } = yield* connect([
      Fault.None(),
      refusal(503),
      Fault.Hang(),
      Fault.Stall({ bytes: 9 }),
      refusal(400)
    ])
    for (let call = 0; call < 4; call++) {
      yield* timeline.run(cloud.organizations.list())
      expect(timeline.waits()).toBe(0)
    }
  })
)

describe("Retry.within", () => {
  const attempts = (region: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
    Effect.map(
      play(always(refusal(503)), { call: (cloud) => region(cloud.organizations.list()) }),
      ({ sent }) => sent.length
    )

  it.effect("sets the policy of the calls inside", () =>
    Effect.gen(function* () {
      expect(yield* attempts(Retry.within({ attempts: 2 }))).toBe(2)
      expect(yield* attempts(Retry.within(Retry.none))).toBe(1)
    })
  )

  it.effect("leaves what it does not name as the client has it", () =>
    Effect.gen(function* () {
      const { gaps, sent } = yield* play(always(refusal(503, { "retry-after": "9" })), {
        retry: { attempts: 2 },
        call: (cloud) => cloud.organizations.list().pipe(Retry.within({ base: 1 }))
      })
      expect([sent.length, gaps]).toEqual([2, [9000]])
    })
  )

  it.effect("goes by the innermost", () =>
    Effect.gen(function* () {
      expect(yield* attempts((self) => self.pipe(Retry.within({ attempts: 2 }), Retry.within({ attempts: 5 })))).toBe(2)
    })
  )

  it.effect("inherits what it does not name from another one around it", () =>
    Effect.gen(function* () {
      const { gaps, sent } = yield* play(always(refusal(503)), {
        call: (cloud) =>
          cloud.organizations
            .list()
            .pipe(Retry.within({ base: "16 seconds", cap: "8 seconds" }), Retry.within({ attempts: 4, cap: 0 }))
      })
      expect(sent.length).toBe(4)
      expect(Math.max(...gaps)).toBeGreaterThan(1000)
      expect(Math.max(...gaps)).toBeLessThan(8000)
    }).pipe(Random.withSeed("nested"))
  )

  it.each<[problem: string, policy: Parameters<typeof Retry.within>[0], message: string]>([
    ["no attempt", { attempts: 0 }, "retry.attempts must be a whole number of at least 1"],
    ["half an attempt", { attempts: 2.5 }, "retry.attempts must be a whole number of at least 1"],
    ["no number of attempts", { attempts: NaN }, "retry.attempts must be"],
    ["a negative wait", { base: "-1 seconds" }, "retry.base must be a duration or number of at least 0"],
    ["a wait that is none", { maxHint: "a while" as "1 second" }, "retry.maxHint must be"]
  ])("throws for %s", (_, policy, message) => {
    expect(() => Retry.within(policy)).toThrow(RangeError)
    expect(() => Retry.within(policy)).toThrow(message)
  })

  it.effect("ends with its region", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.make
      const { cloud, sent } = yield* connect(always(refusal(503)))
      yield* timeline.run(cloud.organizations.list().pipe(Retry.within({ attempts: 1 })))
      expect(sent.length).toBe(1)
      yield* timeline.run(cloud.organizations.list())
      expect(sent.length).toBe(4)
    })
  )

  it("cannot change the budget, which is that of all calls together", () => {
    // @ts-expect-error: the budget is the client's
    const policy: Parameters<typeof Retry.within>[0] = { budget: Retry.standard.budget }
    expect(Retry.within(policy)).toBeTypeOf("function")
  })
})
