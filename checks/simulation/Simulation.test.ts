import { describe, expect, it } from "../fixtures/vitest.ts"
import { Effect } from "effect"
import * as Simulation from "./src/Simulation.ts"

/** Seeds of every day; `npm run simulate` plays as many as one likes. */
const seeds = Array.from({ length: 100 }, (_, index) => index + 1)
const timeout = 60_000

describe("a simulated run", () => {
  const reports = new Map<number, Simulation.Report>()
  const play = Effect.fnUntraced(function* (seed: number) {
    const report = reports.get(seed) ?? (yield* Simulation.run(seed))
    reports.set(seed, report)
    return report
  })

  it.effect.each(seeds.filter((seed) => seed % 10 === 1))(
    "breaks no rule with ten seeds from %d on",
    function* (from) {
      for (const seed of seeds.slice(from - 1, from + 9)) {
        const { violations } = yield* play(seed)
        expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([])
      }
    },
    timeout
  )

  it.effect(
    "meets every fault, and ends in every way, with a hundred seeds",
    function* () {
      const counts = (yield* Effect.forEach(seeds, play)).map(({ counts }) => counts)
      const met = (what: string) => counts.some((counts) => (counts[what] ?? 0) > 0)
      expect([...Simulation.faults, ...Simulation.outcomes].filter((what) => !met(what))).toEqual([])
    },
    timeout
  )

  it.effect(
    "is the same to the byte from the same seed, whatever ran before it",
    function* () {
      const trace = (seed: number) => Effect.map(Simulation.run(seed), ({ trace }) => trace.join("\n"))
      const [some, reversed] = [seeds.slice(6, 12), seeds.slice(6, 12).reverse()]
      const first = yield* Effect.forEach(some, trace)
      const again = yield* Effect.forEach(reversed, trace)
      expect(again.reverse()).toEqual(first)
      expect(new Set(first).size).toBe(some.length)
    },
    timeout
  )
})
