import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Policy from "../policy.ts"
import { scenarios } from "../scenario.ts"
import * as State from "../state.ts"

const changed: State.State = {
  ...State.initial,
  scenario: "script",
  calls: 3,
  seed: 42,
  A: { ...Policy.patient, pacing: { _tag: "Fixed", limit: 10, window: 10_000 } },
  script: { ask: "list organizations", faults: [{ _tag: "Status", status: 503, body: "größer & „#“ %" }] },
  cassette: { file: "a.json", text: '{"version":1,"entries":[]}' }
}

describe("a link", () => {
  it.each([State.initial, changed])("restores the state", (state) => {
    expect(State.ofFragment(State.toFragment(state))).toEqual(Result.succeed(state))
  })

  it("may be absent", () => {
    expect(State.ofFragment("")).toEqual(Result.succeed(undefined))
    expect(State.ofFragment("#")).toEqual(Result.succeed(undefined))
  })

  const damaged: ReadonlyArray<readonly [what: string, fragment: string, message: RegExp]> = [
    ["is cut off", State.toFragment(changed).slice(0, 100), /does not describe a state/],
    ["has half an escape", "#%E0%A4", /cut off or damaged/],
    ["is not JSON", "#hello", /does not describe a state/],
    ["is of another page", "#_top", /does not describe a state/],
    ["has no attempts", State.toFragment(changed).replace("attempts%22%3A10", "attempts%22%3A0"), /attempts/],
    ["names another scenario", State.toFragment(changed).replace("script", "flood"), /scenario/]
  ]
  it.each(damaged)("that %s gets a clear message", (_, fragment, message) => {
    const found = State.ofFragment(fragment)
    expect(Result.isFailure(found) ? found.failure : "accepted").toMatch(message)
  })
})

/** Copies of a value, each of which has one number, string, list or record in it enlarged. */
const enlarged = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, value: unknown]> => {
  if (typeof value === "number") return [[path, 1e9]]
  if (typeof value === "string") return [[path, "9".repeat(2_000_000)]]
  if (typeof value !== "object" || value === null) return []
  const inside = Object.entries(value).flatMap(([name, inner]) =>
    enlarged(inner, `${path}.${name}`).map(
      ([where, large]) =>
        [where, Array.isArray(value) ? value.with(Number(name), large) : { ...value, [name]: large }] as const
    )
  )
  if (Array.isArray(value)) return [[path, Array.from({ length: 2000 }, () => value[0])], ...inside]
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`x-${index}`, "1"]))
  return path.endsWith(".headers") ? [[path, many], ...inside] : inside
}

describe("a state", () => {
  const faults = [
    { _tag: "Status", status: 503, headers: { "retry-after": "1" }, body: "wait" },
    { _tag: "StatusAfterSend", status: 503, headers: { "retry-after": "1" }, body: "wait" },
    { _tag: "Delay", duration: 1 },
    { _tag: "Break", code: "EPIPE", when: "before-send" },
    { _tag: "Truncate", bytes: 1 },
    { _tag: "Stall", bytes: 1 }
  ] as const
  const full: State.State = { ...changed, B: Policy.patient, script: { ...changed.script, faults } }

  it.each(enlarged(full))("has a bound for %s", (_, state) => {
    expect(Result.isSuccess(State.decode(full))).toBe(true)
    expect(Result.isFailure(State.decode(state))).toBe(true)
  })

  it("has at most a thousand recorded calls", () => {
    const entry = { request: { method: "GET", path: "/v1/organizations" }, response: { status: 200 } }
    const setup = (count: number) => {
      const text = JSON.stringify({ version: 1, entries: Array.from({ length: count }, () => entry) })
      return State.setupOf({ ...State.initial, scenario: "cassette", cassette: { file: "a.json", text } })
    }
    expect(Result.getOrThrow(setup(1000)).calls).toHaveLength(1000)
    expect(Result.isFailure(setup(1001))).toBe(true)
  })
})

it("a scenario brings its calls and policies", () => {
  const { A, B, calls } = State.choose(State.initial, "rate-limit")
  expect({ A, B, calls }).toEqual({ A: scenarios["rate-limit"].A, B: scenarios["rate-limit"].B, calls: 200 })
})
