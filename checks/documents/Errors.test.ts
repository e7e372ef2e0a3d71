import { expect, it } from "@effect/vitest"
import { text } from "./errors.ts"

it("docs/library/errors.md is what the code says: run this test with -u to write it", async () => {
  // each reason has its meaning and its advice
  expect(text).not.toMatch(/\| *\|/)
  await expect(text).toMatchFileSnapshot("../../docs/library/errors.md")
})
