/** `npm run simulate`: many seeds over all cores, or one with its trace. */
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Simulation from "./src/Simulation.ts"
import * as Portion from "./portion.ts"

/** Seeds that a worker takes at a time. */
const portion = 50
/** Violating seeds that are spoken of; the first of them with its trace. */
const shown = 5

const tell = ({ seed, trace, violations }: Simulation.Report, traced: boolean) => {
  if (traced) console.log(trace.join("\n"))
  for (const { message, rule } of violations) console.log(`seed ${seed}: violation of "${rule}": ${message}`)
}

/** Plays one seed, prints its trace, and returns the number of violations. */
export const replay = async (seed: number): Promise<number> => {
  const report = await Effect.runPromise(Simulation.run(seed))
  tell(report, true)
  console.log(`seed ${seed}, ${report.violations.length} violations`)
  return report.violations.length
}

const list = (counts: Portion.Portion["counts"], names: ReadonlyArray<string>) =>
  names.map((name) => `${name} ${counts[name] ?? 0}`).join("; ")

/** Plays so many seeds, and returns the number of those that broke a rule. */
export const simulate = async (from: number, seeds: number, workers: number): Promise<number> => {
  const start = performance.now()
  const end = from + seeds
  let next = from
  let counts: Portion.Portion["counts"] = {}
  const violating: Array<Simulation.Report> = []

  const work = () =>
    new Promise<void>((done, fail) => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url))
      const give = () => {
        if (next >= end) return void worker.terminate().then(() => done(), fail)
        const to = Math.min(next + portion, end)
        worker.postMessage([next, to])
        next = to
      }
      worker.on("message", (played: Portion.Portion) => {
        counts = Portion.add(counts, played.counts)
        violating.push(...played.violating)
        give()
      })
      worker.on("error", fail)
      give()
    })
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(seeds / portion)) }, work))

  violating.sort((a, b) => a.seed - b.seed)
  for (const [index, report] of violating.slice(0, shown).entries()) tell(report, index === 0)
  for (const { seed } of violating.slice(0, shown)) console.log(`npm run simulate -- --seed ${seed}`)

  const took = (performance.now() - start) / 1000
  console.log(list(counts, ["calls", "attempts", "exchanges", "creations", "deletions"]))
  console.log(`faults: ${list(counts, Simulation.faults)}`)
  console.log(`outcomes: ${list(counts, Simulation.outcomes)}`)
  console.log(`${took.toFixed(1)} s, ${workers} workers`)
  console.log(`${seeds} seeds, ${violating.length} violations`)
  return violating.length
}
