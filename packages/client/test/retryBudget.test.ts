import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Random } from "effect"
import { Pacing, Retry } from "@cloud-management/client"
import { Faults, VirtualTime } from "@cloud-management/testing"
import { calls, type Client, type Options } from "../../../checks/fixtures/Scripted.ts"
import { always, connect, refusal } from "./Scripted.ts"

const { Fault } = Faults

/** Without a body: to search thousands of them for the secret takes most of the time of these tests. */
const broken = Fault.Status({ status: 503 })
const list = (cloud: Client) => cloud.organizations.list()

const open = Effect.fnUntraced(function* (faults: Iterable<Faults.Fault>, options: Options = {}) {
  const timeline = VirtualTime.make()
  const scripted = yield* connect(faults, { deadline: { total: "1 hour" }, ...options })
  const run = <A, E, R>(call: (cloud: Client) => Effect.Effect<A, E, R>) =>
    Effect.map(timeline.run(call(scripted.cloud)), ({ exit }) => exit)
  /** Spends all that is left on retries at 5 tokens each, on a service that is broken for good. */
  const drain = Effect.gen(function* () {
    const before = scripted.sent.length
    yield* run((cloud) => list(cloud).pipe(Retry.within({ attempts: 10_000, base: 0 })))
    return (scripted.sent.length - before - 1) * 5
  })
  return { ...scripted, timeline, run, drain }
})

const budget = (capacity: number) => ({ ...Retry.standard.budget, capacity })

describe("the price", () => {
  const prices: ReadonlyArray<
    readonly [name: string, faults: ReadonlyArray<Faults.Fault>, left: number, call?: (typeof calls)["apiKeys.delete"]]
  > = [
    ["of a call that fails without a retry is none", [refusal(400)], 500],
    ["of a retry after a body that stalls is 10", [Fault.Stall({ bytes: 9 }), refusal(400)], 490],
    ["of all retries adds up, and is kept when the call fails", [broken, Fault.Hang(), refusal(400)], 485],
    ["of a timeout comes back as it was paid, when the retry succeeds", [broken, Fault.Hang(), Fault.None()], 495],
    ["comes back when it found its work done", [Fault.DropAfterSend(), Fault.None()], 500, calls["apiKeys.delete"]]
  ]
  it.effect.each(prices)("%s", function* ([, faults, left, call = list]) {
    const { drain, run, sent } = yield* open([...faults, ...Array.from({ length: 1000 }, () => broken)])
    yield* run<unknown, unknown, never>(call)
    expect(sent).toHaveLength(faults.length)
    expect(yield* drain).toBe(left)
  })

  it.effect.each<[what: string, options: Options, sent: number, refilled: ReadonlyArray<number>]>([
    ["comes back when the wait before it", { retry: { base: "1 hour" } }, 1, [500]],
    [
      "comes back when its turn",
      { retry: { base: 0 }, pacing: Pacing.fixed({ limit: 1, window: "30 minutes" }) },
      1,
      [500]
    ],
    ["comes back when a listener", { log: ({ _tag }) => (_tag === "Retrying" ? Effect.never : Effect.void) }, 1, [500]],
    ["is kept when the retry", { retry: { base: 0 }, pacing: Pacing.fixed({ limit: 2, window: "30 minutes" }) }, 2, []]
  ])("%s is interrupted", function* ([, options, requests, expected]) {
    const { run, sent } = yield* open([broken, Fault.Hang()], {
      ...options,
      metrics: (event) => Effect.sync(() => void (event._tag === "BudgetRefilled" && refilled.push(event.tokens)))
    })
    const refilled: Array<number> = []
    yield* run((cloud) => Effect.timeout(list(cloud), "1 milli")).pipe(Random.withSeed("interrupted"))
    expect(sent).toHaveLength(requests)
    expect(refilled).toEqual(expected)
  })
})

describe("the bucket", () => {
  it.effect("gets one token of a call whose first attempt succeeds, and never holds more than it can", function* () {
    const healthy = (count: number) => Array.from({ length: count }, () => Fault.None())
    const spent = Array.from({ length: 2 }, () => broken)
    const { drain, run } = yield* open(
      // spend 5 of 5, earn 4, find too little; earn 1 more, find enough for one; earn 100, find 5
      [...spent, ...healthy(4), broken, ...healthy(1), ...spent, ...healthy(100), ...spent],
      { retry: { budget: budget(5) } }
    )
    const earn = (count: number) => run((cloud) => Effect.forEach(Array.from({ length: count }), () => list(cloud)))
    expect(yield* drain).toBe(5)
    yield* earn(4)
    expect(yield* drain).toBe(0)
    yield* earn(1)
    expect(yield* drain).toBe(5)
    yield* earn(100)
    expect(yield* drain).toBe(5)
  })

  it.effect("is shared by all operations and all calls of a client, and by no other client", function* () {
    for (const { run, sent } of [
      yield* open(always(broken), { retry: { budget: budget(25) } }),
      yield* open(always(broken), { retry: { budget: budget(25) } })
    ]) {
      const all = Object.values(calls).flatMap((call) => [call, call])
      yield* run((cloud) => Effect.forEach(all, (call) => Effect.exit(call(cloud)), { concurrency: "unbounded" }))
      // a retry after an error is 5
      expect(sent).toHaveLength(all.length + 5)
    }
  })
})

it.effect(
  "of a thousand calls a second that is broken gets 1.1 times as much for one second, and then no more",
  function* () {
    const { run, sent } = yield* open(always(broken))
    const calls = Array.from({ length: 2000 }, (_, millis) => millis)
    yield* run((cloud) =>
      Effect.forEach(calls, (millis) => Effect.delay(Effect.exit(list(cloud)), millis), {
        concurrency: "unbounded",
        discard: true
      })
    ).pipe(Random.withSeed("broken"))
    // 500 tokens are 100 retries, whose waits are over in a third of a second
    expect([0, 1].map((second) => sent.filter((at) => Math.floor(at / 1000) === second).length)).toEqual([1100, 1000])
  }
)
