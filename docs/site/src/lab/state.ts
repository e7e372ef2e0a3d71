import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Cassette from "./cassette.ts"
import { Policy } from "./policy.ts"
import * as Run from "./run.ts"
import * as Scenario from "./scenario.ts"

/** All that a visitor can choose. */
export const State = Schema.Struct({
  scenario: Schema.Literals([...Struct.keys(Scenario.scenarios), "script", "cassette"]),
  calls: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })),
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999 })),
  A: Policy,
  B: Policy,
  script: Scenario.Script,
  cassette: Schema.optionalKey(
    Schema.Struct({
      file: Schema.String.check(Schema.isMaxLength(255)),
      text: Schema.String.check(Schema.isMaxLength(1_000_000))
    })
  )
})
export type State = typeof State.Type

/** A choice that `State` does not allow names what is wrong. */
export const decode = Schema.decodeUnknownResult(State)

/** The scenario of a state; a cassette has none. */
export const scenarioOf = ({ scenario, script }: Pick<State, "scenario" | "script">): Scenario.Scenario | undefined =>
  scenario === "script" ? Scenario.scripted(script) : scenario === "cassette" ? undefined : Scenario.scenarios[scenario]

/** Chooses a scenario, with the policies and the number of calls that show it well. */
export const choose = (state: State, scenario: State["scenario"]): State => {
  const { A, B, calls } = scenarioOf({ ...state, scenario }) ?? state
  return { ...state, scenario, calls, A, B }
}

/** What a first visit shows. */
export const initial: State = {
  scenario: "lost-response",
  calls: 1,
  seed: 1,
  A: Scenario.scenarios["lost-response"].A,
  B: Scenario.scenarios["lost-response"].B,
  script: Scenario.firstScript
}

/** What the state runs, or why it cannot. */
export const setupOf = (state: State): Result.Result<Run.Setup, string> => {
  const scenario = scenarioOf(state)
  if (scenario !== undefined) return Result.succeed(Run.ofScenario(scenario, state.calls))
  if (state.cassette === undefined) return Result.fail("Choose the file of a cassette, or drop it here.")
  const { file, text } = state.cassette
  return Result.map(Cassette.calls(text), (calls) => Run.ofCassette(file, text, calls))
}

const Link = Schema.fromJsonString(State)
const encodeLink = Schema.encodeSync(Link)
const decodeLink = Schema.decodeUnknownResult(Link)

/** The state as the fragment of a URL. */
export const toFragment = (state: State): string => `#${encodeURIComponent(encodeLink(state))}`

/** The state of a fragment; none for an empty one. */
export const ofFragment = (fragment: string): Result.Result<State | undefined, string> => {
  if (fragment.replace("#", "") === "") return Result.succeed(undefined)
  return Result.try(() => decodeURIComponent(fragment.slice(1))).pipe(
    Result.flatMap(decodeLink),
    Result.mapError(
      (error) =>
        `This link does not describe a state of the lab, so the first scenario is shown. ${Schema.isSchemaError(error) ? error.message : "It is cut off or damaged."}`
    )
  )
}
