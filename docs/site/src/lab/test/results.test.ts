import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Results from "../results.ts"
import * as State from "../state.ts"

const results = (scenario: string) =>
  Effect.map(Results.run(State.decode(State.entriesOf(scenario))), (shown) => Results.of(shown, 600))

it.effect.each([
  ["lost-response", "succeeded at attempt 2: its 404 shows", "the policy has one attempt. The key may", 1],
  ["jitter", "All 100 calls succeeded, 95 of them", "70 of 100 calls failed after 6 attempts each: with equal", 31],
  ["deadline", "All 40 calls succeeded, 11 of them by a retry", "10 of 40 calls did not end within an hour", 4],
  ["brown-out", "393 of 1,000 calls failed without", "771 of 1,000 calls failed after 3 attempts each: each", 230],
  ["node-dies", "All 12 calls succeeded, 5 of them by a retry", "3 of 12 calls failed without a retry", 4],
  ["gateway-html", "UnexpectedStatus, which another attempt would not change. The key may", "The key may be gone", 1],
  ["rate-limit", "170 of 200 calls failed without", "All 200 calls succeeded, each at its first attempt", 31],
  ["script", "succeeded at attempt 3", "The key may be gone", 1]
] as const)("%s: the verdicts are true, and it opens at the first failed call", ([scenario, A, B, failed]) =>
  Effect.gen(function* () {
    const { known, notes, open, sides } = yield* results(scenario)
    expect(sides).toMatchObject([{ verdict: expect.stringContaining(A) }, { verdict: expect.stringContaining(B) }])
    expect(known[open]?.[0]).toContain(`call ${failed}, attempt 1`)
    expect(notes).toBe(
      scenario === "script" ? "Policy B: 1 of 2 faults did not happen: too few requests were sent." : ""
    )
  })
)

it.effect("the picture of the documents is today's, in both schemes of colours, with title and legend", () =>
  Effect.gen(function* () {
    const { given } = yield* results("lost-response")
    expect(given["Picture"]).toMatch(
      /The response to a deletion is lost.*A: Retry.standard.*B: Retry.none.*✗ attempt that failed/s
    )
    yield* Effect.promise(() => expect(given["Picture"]).toMatchFileSnapshot("../../../../fault-lab.svg"))
  })
)
