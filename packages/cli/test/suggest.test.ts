import { expect, it } from "vitest"
import { didYouMean, suggest } from "../src/help/suggest.ts"

it.each([
  ["kyes", ["keys", "help"], ["keys"]],
  ["Redy", ["Ready", "Rejected"], ["Ready"]],
  ["READY", ["Ready"], ["Ready"]],
  ["cmd", ["bash", "fish"], []],
  ["serv", ["serve", "server"], ["serve"]],
  ["", ["a"], []],
  ["x".repeat(10_000), ["x".repeat(9999)], []]
])("%s among %o may stand for %o", (text, names, meant) => {
  expect(suggest(text, names)).toEqual(meant)
})

it("asks nothing where nothing is near", () => {
  expect(didYouMean([])).toEqual([])
  expect(didYouMean(["a", "b"])).toEqual(["Did you mean a or b?"])
})
