import { expect, it } from "@effect/vitest"
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

it("a link has what differs from the scenario, nothing else, and restores it", () => {
  const links = [...Object.keys(scenarios).map(State.entriesOf), changed].map((entries) => {
    const link = State.toFragment(entries)
    expect(State.ofFragment(link)).toEqual({ entries })
    return link
  })
  expect(links).toEqual([
    "",
    ...Object.keys(scenarios)
      .slice(1)
      .map((name) => `#scenario=${name}`),
    "#scenario=script&seed=42&request2=StatusAfterSend&value2=502&A.pacing=Fixed&B.attempts=7"
  ])
  for (const fragment of ["", "#"]) expect(State.ofFragment(fragment)).toEqual({ entries: State.initial })
})

it.each<readonly [fragment: string, words: string]>([
  ["#%7B%22scenario%22%3A%22rate-limit%22%7D", "it has no {"],
  ["#__proto__=1", "it has no __proto__"],
  ["#garbage", "it has no garbage"],
  ["#scenario=flood", "(scenario must be one of lost-response, jitter"],
  ["#request3=Status&value3=99", "value3 must be a whole number from 200 to 599"],
  ["#request3=StatusAfterSend&value3=204", "value3 must be a whole number from 200 to 599, but not 204"],
  ["#request3=Busy&value3=3601", "value3 must be a whole number from 0 to 3600"],
  ["#request3=Stall&value3=1000001", "value3 must be a whole number from 0 to 1000000"],
  ["#calls=6", "calls must be a whole number from 1 to 5"],
  ["#scenario=jitter&calls=1e9", "calls must be a whole number from 1 to 1000"],
  // and each field has a bound and words
  ...Object.keys(State.fields).flatMap((name) =>
    ["", "1e99", "-1", "x"].map((text) => [`#${name}=${text}`, `${name} must be `] as const)
  )
])("what is wrong is said: %s", (fragment, words) => {
  const { entries, problem } = State.ofFragment(fragment)
  expect(problem).toContain(words)
  expect(entries).toEqual(State.initial)
})
