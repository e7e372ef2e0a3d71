import { expect, it } from "../../../../../checks/fixtures/vitest.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import type * as Event from "@cloud-management/client/Event"
import type { Call } from "../calls.ts"
import { hour } from "../field.ts"
import * as Run from "../run.ts"
import { scenarios, sideNames, type Kind, type SideName } from "../scenario.ts"
import * as State from "../state.ts"

const stateOf = (scenario: string) => State.decode(State.entriesOf(scenario))

/** Something that a client reported, when, and how long it took, in milliseconds to the microsecond. */
const said = (at: number, what: string, millis = 0, detail: string | number = "") =>
  `${at.toFixed(3)} ${what} ${millis.toFixed(3)} ${detail}`

/** A client's reports to a listener of its own, in a test of the usual kind: under Effect's `TestClock`. */
const listen = Effect.fnUntraced(
  function* (state: State.State, side: SideName) {
    const heard: Array<string> = []
    const hear = (event: Event.Event, at: number) => {
      switch (event._tag) {
        case "AttemptEnded":
          return heard.push(said(at, event._tag, event.seconds * 1000, event.status))
        case "CallEnded":
          return heard.push(said(at, event._tag, event.seconds * 1000, event.errorType))
        case "Paced":
          return heard.push(said(at, "pacing", Duration.toMillis(event.wait)))
        case "Retrying":
          return heard.push(said(at, event.cause, Duration.toMillis(event.wait), event.tokens))
        case "AssumedDeleted":
          return heard.push(said(at, event._tag))
      }
    }
    const metrics = (event: Event.Event) =>
      Effect.clockWith((clock) => Effect.sync(() => hear(event, Number(clock.monotonicTimeNanosUnsafe()) / 1e6)))
    const fiber = yield* Effect.forkChild(Run.perform(state, side, () => ({ metrics })))
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
    return heard.toSorted()
  },
  Effect.provideService(Logger.CurrentLoggers, new Set())
)

/** The same from what the lab shows. */
const shown = (calls: ReadonlyArray<Call>): ReadonlyArray<string> =>
  calls
    .flatMap(({ attempts, end = NaN, ending, start, waits }) => [
      ...attempts.map(({ end = NaN, start, status }) => said(end, "AttemptEnded", end - start, status)),
      ...waits.map(({ cause, millis, start, tokens }) =>
        said(cause === "pacing" ? start + millis : start, cause, millis, tokens)
      ),
      ...(ending._tag === "Succeeded" && ending.assumedDeleted ? [said(end, "AssumedDeleted")] : []),
      said(end, "CallEnded", end - start, ending._tag === "Failed" ? ending.reason : undefined)
    ])
    .toSorted()

const cases = Object.keys(scenarios).flatMap((name) =>
  // the listener waits for each call
  sideNames.flatMap((side) => (stateOf(name)[side].total < hour ? [1, 2].map((seed) => ({ name, side, seed })) : []))
)
it.effect.each(cases)(
  "shows what the client reports: $name, policy $side, seed $seed",
  function* ({ name, seed, side }) {
    const state = stateOf(name)
    const some = { ...state, seed, calls: Math.min(state.calls, 150) }
    expect(shown((yield* Run.run(some, side)).calls)).toEqual(yield* listen(some, side))
  }
)

const scripted = (...faults: ReadonlyArray<readonly [Kind, number]>): State.State => ({
  ...stateOf("script"),
  ask: "list organizations",
  faults: { _tag: "Script", faults },
  B: stateOf("script").A
})

/** Under the first policy the last call ends by the limit, under the second, which only raises that limit, it does not. */
it.effect.each([
  ["attempts", scripted(["DropAfterSend", 0]), { attempts: 1 }, {}],
  ["budget", scripted(["DropAfterSend", 0]), { capacity: 4 }, { capacity: 5 }],
  ["budget", scripted(["Hang", 0]), { capacity: 9 }, { capacity: 10 }],
  ["hint", scripted(["Busy", 5]), { maxHint: 4000 }, {}],
  ["deadline", scripted(["Busy", 5]), { total: 4000 }, {}],
  ["deadline", scripted(["Hang", 0]), { total: 5000 }, {}],
  ["pacing", stateOf("rate-limit"), { total: 20_000 }, {}]
] as const)("the limit that ended a call is %s", function* ([limit, state, low, high]) {
  const runs = yield* Effect.forEach([low, high], (own) => Run.run({ ...state, B: { ...state.B, ...own } }, "B"))
  const endings = runs.map(({ calls }) => calls.at(-1)?.ending)
  expect(endings).toMatchObject([{ _tag: "Failed", limit }, { _tag: "Succeeded" }])
})

it.effect("a run under a policy that never gives up is stopped", function* () {
  const state = scripted(...Array.from({ length: 1000 }, () => ["Status", 503] as const))
  const eager = { ...state.B, attempts: 100, base: 0, retry: 0 }
  const { calls, notes } = yield* Run.run({ ...state, calls: 12, B: eager }, "B", 50)
  expect(notes).toContain("The run was stopped after 50 attempts.")
  // those of one moment begin together
  const attempts = calls.flatMap(({ attempts }) => attempts).length
  expect(attempts > 50 && attempts <= 50 + 12).toBe(true)
})
