/**
 * `npm run simulate -- --seeds 10000`: runs of the simulation, each from its own seed, over all cores. It catches an order of events
 * in which client or service breaks one of their rules. `--seed N` replays one and prints its trace. A violation prints its seed and trace, and the exit code is 1.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { Effect } from "effect"
import * as Simulation from "./src/Simulation.ts"

const portion = 50
/** Violating seeds that are spoken of; the first of them with its trace. */
const shown = 5

const tell = ({ seed, trace, violations }: Simulation.Report, traced: boolean) => {
  if (traced) console.log(trace.join("\n"))
  for (const { message, rule } of violations) console.log(`seed ${seed}: violation of "${rule}": ${message}`)
}

const replay = async (seed: number) => {
  const report = await Effect.runPromise(Simulation.run(seed))
  tell(report, true)
  console.log(`seed ${seed}, ${report.violations.length} violations`)
  return report.violations.length
}

const simulate = async (from: number, seeds: number, workers: number) => {
  const start = performance.now()
  const end = from + seeds
  let next = from
  const counts = new Map<string, number>()
  const violating: Array<Simulation.Report> = []

  const work = () =>
    new Promise<void>((done, fail) => {
      const worker = new Worker(new URL(import.meta.url))
      const give = () => {
        if (next >= end) return void worker.terminate().then(() => done(), fail)
        const to = Math.min(next + portion, end)
        worker.postMessage([next, to])
        next = to
      }
      worker.on("message", (played: ReadonlyArray<Simulation.Report>) => {
        for (const report of played) {
          for (const [what, count] of Object.entries(report.counts)) counts.set(what, (counts.get(what) ?? 0) + count)
          if (report.violations.length > 0) violating.push(report)
        }
        give()
      })
      worker.on("error", fail)
      give()
    })
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(seeds / portion)) }, work))

  violating.sort((a, b) => a.seed - b.seed)
  for (const [index, report] of violating.slice(0, shown).entries()) tell(report, index === 0)
  for (const { seed } of violating.slice(0, shown)) console.log(`npm run simulate -- --seed ${seed}`)

  const list = (names: ReadonlyArray<string>) => names.map((name) => `${name} ${counts.get(name) ?? 0}`).join("; ")
  const took = (performance.now() - start) / 1000
  console.log(list(["calls", "attempts", "exchanges", "creations", "deletions"]))
  console.log(`faults: ${list(Simulation.faults)}`)
  console.log(`outcomes: ${list(Simulation.outcomes)}`)
  console.log(`${took.toFixed(1)} s, ${workers} workers`)
  console.log(`${seeds} seeds, ${violating.length} violations`)
  return violating.length
}

if (isMainThread) {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      workers: { type: "string", default: String(availableParallelism()) }
    }
  })
  const violations =
    values.seed === undefined
      ? await simulate(Number(values.from), Number(values.seeds), Number(values.workers))
      : await replay(Number(values.seed))
  process.exitCode = violations === 0 ? 0 : 1
} else {
  // the stacks of errors that the runs make are never seen, and take a third of the time
  Error.stackTraceLimit = 0
  const play = async (from: number, to: number) => {
    const played: Array<Simulation.Report> = []
    for (let seed = from; seed < to; seed++) {
      const report = await Effect.runPromise(Simulation.run(seed))
      // a trace is long, and only that of a violation is shown
      played.push(report.violations.length > 0 ? report : { ...report, trace: [] })
    }
    parentPort?.postMessage(played)
  }
  parentPort?.on("message", ([from, to]: readonly [number, number]) => void play(from, to))
}
