import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Deadline from "@cloud-management/core/Deadline"
import { calls, connect, ids, success } from "./Stub.ts"

const never = () => new Promise<Response>(() => {})

/** An answer whose body stops after its first bytes; `begun` is done when somebody reads on, `cancelled` when nobody does. */
const stalled = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  const cancelled = yield* Deferred.make<void>()
  const answer = () =>
    new Response(
      new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"status":200,')),
          pull: () => void Deferred.doneUnsafe(begun, Exit.void),
          cancel: () => void Deferred.doneUnsafe(cancelled, Exit.void)
        },
        { highWaterMark: 0 }
      )
    )
  return { answer, begun: Deferred.await(begun), cancelled: Deferred.await(cancelled) }
})

describe("the deadline of an attempt", () => {
  it.effect.each(Object.entries(calls))("is 10 seconds unless an option says otherwise: %s", ([name, call]) =>
    Effect.gen(function* () {
      const { cloud, requests } = yield* connect(never)
      const fiber = yield* Effect.forkChild(Effect.flip(call(cloud)))
      yield* TestClock.adjust("9999 millis")
      expect(fiber.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(fiber)
      expect(error).toMatchObject({ operation: name, outcome: "unknown", attempts: 1, isRetryable: true })
      expect(error.status).toBe(undefined)
      expect(error.reason).toMatchObject({
        _tag: "Timeout",
        limit: Duration.seconds(10),
        message: "no complete response within 10 s"
      })
      expect(requests[0]?.signal.aborted).toBe(true)
    })
  )

  it.effect("covers a body that stalls, and cancels it", () =>
    Effect.gen(function* () {
      const { answer, begun, cancelled } = yield* stalled
      const { cloud } = yield* connect(answer, { deadline: { attempt: "250 millis" } })
      const fiber = yield* Effect.forkChild(Effect.flip(cloud.organizations.list()))
      yield* begun
      yield* TestClock.adjust("250 millis")
      expect(yield* Fiber.join(fiber)).toMatchObject({ status: 200, outcome: "unknown", reason: { _tag: "Timeout" } })
      yield* cancelled
    })
  )

  it.effect("does not touch an answer that comes in time", () =>
    Effect.gen(function* () {
      const answer = Promise.withResolvers<Response>()
      const { cloud } = yield* connect(() => answer.promise)
      const fiber = yield* Effect.forkChild(cloud.organizations.list())
      yield* TestClock.adjust("9 seconds")
      answer.resolve(Response.json(success["organizations.list"]))
      expect(yield* Fiber.join(fiber)).toHaveLength(1)
    })
  )

  it.effect("ends the call of that attempt only", () =>
    Effect.gen(function* () {
      const { cloud } = yield* connect(({ method }) =>
        method === "DELETE" ? never() : Response.json(success["organizations.list"])
      )
      const fiber = yield* Effect.forkChild(Effect.flip(cloud.apiKeys.delete(ids)))
      yield* TestClock.adjust("5 seconds")
      expect(yield* cloud.organizations.list()).toHaveLength(1)
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(fiber)).reason._tag).toBe("Timeout")
      expect(yield* cloud.organizations.list()).toHaveLength(1)
    })
  )
})

describe("Deadline.within", () => {
  /** After how many milliseconds a call that is never answered gives up. */
  const patience = Effect.fnUntraced(function* (
    around: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
    deadline: Partial<Deadline.Deadline> = {}
  ) {
    const { cloud } = yield* connect(never, { deadline })
    const fiber = yield* Effect.forkChild(around(Effect.flip(cloud.organizations.list())))
    let waited = 0
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("50 millis")
      waited += 50
    }
    const { reason } = yield* Fiber.join(fiber)
    expect(reason).toMatchObject({ _tag: "Timeout", limit: Duration.millis(waited) })
    return waited
  })

  it.effect("is the deadline of the calls inside it", () =>
    Effect.gen(function* () {
      expect(yield* patience((call) => call, { attempt: "1 second" })).toBe(1000)
      expect(yield* patience(Deadline.within({ attempt: "500 millis" }), { attempt: "1 second" })).toBe(500)
      expect(yield* patience(Deadline.within({ attempt: "2 seconds" }), { attempt: "1 second" })).toBe(2000)
    })
  )

  it.effect("leaves alone what it does not name, and so does undefined", () =>
    Effect.gen(function* () {
      expect(yield* patience(Deadline.within({}), { attempt: "1 second" })).toBe(1000)
      expect(yield* patience(Effect.provideService(Deadline.Current, undefined), { attempt: "1 second" })).toBe(1000)
    })
  )

  const nested: ReadonlyArray<
    readonly [name: string, inner: Partial<Deadline.Deadline>, outer: Partial<Deadline.Deadline>, waited: number]
  > = [
    ["a shorter attempt holds", { attempt: "300 millis" }, { attempt: "700 millis" }, 300],
    ["a longer attempt does not", { attempt: "700 millis" }, { attempt: "300 millis" }, 300],
    ["a shorter total holds", { total: "400 millis" }, { total: "900 millis" }, 400],
    ["a longer total does not", { total: "1 hour" }, { total: "500 millis" }, 500],
    ["an attempt leaves the total", { attempt: "1 hour" }, { total: "600 millis" }, 600],
    ["a total leaves the attempt", { total: "1 hour" }, { attempt: "200 millis" }, 200],
    ["nothing leaves both", {}, { attempt: "300 millis", total: "250 millis" }, 250],
    ["no limit is none", { attempt: "Infinity", total: "Infinity" }, { total: "450 millis" }, 450]
  ]
  it.effect.each(nested)("inside another one: %s", ([, inner, outer, expected]) =>
    Effect.gen(function* () {
      const both = <A, E, R>(call: Effect.Effect<A, E, R>) => call.pipe(Deadline.within(inner), Deadline.within(outer))
      expect(yield* patience(both)).toBe(expected)
    })
  )

  it.effect("ends with its region, also inside another one", () =>
    Effect.gen(function* () {
      const twice = <A, E, R>(call: Effect.Effect<A, E, R>) =>
        Effect.andThen(Deadline.within({ attempt: "100 millis" })(call), call).pipe(
          Deadline.within({ attempt: "300 millis" })
        )
      const { cloud } = yield* connect(never)
      const fiber = yield* Effect.forkChild(twice(Effect.flip(cloud.organizations.list())))
      yield* TestClock.adjust("399 millis")
      expect(fiber.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust("1 millis")
      expect((yield* Fiber.join(fiber)).reason._tag).toBe("Timeout")
    })
  )

  it.each<[problem: string, deadline: Partial<Deadline.Deadline>, message: string]>([
    ["a negative limit", { attempt: -1 }, "deadline.attempt must be a duration or number of at least 0"],
    ["no number", { total: NaN }, "deadline.total must be"],
    ["no duration", { total: "soon" as "1 second" }, "deadline.total must be"]
  ])("throws for %s", (_, deadline, message) => {
    expect(() => Deadline.within(deadline)).toThrow(RangeError)
    expect(() => Deadline.within(deadline)).toThrow(message)
  })

  it.effect("bounds an attempt by what is left of the whole call, too", () =>
    Effect.gen(function* () {
      expect(yield* patience(Deadline.within({ total: "400 millis" }))).toBe(400)
      expect(yield* patience((call) => call, { total: "600 millis" })).toBe(600)
    })
  )
})

describe("an interrupted call", () => {
  it.effect("aborts its request while it waits for an answer", () =>
    Effect.gen(function* () {
      const { cloud, requests } = yield* connect(never)
      const fiber = yield* Effect.forkChild(cloud.apiKeys.delete(ids), { startImmediately: true })
      expect(requests.map(({ signal }) => signal.aborted)).toEqual([false])
      yield* Fiber.interrupt(fiber)
      expect(requests.map(({ signal }) => signal.aborted)).toEqual([true])
    })
  )

  it.effect("cancels the body that it reads", () =>
    Effect.gen(function* () {
      const { answer, begun, cancelled } = yield* stalled
      const { cloud } = yield* connect(answer)
      const fiber = yield* Effect.forkChild(cloud.organizations.list())
      yield* begun
      yield* Fiber.interrupt(fiber)
      yield* cancelled
    })
  )
})
