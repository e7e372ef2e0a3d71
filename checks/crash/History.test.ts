import { expect, it } from "@effect/vitest"
import { keyId } from "../fixtures/Tenants.ts"
import * as History from "./History.ts"

const whats: Readonly<Record<string, History.Event["what"]>> = {
  in: "authenticated",
  out: "unauthorized",
  deleted: "deleted",
  assumed: "assumed",
  missed: "not found",
  perhaps: "perhaps deleted"
}
const key = (n: string) => keyId("a", Number(n))
const keys = ["1", "2", "3"].map(key)

/** Events of keys 1 to 3, each with its begin and its end, none if nobody saw it: `0–2 1 deleted 2, 3–4 2 out`. */
const history = (text: string): History.History => ({
  keys,
  events: text.split(", ").map((line) => {
    const [, begun, ended, caller = "", what = "", target] = /^(\d+)–(\d*) (\d) (\w+) ?(\d?)$/.exec(line) ?? []
    return {
      begun: Number(begun),
      ended: ended === "" ? Infinity : Number(ended),
      by: "nginx",
      caller: key(caller),
      what: whats[what] ?? "perhaps deleted",
      ...(target !== "" && target !== undefined && { target: key(target) })
    }
  })
})

it.each([
  ["of two that delete one another one is refused", "0–3 1 deleted 2, 0–3 2 out"],
  ["a deletion of unknown outcome was done, later", "0– 1 perhaps 2, 6–7 2 in, 8–9 2 out"],
  ["or not, because its key was gone", "0– 3 perhaps 1, 0–2 2 deleted 3, 0–2 1 deleted 2"],
  ["an assumed deletion was done by its first attempt", "0–5 1 assumed 2, 2–3 2 out"],
  ["or by somebody else", "0–5 1 assumed 2, 0–5 3 deleted 2"]
])("an order is found: %s", (_, text) => {
  expect(History.wrong(history(text))).toBe(undefined)
})

it.each([
  ["a key is refused that nobody deleted", "0–1 2 out"],
  ["a deletion finds nothing where nobody deleted", "0–1 1 missed 2"],
  ["a key is refused before its deletion", "0–1 2 out, 2–3 1 deleted 2"],
  ["all of a ring delete the next", "0–5 1 deleted 2, 1–4 2 deleted 3, 2–3 3 deleted 1"],
  ["a key is deleted twice", "0–3 1 deleted 2, 0–3 3 deleted 2"],
  ["a deleted key is let in", "0–1 1 deleted 2, 2–3 2 in"],
  ["so is one that was assumed deleted", "0–1 1 assumed 2, 2–3 2 in"],
  ["a key comes back", "0– 1 perhaps 2, 1–2 2 out, 3–4 2 in"]
])("no order is found: %s", (_, text) => {
  expect(History.wrong(history(text))).toMatch(/^no order explains\n/)
})
