import { expect, it } from "../../../../../checks/fixtures/vitest.ts"
import * as Effect from "effect/Effect"
import * as Results from "../results.ts"
import * as State from "../state.ts"

const results = (link: string) =>
  Effect.map(Results.run(State.decode(State.ofFragment(`#scenario=${link}`).entries)), (run) => Results.of(run, 600))

it.effect.each([
  ["lost-response", "succeeded at attempt 2: its 404 shows", "the policy has one attempt. The key may", 1],
  ["jitter", "All 100 calls succeeded, 95 of them", "70 of 100 calls failed after 6 attempts: with equal", 31],
  ["deadline", "All 40 calls succeeded, 11 of them by a retry", "10 of 40 calls had not ended when the run", 4],
  ["brown-out", "393 of 1,000 calls gave up early: the", "771 of 1,000 calls failed after 3 attempts: each", 230],
  ["node-dies", "All 12 calls succeeded, 5 of them by a retry", "3 of 12 calls failed without a retry", 4],
  ["gateway-html", "UnexpectedStatus, which the client does not send again. The key may", "The key may be gone", 1],
  ["rate-limit", "170 of 200 calls gave up early: the", "All 200 calls succeeded, each at its first attempt", 31],
  ["script", "succeeded at attempt 3", "The key may be gone", 1]
] as const)("%s: the verdicts are true, and it opens at the first failed call", function* ([scenario, A, B, failed]) {
  const { known, notes, open, sides } = yield* results(scenario)
  expect(sides).toMatchObject([{ verdict: expect.stringContaining(A) }, { verdict: expect.stringContaining(B) }])
  expect(known[open]?.[0]).toContain(`call ${failed}, attempt 1`)
  expect(notes).toBe(scenario === "script" ? "Policy B: 1 of 2 faults did not happen: too few requests were sent." : "")
})

it.effect.each<readonly [link: string, words: RegExp]>([
  [
    "script&request1=StatusAfterSend&value1=404",
    /hid the deletion of the key\..*reported as refused, but the key is gone/
  ],
  ["script&request1=StatusAfterSend&value1=429&A.attempts=1&calls=5", /hid the deletion of 1 key\./],
  ["script&request1=Status&value1=404", /UnexpectedStatus · refused, nothing changed/],
  ["script&request1=DropBeforeSend&A.jitter=none&A.attempts=2&request2=DropBeforeSend", /failed after 2 attempts\./],
  ["script&request1=Busy&value1=5&A.total=4000", /The call gave up: the deadline of 4 s was too near/],
  ["script&request1=Hang&A.base=0&request2=Hang", /490 of 500 .*, 480 after paying 10 for the next attempt\./],
  ["brown-out&calls=300", /\d+ after paying 10 for the next attempt; other calls took \d+\./],
  ["deadline", /sent 0 ms after the call began\. It had not ended when the run stopped\."\]/],
  ["brown-out", /Lesson: how.*393 of 1,000 calls gave up.*Shown: calls 229 .*to 240 of 1000\./s],
  ["jitter", /one for each call, each with its own retry budget/]
])("%s: says %s", ([link, words]) => Effect.map(results(link), (all) => expect(JSON.stringify(all)).toMatch(words)))

it.effect("the picture of the documents is today's, in both schemes of colours, with title and legend", function* () {
  const { given } = yield* results("lost-response")
  expect(given["Picture"]).toMatch(
    /The response to a deletion is lost.*A: Retry.standard.*B: Retry.none.*✗ attempt that failed/s
  )
  yield* Effect.promise(() => expect(given["Picture"]).toMatchFileSnapshot("../../../../fault-lab.svg"))
})
