import { expect, it } from "../fixtures/vitest.ts"
import { Effect } from "effect"
import * as Simulation from "./src/Simulation.ts"

/** Seeds of every day; `npm run simulate` plays as many as one likes. */
const seeds = Array.from({ length: 100 }, (_, index) => index + 1)

it.effect("simulated runs break no rule, meet every fault, and end in every way, with a hundred seeds", function* () {
  const reports = yield* Effect.forEach(seeds, Simulation.run)
  const broken = reports.flatMap(({ seed, violations }) => violations.map((one) => ({ seed, ...one })))
  expect(broken, `npm run simulate -- --seed ${broken[0]?.seed}`).toEqual([])
  const met = (what: string) => reports.some(({ counts }) => (counts[what] ?? 0) > 0)
  expect([...Simulation.faults, ...Simulation.outcomes].filter((what) => !met(what))).toEqual([])
})

it.effect("a simulated run is the same to the byte from the same seed, whatever ran before it", function* () {
  const trace = (seed: number) => Effect.map(Simulation.run(seed), ({ trace }) => trace.join("\n"))
  const first = yield* Effect.forEach(seeds.slice(6, 12), trace)
  const again = yield* Effect.forEach(seeds.slice(6, 12).reverse(), trace)
  expect(again.reverse()).toEqual(first)
  expect(new Set(first).size).toBe(6)
})
