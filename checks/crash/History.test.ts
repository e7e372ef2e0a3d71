import { expect, it } from "@effect/vitest"
import { keyId } from "../fixtures/Tenants.ts"
import * as History from "./History.ts"

const key = (n: string) => keyId("a", Number(n))

const events = (text: string) =>
  text.split(", ").map((line): History.Event => {
    const [, begun, ended, caller = "", what = "", target] = /^(\d+)–(\d*) (\d) (\D+)(\d)?$/.exec(line) ?? []
    const at = { begun: Number(begun), ended: ended ? Number(ended) : Infinity, by: "nginx", caller: key(caller) }
    const known = History.whats.find((one) => one === what.trim()) ?? expect.unreachable(line)
    return { ...at, what: known, ...(target !== undefined && { target: key(target) }) }
  })

it.each([
  ["some", "of two that delete one another one is refused", "0–3 1 deleted 2, 0–3 2 unauthorized"],
  ["some", "a deletion was done, later", "0– 1 perhaps deleted 2, 6–7 2 authenticated, 8–9 2 unauthorized"],
  ["some", "or not: its key was gone", "0– 3 perhaps deleted 1, 0–2 2 deleted 3, 0–2 1 deleted 2"],
  ["some", "one is assumed that was done before", "0–5 1 assumed 2, 2–3 2 unauthorized"],
  ["some", "or by somebody else", "0–5 1 assumed 2, 0–5 3 deleted 2"],
  ["no", "a key is refused that nobody deleted", "0–1 2 unauthorized"],
  ["no", "a deletion finds nothing where nobody deleted", "0–1 1 not found 2"],
  ["no", "a key is refused before its deletion", "0–1 2 unauthorized, 2–3 1 deleted 2"],
  ["no", "all of a ring delete the next", "0–5 1 deleted 2, 1–4 2 deleted 3, 2–3 3 deleted 1"],
  ["no", "a key is deleted twice", "0–3 1 deleted 2, 0–3 3 deleted 2"],
  ["no", "a deleted key is let in", "0–1 1 deleted 2, 2–3 2 authenticated"],
  ["no", "so is one that was assumed deleted", "0–1 1 assumed 2, 2–3 2 authenticated"],
  ["no", "a key comes back", "0– 1 perhaps deleted 2, 1–2 2 unauthorized, 3–4 2 authenticated"]
])("%s order explains that %s", (order, _, text) => {
  const wrong = History.wrong({ keys: ["1", "2", "3"].map(key), events: events(text) })
  expect(wrong === undefined).toBe(order === "some")
})
