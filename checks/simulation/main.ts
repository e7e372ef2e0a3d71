/** `--seeds N` runs over all cores. A violation prints its seed and trace; `--seed N` replays one and prints its trace. */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { Effect } from "effect"
import * as Simulation from "./src/Simulation.ts"

const tell = ({ seed, trace, violations }: Simulation.Report, isTraced: boolean) => {
  if (isTraced) console.log(trace.join("\n"))
  for (const { message, rule } of violations) console.log(`seed ${seed}: violation of "${rule}": ${message}`)
}

/** Plays the seeds from one on, each so many after the last. */
const play = async (first: number, end: number, step: number) => {
  // the stacks of errors that the runs make are never seen, and take a third of the time
  Error.stackTraceLimit = 0
  for (let seed = first; seed < end; seed += step) {
    const report = await Effect.runPromise(Simulation.run(seed))
    // a trace is long, and only that of a violation is shown
    parentPort?.postMessage(report.violations.length > 0 ? report : { ...report, trace: [] })
  }
}

const simulate = async (seeds: number) => {
  const workers = availableParallelism()
  const start = performance.now()
  const counts = new Map<string, number>()
  const violating: Array<Simulation.Report> = []
  const work = (worker: Worker) =>
    new Promise<void>((done, fail) => {
      worker.on("message", (report: Simulation.Report) => {
        for (const [what, count] of Object.entries(report.counts)) counts.set(what, (counts.get(what) ?? 0) + count)
        if (report.violations.length > 0) violating.push(report)
      })
      worker.on("error", fail).on("exit", () => done())
    })
  const parts = Array.from({ length: workers }, (_, i) => [1 + i, 1 + seeds, workers])
  await Promise.all(parts.map((workerData) => work(new Worker(new URL(import.meta.url), { workerData }))))

  const shown = violating.toSorted((a, b) => a.seed - b.seed).slice(0, 5)
  for (const [index, report] of shown.entries()) tell(report, index === 0)
  for (const { seed } of shown) console.log(`npm run simulate -- --seed ${seed}`)
  const list = (names: ReadonlyArray<string>) => names.map((name) => `${name} ${counts.get(name) ?? 0}`).join("; ")
  console.log(list(["calls", "attempts", "exchanges", "creations", "deletions"]))
  console.log(`faults: ${list(Simulation.faults)}\noutcomes: ${list(Simulation.outcomes)}`)
  console.log(`${((performance.now() - start) / 1000).toFixed(1)} s, ${workers} workers`)
  console.log(`${seeds} seeds, ${violating.length} violations`)
  return violating.length
}

const replay = async (seed: number) => {
  const report = await Effect.runPromise(Simulation.run(seed))
  tell(report, true)
  console.log(`seed ${seed}, ${report.violations.length} violations`)
  return report.violations.length
}

if (isMainThread) {
  const { values } = parseArgs({ options: { seeds: { type: "string", default: "1000" }, seed: { type: "string" } } })
  const violations = await (values.seed === undefined ? simulate(Number(values.seeds)) : replay(Number(values.seed)))
  process.exitCode = violations === 0 ? 0 : 1
} else {
  const [first, end, step]: readonly [number, number, number] = workerData
  await play(first, end, step)
}
