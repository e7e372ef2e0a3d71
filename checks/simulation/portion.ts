import * as Effect from "effect/Effect"
import * as Simulation from "./src/Simulation.ts"

/** What came of some seeds. */
export interface Portion {
  readonly counts: Readonly<Record<string, number>>
  /** The runs that broke a rule. */
  readonly violating: ReadonlyArray<Simulation.Report>
}

/** Adds up two counts. */
export const add = (a: Portion["counts"], b: Portion["counts"]): Portion["counts"] =>
  Object.fromEntries(
    [...Object.keys(a), ...Object.keys(b)].map((what) => [what, (a[what] ?? 0) + (b[what] ?? 0)] as const)
  )

/** Plays the seeds from one on, below another. */
export const play = async (from: number, to: number): Promise<Portion> => {
  let counts: Portion["counts"] = {}
  const violating: Array<Simulation.Report> = []
  for (let seed = from; seed < to; seed++) {
    const report = await Effect.runPromise(Simulation.run(seed))
    counts = add(counts, report.counts)
    if (report.violations.length > 0) violating.push(report)
  }
  return { counts, violating }
}
