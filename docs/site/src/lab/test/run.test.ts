import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import type * as Event from "@cloud-management/client/Event"
import type { Call } from "../calls.ts"
import { hour } from "../field.ts"
import * as Policy from "../policy.ts"
import * as Run from "../run.ts"
import { scenarios, sideNames, type Scenario, type Source } from "../scenario.ts"

/** Something that a client reported, and when, in whole microseconds. */
interface Reported {
  readonly at: number
  readonly event: string
  readonly millis?: number | undefined
  readonly detail?: string | number | undefined
}

const micros = (millis: number) => Math.round(millis * 1000) / 1000

const inOrder = (reported: ReadonlyArray<Reported>) =>
  reported.toSorted((a, b) => a.at - b.at || JSON.stringify(a).localeCompare(JSON.stringify(b)))

/** What a client reports to a listener of its own, in a test of the usual kind: under Effect's `TestClock`. */
const listen = Effect.fnUntraced(function* (setup: Run.Setup, policy: Policy.Policy, seed: number) {
  const heard: Array<Reported> = []
  const listener = (event: Event.Event) =>
    TestClock.testClockWith((clock) =>
      Effect.sync(() => {
        const at = micros(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
        const wait = "wait" in event ? Duration.toMillis(event.wait) : 0
        switch (event._tag) {
          case "AttemptEnded":
            return heard.push({ at, event: event._tag, millis: micros(event.seconds * 1000), detail: event.status })
          case "CallEnded":
            return heard.push({ at, event: event._tag, millis: micros(event.seconds * 1000), detail: event.errorType })
          case "Paced":
            return heard.push({ at, event: "pacing", millis: micros(wait) })
          case "Retrying":
            return heard.push({ at, event: event.cause, millis: micros(wait), detail: event.tokens })
          case "AssumedDeleted":
            return heard.push({ at, event: event._tag })
        }
      })
    )
  const program = Effect.gen(function* () {
    const calls = Run.perform(setup, policy, seed, () => ({ metrics: listener }))
    const fiber = yield* Effect.forkChild(calls)
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
  })
  yield* Effect.provideService(program, Logger.CurrentLoggers, new Set())
  return inOrder(heard)
})

/** The same from what the lab shows. */
const shown = (calls: ReadonlyArray<Call>): ReadonlyArray<Reported> =>
  inOrder(
    calls.flatMap(({ attempts, end = NaN, ending, start, waits }): ReadonlyArray<Reported> => [
      ...attempts.map((attempt) => ({
        at: micros(attempt.end ?? NaN),
        event: "AttemptEnded",
        millis: micros((attempt.end ?? NaN) - attempt.start),
        detail: attempt.status
      })),
      ...waits.map((wait) =>
        wait.cause === "pacing"
          ? { at: micros(wait.start + wait.millis), event: wait.cause, millis: micros(wait.millis) }
          : { at: micros(wait.start), event: wait.cause, millis: micros(wait.millis), detail: wait.budget }
      ),
      ...(ending._tag === "Succeeded" && ending.assumedDeleted ? [{ at: micros(end), event: "AssumedDeleted" }] : []),
      {
        at: micros(end),
        event: "CallEnded",
        millis: micros(end - start),
        detail: ending._tag === "Failed" ? ending.reason : undefined
      }
    ])
  )

const run = (scenario: Scenario, policy: Policy.Policy, seed = 1) => Run.run(Run.ofScenario(scenario), policy, seed)

const none: Policy.Policy = { ...Policy.standard, attempts: 1 }
const scripted = (...faults: Extract<Source, { _tag: "Script" }>["faults"]): Scenario => ({
  ...scenarios.script,
  ask: "list organizations",
  faults: { _tag: "Script", faults }
})

describe("a run of the lab", () => {
  const cases = Object.entries(scenarios).flatMap(([name, scenario]) =>
    // the listener waits for each call
    sideNames.flatMap((side) => (scenario[side].total < hour ? [{ name, side, scenario, policy: scenario[side] }] : []))
  )
  it.effect.each(cases.flatMap((one) => [1, 2].map((seed) => ({ ...one, seed }))))(
    "shows what the client reports: $name, policy $side, seed $seed",
    ({ policy, scenario, seed }) =>
      Effect.gen(function* () {
        // of which each run begins anew
        const setup = Run.ofScenario({ ...scenario, calls: Math.min(scenario.calls, 150) })
        const reported = yield* listen(setup, policy, seed)
        expect(shown((yield* Run.run(setup, policy, seed)).calls)).toEqual(reported)
      })
  )

  it.effect("reports faults that did not happen", () =>
    Effect.gen(function* () {
      const { notes } = yield* run(scenarios.script, none)
      expect(notes).toEqual(["1 of 2 faults did not happen: too few requests were sent"])
    })
  )

  it.effect("stops after an hour when a call never ends", () =>
    Effect.gen(function* () {
      const endless = { ...Policy.standard, attempt: Infinity, total: Infinity }
      const { calls, notes } = yield* run(scripted(["Hang", 0]), endless)
      expect(calls[0]?.ending).toEqual({ _tag: "Unfinished" })
      expect(notes).toEqual(["Some calls were still under way after an hour."])
    })
  )
})

describe("a run under a policy that never gives up", () => {
  /** Tries again at once, at no cost. */
  const eager: Policy.Policy = {
    ...Policy.standard,
    attempts: 100,
    base: 0,
    cap: 0,
    maxHint: 0,
    retry: 0,
    attempt: 3_600_000,
    total: 3_600_000
  }
  const faults = Array.from({ length: 10_000 }, () => ["Status", 503] as const)

  it.effect("is stopped", () =>
    Effect.gen(function* () {
      const scenario: Scenario = { ...scenarios["node-dies"], faults: { _tag: "Script", faults } }
      const { calls, notes } = yield* Run.run(Run.ofScenario(scenario), eager, 1, 50)
      const attempts = calls.reduce((sum, { attempts }) => sum + attempts.length, 0)
      // those of one moment begin together
      expect(attempts).toBeGreaterThan(50)
      expect(attempts).toBeLessThanOrEqual(50 + 12)
      expect(notes[0]).toBe("The run was stopped after 50 attempts.")
    })
  )
})

describe("the limit that ended a call", () => {
  const of = (own: Partial<Policy.Policy>): Policy.Policy => ({ ...Policy.standard, ...own })
  /** Under the first policy the call ends by the limit, under the second, which only raises that limit, it does not. */
  it.effect.each([
    ["attempts", ["DropAfterSend", 0], none, Policy.standard],
    ["budget", ["DropAfterSend", 0], of({ capacity: 4 }), of({ capacity: 5 })],
    ["budget", ["Hang", 0], of({ capacity: 9 }), of({ capacity: 10 })],
    ["hint", ["Busy", 5], of({ maxHint: 4000 }), Policy.standard],
    ["deadline", ["Busy", 5], of({ total: 4000 }), Policy.standard],
    ["deadline", ["Hang", 0], of({ total: 5000 }), Policy.standard]
  ] as const)("is %s", ([limit, fault, low, high]) =>
    Effect.gen(function* () {
      const [lower] = (yield* run(scripted(fault), low)).calls
      const [higher] = (yield* run(scripted(fault), high)).calls
      expect(lower?.ending).toMatchObject({ _tag: "Failed", limit })
      expect(higher?.ending._tag).toBe("Succeeded")
    })
  )

  it.effect("is pacing where a turn comes too late", () =>
    Effect.gen(function* () {
      const policy = { ...scenarios["rate-limit"].B, total: 20_000 }
      const { calls } = yield* run(scenarios["rate-limit"], policy)
      expect(calls.at(-1)?.ending).toMatchObject({ _tag: "Failed", reason: "Throttled", limit: "pacing" })
    })
  )

  it.effect("is none where another attempt would not help", () =>
    Effect.gen(function* () {
      const { calls } = yield* run(scenarios["gateway-html"], Policy.standard)
      expect(calls[0]?.ending).toMatchObject({ _tag: "Failed", reason: "UnexpectedStatus", limit: undefined })
    })
  )
})
