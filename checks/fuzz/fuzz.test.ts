import { expect, it } from "@effect/vitest"
import { run } from "./run.ts"

it("requests of every kind get the answer that the model has for them, and malformed ones a refusal", async () => {
  const { guesses, heapGrowth, malformed, sent, wrong } = await run({ requests: 3000, seed: 1 })
  expect(wrong).toEqual([])
  expect(sent).toBeGreaterThanOrEqual(3000)
  expect(malformed).toBeGreaterThan(300)
  expect(guesses).toBeGreaterThan(100)
  expect(heapGrowth).toBeLessThan(20 * 2 ** 20)
})
