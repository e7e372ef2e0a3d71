import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import * as Deadline from "@cloud-management/core/Deadline"
import * as Faults from "@cloud-management/testing/Faults"
import {
  always,
  calls,
  connect,
  ending,
  operations,
  play,
  refusal,
  type AnyFailure,
  type Client,
  type Options
} from "./Scripted.ts"
import * as Timeline from "./Timeline.ts"

const { Fault } = Faults
const hour = 3_600_000

const limit = (error: AnyFailure | undefined) =>
  error?.reason._tag === "Timeout" && "limit" in error.reason ? error.reason.limit : undefined

/** A call in a program that is so busy that its timers are 5 seconds late. */
const onLateTimers = (cloud: Client) =>
  Clock.clockWith((clock) => {
    const late: Clock.Clock = Object.assign(Object.create(clock), {
      sleep: (duration: Duration.Duration) => clock.sleep(Duration.sum(duration, Duration.seconds(5)))
    })
    return Effect.provideService(cloud.organizations.list(), Clock.Clock, late)
  })

describe("the deadline of an attempt", () => {
  const stages: ReadonlyArray<readonly [name: string, fault: Faults.Fault, ending: string]> = [
    ["a connection on which nothing comes", Fault.Hang(), "Timeout unknown"],
    ["an answer that is held back", Fault.HangAfterSend(), "Timeout unknown"],
    ["a body that stalls at its start", Fault.Stall({ bytes: 0 }), "Timeout 200 unknown"],
    ["a body that stalls later", Fault.Stall({ bytes: 30 }), "Timeout 200 unknown"],
    ["an answer that comes too late", Fault.Delay({ duration: "11 seconds" }), "Timeout unknown"]
  ]
  it.effect.each(stages)("cuts off %s, and each attempt gets it anew", ([, fault, expected]) =>
    Effect.gen(function* () {
      const { elapsed, ending, error, gaps } = yield* play(always(fault), {
        retry: { base: 0 },
        deadline: { attempt: "10 seconds" }
      })
      expect([ending, error?.attempts, elapsed]).toEqual([expected, 3, 30_000])
      expect(gaps).toEqual([10_000, 10_000])
      expect(limit(error)).toEqual(Duration.seconds(10))
    })
  )

  it.effect("lets an answer pass that comes just in time", () =>
    Effect.gen(function* () {
      const { elapsed, ending } = yield* play([Fault.Delay({ duration: "9999 millis" })])
      expect([ending, elapsed]).toEqual(["ok", 9999])
    })
  )

  it.effect.each(operations)("holds for %s", (operation) =>
    Effect.gen(function* () {
      const { elapsed, ending } = yield* play([Fault.Hang()], { call: calls[operation], retry: { attempts: 1 } })
      expect([ending, elapsed]).toEqual(["Timeout unknown", 10_000])
    })
  )
})

describe("the deadline of a call", () => {
  it.effect("cuts the last attempt short, and says so", () =>
    Effect.gen(function* () {
      const { elapsed, ending, error } = yield* play(always(Fault.Hang()), {
        deadline: { attempt: "10 seconds", total: "25 seconds" },
        retry: { attempts: 10, base: 0 }
      })
      expect([ending, error?.attempts, elapsed]).toEqual(["Timeout unknown", 3, 25_000])
      expect(limit(error)).toEqual(Duration.seconds(5))
    })
  )

  it.effect.each([
    [
      "a turn",
      {
        pacing: {
          make: Effect.succeed((_, use) =>
            Effect.andThen(
              Effect.sleep("5 seconds"),
              use(() => {})
            )
          )
        }
      }
    ],
    ["no time at all", { deadline: { total: 0 } }]
  ] satisfies ReadonlyArray<readonly [string, Options]>)("sends nothing once it has passed: %s", ([, options]) =>
    Effect.gen(function* () {
      const { ending, error, sent } = yield* play([], { deadline: { total: "5 seconds" }, ...options })
      expect([ending, error?.attempts, sent]).toEqual(["Timeout not-sent", 0, []])
    })
  )

  it.effect("sends nothing more after a wait from which the timer wakes it too late", () =>
    Effect.gen(function* () {
      const { ending, error, sent } = yield* play([Fault.DropBeforeSend()], {
        call: onLateTimers,
        retry: { base: 0 },
        deadline: { total: "5 seconds" }
      })
      expect([ending, error?.attempts, sent]).toEqual(["TransportFailed not-sent", 1, [0]])
    })
  )

  it.effect("is 60 seconds", () =>
    Effect.gen(function* () {
      const { elapsed, error } = yield* play(always(Fault.Hang()), { retry: { attempts: 100, base: 0 } })
      expect([error?.attempts, elapsed]).toEqual([6, 60_000])
    })
  )

  it.effect("bounds the first attempt too", () =>
    Effect.gen(function* () {
      const { elapsed, error } = yield* play([Fault.Hang()], { deadline: { total: "3 seconds" } })
      expect([error?.attempts, elapsed]).toEqual([1, 3000])
    })
  )

  it.effect("is told in whole milliseconds, however fine the clock is", () =>
    Effect.gen(function* () {
      const { cloud } = yield* connect([Fault.Hang()], { deadline: { total: "300 millis" } })
      const call = yield* Effect.forkChild(Timeline.ticking(12_345n)(Effect.flip(cloud.organizations.list())))
      yield* TestClock.adjust("300 millis")
      const { reason } = yield* Fiber.join(call)
      expect(reason.message).toBe("no complete response within 0.3 s")
      expect(reason).toMatchObject({ limit: Duration.millis(300) })
    })
  )

  it.effect("counts the waits, and begins none that would pass it", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "4" }
      const { elapsed, ending, error } = yield* play(always(refusal(503, headers)), {
        deadline: { total: "10 seconds" },
        retry: { attempts: 10 }
      })
      // a third wait would end at 12 seconds
      expect([ending, error?.attempts, elapsed]).toEqual(["ServiceUnavailable 503 unknown", 3, 8000])
    })
  )

  it.effect("holds whatever comes, for any seed", () =>
    Effect.gen(function* () {
      const faults = [
        refusal(503),
        refusal(429, { "retry-after": "3" }),
        Fault.Hang(),
        Fault.Stall({ bytes: 5 }),
        Fault.DropAfterSend(),
        Fault.Delay({ duration: "7 seconds" })
      ] as const
      for (let seed = 0; seed < 100; seed++) {
        const script = yield* Effect.replicateEffect(Random.choice(faults), 40).pipe(Random.withSeed(seed))
        const { elapsed } = yield* play(script, {
          deadline: { attempt: "6 seconds", total: "20 seconds" },
          retry: { attempts: 40, base: "1 second" }
        }).pipe(Random.withSeed(seed))
        // the client measures by the microsecond
        expect(elapsed).toBeLessThanOrEqual(20_000.001)
      }
    })
  )
})

describe("a time of day that jumps", () => {
  const jumps: ReadonlyArray<readonly [name: string, millis: number]> = [
    ["an hour ahead", hour],
    ["an hour back", -hour]
  ]

  it.effect.each(jumps)("%s changes no deadline", ([, millis]) =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.make
      const { cloud, sent } = yield* connect(always(Fault.Hang()), { retry: { attempts: 10, base: 0 } })
      const call = yield* Effect.forkChild(timeline.on(Effect.exit(cloud.organizations.list())))
      yield* timeline.until(15_000)
      timeline.jump(millis)
      yield* timeline.until(59_999)
      expect([sent.length, call.pollUnsafe()]).toEqual([6, undefined])
      yield* timeline.until(60_000)
      expect(ending(yield* Fiber.join(call))).toBe("Timeout unknown")
      expect(sent).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000])
    })
  )

  it.effect.each(jumps)("%s changes no wait", ([, millis]) =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.make
      const headers = { "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT", date: "Wed, 21 Oct 2026 12:00:00 GMT" }
      const { cloud, sent } = yield* connect([refusal(429, headers), refusal(429, headers)])
      const call = yield* Effect.forkChild(timeline.on(Effect.exit(cloud.organizations.list())))
      yield* timeline.until(5000)
      timeline.jump(millis)
      yield* timeline.until(60_000)
      expect(ending(yield* Fiber.join(call))).toBe("ok")
      expect(sent).toEqual([0, 9000, 18_000])
    })
  )
})

describe("Deadline.within", () => {
  it.effect("bounds attempts and waits of the calls inside together", () =>
    Effect.gen(function* () {
      const { elapsed, error } = yield* play(always(Fault.Hang()), {
        retry: { base: 0 },
        call: (cloud) => cloud.organizations.list().pipe(Deadline.within({ attempt: "2 seconds", total: "5 seconds" }))
      })
      expect([error?.attempts, elapsed]).toEqual([3, 5000])
    })
  )

  it.effect("is each call's own, not that of all calls inside together", () =>
    Effect.gen(function* () {
      const { elapsed, ending } = yield* play(
        Array.from({ length: 5 }, () => Fault.Delay({ duration: "2 seconds" })),
        {
          call: (cloud) =>
            Effect.forEach([1, 2, 3, 4, 5], () => cloud.organizations.list()).pipe(
              Deadline.within({ total: "3 seconds" })
            )
        }
      )
      expect([ending, elapsed]).toEqual(["ok", 10_000])
    })
  )

  it.effect("lets a hint pass that the client's own deadline would not", () =>
    Effect.gen(function* () {
      const { elapsed, ending } = yield* play([refusal(429, { "retry-after": "45" })], {
        deadline: { total: "30 seconds" },
        call: (cloud) => cloud.organizations.list().pipe(Deadline.within({ total: "1 minute" }))
      })
      expect([ending, elapsed]).toEqual(["ok", 45_000])
    })
  )
})
