import { describe, expect, it } from "@effect/vitest"
import * as Retry from "@cloud-management/client/Retry"
import * as Policy from "../policy.ts"
import { scenarios } from "../scenario.ts"
import * as State from "../state.ts"

const changed: State.Entries = {
  ...State.entriesOf("script"),
  seed: "42",
  "A.pacing": "Fixed",
  "B.attempts": "7",
  request2: "StatusAfterSend",
  value2: "502"
}

describe("a link", () => {
  it.each([...Object.keys(scenarios).map(State.entriesOf), changed])("restores the state", (entries) => {
    expect(State.ofFragment(State.toFragment(entries))).toEqual({ entries })
    expect(State.problemsOf(entries)).toEqual(new Map())
  })

  it("has what differs from the scenario, and nothing else", () => {
    expect(State.toFragment(State.initial)).toBe("")
    expect(State.toFragment(State.entriesOf("jitter"))).toBe("#scenario=jitter")
    expect(State.toFragment(changed)).toBe(
      "#scenario=script&seed=42&request2=StatusAfterSend&value2=502&A.pacing=Fixed&B.attempts=7"
    )
  })

  it.each(["", "#", "#_top"])("%s leads to the first scenario", (fragment) => {
    expect(State.ofFragment(fragment)).toEqual({ entries: State.initial })
  })

  it.each([
    ["of another version", "#%7B%22scenario%22%3A%22rate-limit%22%7D", "it has no {"],
    ["without attempts", "#A.attempts=0", "A.attempts: Enter a whole number from 1 to 100"],
    ["with another scenario", "#scenario=flood", "scenario: Enter one of lost-response, jitter"],
    ["with a field of Object", "#__proto__=1", "it has no __proto__"]
  ])("%s is refused, and says why", (_, fragment, message) => {
    const { entries, problem } = State.ofFragment(fragment)
    expect(problem).toContain(message)
    expect(entries).toEqual(State.initial)
  })
})

describe("what is entered", () => {
  it.each(Object.keys(State.fields))("has a bound and words for %s", (name) => {
    for (const text of ["", "1e99", "-1", "x".repeat(1_000_000)])
      expect(State.problemsOf({ ...changed, [name]: text }).get(name)).toMatch(/^Enter (a |a whole |one of )/)
  })

  it.each([
    ["Status", "99", "Enter a whole number from 200 to 599."],
    ["Busy", "3601", "Enter a whole number from 0 to 3600."],
    ["Stall", "1000001", "Enter a whole number from 0 to 1000000."]
  ])("has the bound of its fault: %s %s", (request3, value3, message) => {
    expect([...State.problemsOf({ ...changed, request3, value3 })]).toEqual([["value3", message]])
  })
})

it("a script is the requests up to the last fault", () => {
  expect(State.decode(changed).faults).toEqual({
    _tag: "Script",
    faults: [
      ["DropAfterSend", 0],
      ["StatusAfterSend", 502]
    ]
  })
})

it("options of a policy are those of the library", () => {
  const { base, baseRateLimited, cap, maxHint, ...retry } = Policy.toOptions(Policy.standard).retry
  expect(retry).toEqual({ attempts: Retry.standard.attempts, budget: Retry.standard.budget })
  expect({ base, baseRateLimited, cap, maxHint }).toEqual({
    base: 100,
    baseRateLimited: 500,
    cap: 20_000,
    maxHint: 60_000
  })
})
