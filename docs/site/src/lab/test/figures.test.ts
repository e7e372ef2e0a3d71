import { expect, it } from "@effect/vitest"
import * as Figures from "../figures.ts"

it.each([
  [1, []],
  [2, [0.5]],
  [9, [0.5]],
  [10, [0.5, 0.9]],
  [99, [0.5, 0.9]],
  [100, [0.5, 0.9, 0.99]]
])("of %s calls, a percentile is shown if a call lies above it", (calls, shares) => {
  expect(Figures.shares(calls)).toEqual(shares)
})
