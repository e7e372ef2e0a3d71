import { expect, it } from "vitest"
import { suggest } from "../src/help/suggest.ts"

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
