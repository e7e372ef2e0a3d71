import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Clock, Deferred, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Deadline, type Event, Pacing, Retry } from "@cloud-management/client"
import { operations } from "@cloud-management/core/Operations"
import { Faults, VirtualTime } from "@cloud-management/testing"
import { ending, type AnyFailure, type Client, type Options } from "../../../checks/fixtures/Scripted.ts"
import * as Region from "../src/internal/region.ts"
import { always, connect, play } from "./Scripted.ts"
import * as Stub from "./Stub.ts"
import { ticking } from "./ticking.ts"

const { Fault } = Faults

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

// How each silence ends a call is in checks/faults/table.ts.

it.effect.each<[end: string, stop: (call: Fiber.Fiber<unknown, unknown>) => Effect.Effect<unknown>]>([
  ["a deadline", () => TestClock.adjust("10 seconds")],
  ["an interruption", Fiber.interrupt]
])("%s cancels the body that is read", function* ([, stop]) {
  const begun = yield* Deferred.make<void>()
  const cancelled = yield* Deferred.make<void>()
  const pull = () => void Deferred.doneUnsafe(begun, Exit.void)
  const cancel = () => void Deferred.doneUnsafe(cancelled, Exit.void)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull, cancel }, { highWaterMark: 0 })
  const { cloud } = yield* Stub.connect(() => new Response(body))
  const call = yield* Effect.forkChild(cloud.organizations.list())
  yield* Deferred.await(begun)
  yield* stop(call)
  yield* Deferred.await(cancelled)
})

describe("the deadline of a call", () => {
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
  ] satisfies ReadonlyArray<readonly [string, Options]>)(
    "sends nothing once it has passed: %s",
    function* ([, options]) {
      const { ending, error, sent } = yield* play([], { deadline: { total: "5 seconds" }, ...options })
      expect([ending, error?.attempts, sent]).toEqual(["Timeout not-sent", 0, []])
    }
  )

  it.effect("sends nothing more after a wait from which the timer wakes it too late", function* () {
    const { ending, error, sent } = yield* play([Fault.DropBeforeSend()], {
      call: onLateTimers,
      retry: { base: 0 },
      deadline: { total: "5 seconds" }
    })
    expect([ending, error?.attempts, sent]).toEqual(["TransportFailed not-sent", 1, [0]])
  })

  it.effect("is 60 seconds, and cuts the last attempt short, which says so", function* () {
    const { elapsed, error } = yield* play(always(Fault.Hang()), {
      deadline: { attempt: "25 seconds" },
      retry: { attempts: 100, base: 0 }
    })
    expect([error?.attempts, elapsed]).toEqual([3, 60_000])
    expect(limit(error)).toEqual(Duration.seconds(10))
  })

  it.effect("is told in whole milliseconds, however fine the clock is", function* () {
    const { cloud } = yield* connect([Fault.Hang()], { deadline: { total: "300 millis" } })
    const call = yield* Effect.forkChild(ticking(12_345n)(Effect.flip(cloud.organizations.list())))
    yield* TestClock.adjust("300 millis")
    const { reason } = yield* Fiber.join(call)
    expect(reason.message).toBe("no complete response within 0.3 s")
    expect(reason).toMatchObject({ limit: Duration.millis(300) })
  })
})

it.effect.each<[what: string, send: () => Effect.Effect<never>]>([
  ["without a response", () => Effect.uninterruptible(Effect.never)],
  ["whose cancellation never ends", () => Effect.onInterrupt(Effect.never, () => Effect.never)]
])("a transport that cannot be interrupted %s holds a call a second beyond its deadline at most", function* ([, send]) {
  const { client } = yield* Stub.over(operations, [send], { retry: Retry.none })
  const call = yield* Effect.forkChild(Effect.flip(client.organizations.list()))
  yield* TestClock.adjust("10 seconds")
  expect(call.pollUnsafe()).toBe(undefined)
  yield* TestClock.adjust("1 second")
  expect(call.pollUnsafe()).toMatchObject({ value: { outcome: "unknown", reason: { _tag: "Timeout" } } })
})

it.effect("Deadline.within is that of each call inside, and leaves the rest as the client has it", function* () {
  const { elapsed, error, sent } = yield* play([Fault.Delay({ duration: "40 seconds" })], {
    deadline: { attempt: "50 seconds", total: "30 seconds" },
    call: (cloud) =>
      Effect.andThen(cloud.organizations.list(), cloud.organizations.list()).pipe(
        Deadline.within({ total: "45 seconds" })
      )
  })
  expect([error, sent.length, elapsed]).toEqual([undefined, 2, 40_000])
})

describe("a turn and the deadline", () => {
  it.effect("a turn that comes at the very end of a call's time is not taken: nothing is sent", function* () {
    const { cloud, sent } = yield* connect([Fault.Hang()], { pacing: Pacing.adaptive })
    const timeline = VirtualTime.make()
    // nothing is known of a limit yet: the others wait one second for the first response, and then go
    const first = Effect.asVoid(Effect.exit(cloud.organizations.list()))
    const second = cloud.organizations.list().pipe(Deadline.within({ total: "1 second" }), Effect.exit)
    const { exit } = yield* timeline.run(
      Effect.gen(function* () {
        yield* Effect.forkChild(first, { startImmediately: true })
        return yield* Effect.flatten(second)
      })
    )
    expect(ending(exit)).toBe("Throttled not-sent")
    expect(sent).toEqual([0])
  })

  it.effect("a retry whose turn would come after the deadline is not paid for", function* () {
    const events: Array<Event.Event> = []
    const played = yield* play([Fault.Status({ status: 503 })], {
      pacing: Pacing.fixed({ limit: 1, window: "10 seconds" }),
      deadline: { total: "5 seconds" },
      log: (event) => Effect.sync(() => void events.push(event))
    })
    expect(played.ending).toBe("Throttled unknown")
    expect(played.sent).toEqual([0])
    expect(events.flatMap((event) => ("tokens" in event ? [[event._tag, event.tokens]] : []))).toEqual([
      ["Retrying", 495],
      ["BudgetRefilled", 500]
    ])
  })
})

type Policy = Partial<Omit<Retry.Retry, "budget">>

describe("Retry.within", () => {
  const current = Effect.service(Region.retry)

  it.effect("takes the effect first too, goes by the innermost, and inherits what that does not name", function* () {
    expect(yield* Retry.within(current, { attempts: 7 })).toEqual({ attempts: 7 })
    expect(yield* current.pipe(Retry.within({ attempts: 2 }), Retry.within({ attempts: 5, cap: 0 }))).toEqual({
      attempts: 2,
      cap: 0
    })
  })

  it.effect("cannot change the budget, which is that of all calls together", function* () {
    // @ts-expect-error: the budget is the client's
    const policy: Policy = { budget: Retry.standard.budget }
    expect(yield* Retry.within(current, policy)).toEqual({})
  })
})

describe("Deadline.within", () => {
  const current = Effect.service(Region.deadline)

  it.effect("takes the effect first too", function* () {
    expect(yield* Deadline.within(current, { total: 1000 })).toEqual({ total: 1000 })
  })

  it.effect.each<[name: string, inner: Partial<Deadline.Deadline>, outer: Partial<Deadline.Deadline>, both: object]>([
    ["the shorter attempt holds", { attempt: 300 }, { attempt: 700 }, { attempt: 300 }],
    ["so it does outside", { attempt: 700 }, { attempt: "300 millis" }, { attempt: "300 millis" }],
    ["the shorter total holds", { total: 400 }, { total: 900 }, { total: 400 }],
    ["so it does outside too", { total: "1 hour" }, { total: 500 }, { total: 500 }],
    ["one leaves the other as it is", { attempt: "1 hour" }, { total: 600 }, { attempt: "1 hour", total: 600 }]
  ])("inside another one: %s", function* ([, inner, outer, both]) {
    expect(yield* current.pipe(Deadline.within(inner), Deadline.within(outer))).toEqual(both)
  })
})
