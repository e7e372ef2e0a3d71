import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect } from "effect"
import * as Deadline from "../src/Deadline.ts"
import * as Retry from "../src/Retry.ts"

type Policy = Partial<Omit<Retry.Retry, "budget">>

describe("Retry.within", () => {
  const current = Effect.service(Retry.Current)

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
  const current = Effect.service(Deadline.Current)

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
