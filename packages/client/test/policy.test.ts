import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Policy from "../src/internal/policy.ts"
import * as Retry from "../src/Retry.ts"
import * as Operation from "../src/Operation.ts"
import { listOrganizations } from "@cloud-management/core/Operations"
import { seeded } from "./Stub.ts"

const { standard } = Retry

/** After a first attempt that met a 503, with all the time and all the tokens left. */
const first: Policy.CallState = {
  attempts: 1,
  isRetryable: true,
  isRepeatable: true,
  outcome: "unknown",
  status: 503,
  isTimeout: false,
  hint: 0,
  tokens: 500,
  timeLeft: 60_000
}

const fail = { _tag: "Fail", hintDeclined: false }
const declined = { _tag: "Fail", hintDeclined: true }
const retry = (wait: number, cost = 5, cause = "backoff", hinted = false) => ({
  _tag: "Retry",
  wait,
  cause,
  hinted,
  cost
})

describe("what follows an attempt that failed", () => {
  it.each<
    [title: string, state: Partial<Policy.CallState>, random: number, decision: object, policy?: Partial<Retry.Retry>]
  >([
    ["another one, after a wait drawn up to 100 ms", {}, 0.5, retry(50)],
    ["a wait of up to 200 ms before the third", { attempts: 2 }, 0.5, retry(100)],
    ["a wait of up to 500 ms after a 429", { status: 429, outcome: "refused" }, 0.5, retry(250)],
    ["a wait of up to the cap", { attempts: 9 }, 0.5, retry(10_000), { attempts: 10 }],
    ["a wait of up to the base of the policy", {}, 0.5, retry(4000), { base: "8 seconds" }],
    ["nothing: the third was the last", { attempts: 3 }, 0, fail],
    ["nothing without retries", {}, 0, fail, Retry.none],
    ["a tenth attempt with patience", { attempts: 9 }, 1, retry(20_000), Retry.patient],
    ["nothing: the tenth was the last with patience", { attempts: 10 }, 0, fail, Retry.patient],
    ["a wait of up to 500 ms with patience", {}, 0.5, retry(250), Retry.patient],
    ["nothing after a hint of 5 minutes and a bit", { hint: 300_001, timeLeft: 1e6 }, 0, declined, Retry.patient],
    ["nothing: another attempt cannot succeed", { isRetryable: false }, 0, fail],
    ["nothing: it may have been applied, and is not repeatable", { isRepeatable: false }, 0, fail],
    ["another one: it was refused, so it is repeatable", { isRepeatable: false, outcome: "refused" }, 0, retry(0)],
    ["another one: it was not sent, so it is repeatable", { isRepeatable: false, outcome: "not-sent" }, 0, retry(0)],
    ["a dearer one after a timeout", { isTimeout: true, status: undefined }, 0, retry(0, 10)],
    ["nothing: the budget has too few tokens", { tokens: 4 }, 0, fail],
    ["another one: the budget has just enough", { tokens: 5 }, 0, retry(0)],
    ["nothing: a timeout costs more than there is", { isTimeout: true, tokens: 9 }, 0, fail],
    ["the wait that the service asks for", { hint: 1000 }, 0.5, retry(1000, 5, "hint", true)],
    ["a longer wait than the service asks for, if it is drawn", { hint: 10 }, 0.5, retry(50, 5, "backoff", true)],
    ["another one after the longest hint", { hint: 60_000, timeLeft: 60_001 }, 0, retry(60_000, 5, "hint", true)],
    ["nothing: the hint is too long", { hint: 60_001, timeLeft: 100_000 }, 0, declined],
    ["nothing: the hint ends with the call's time", { hint: 1000, timeLeft: 1000 }, 0, declined],
    ["nothing: no time is left, and no hint was given", { timeLeft: 0 }, 0, fail],
    ["nothing: the wait is too long, the hint is not", { hint: 10, timeLeft: 50 }, 1, fail],
    ["nothing: the wait ends with the call's time", { timeLeft: 50 }, 0.5, fail]
  ])("%s", (_, state, random, decision, policy) => {
    expect(Policy.decide({ ...standard, ...policy }, { ...first, ...state }, random)).toEqual(decision)
  })

  it.prop(
    "never more attempts than allowed, nor a wait that ends after the call's time or costs more than there is",
    [
      Schema.Struct({
        attempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
        isRetryable: Schema.Boolean,
        isRepeatable: Schema.Boolean,
        outcome: Schema.Literals(["not-sent", "refused", "unknown"]),
        status: Schema.UndefinedOr(Schema.Literals([404, 408, 429, 500, 503])),
        isTimeout: Schema.Boolean,
        hint: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
        tokens: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
        timeLeft: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70_000 })),
        random: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
      })
    ],
    ([{ random, ...state }]) => {
      const decision = Policy.decide(standard, state, random)
      if (decision._tag === "Fail") return
      expect(state.attempts).toBeLessThan(3)
      expect(state.isRetryable).toBe(true)
      expect(state.isRepeatable || state.outcome !== "unknown").toBe(true)
      expect(decision.wait).toBeGreaterThanOrEqual(state.hint)
      expect(decision.wait).toBeLessThan(state.timeLeft)
      expect(decision.cost).toBeLessThanOrEqual(state.tokens)
    },
    seeded(2000)
  )
})

it.each<[method: Operation.Any["method"], expected: boolean, repeat?: Operation.Any["repeat"]]>([
  ["GET", true],
  ["HEAD", true],
  ["PUT", true],
  ["DELETE", true],
  ["POST", false],
  ["PATCH", false],
  ["POST", true, Operation.idempotencyKey()],
  ["POST", true, "idempotent"],
  ["PUT", false, "not-idempotent"]
])("a request that may have been applied is repeatable: %s, %s, as declared: %j", (method, expected, repeat) => {
  expect(Policy.isRepeatable({ ...listOrganizations, method, ...(repeat !== undefined && { repeat }) })).toBe(expected)
})
