/**
 * `npm run test:faults`: every fault, on every transport, under every policy, for every operation, and what comes of it.
 * It catches an outcome that is not the specified one, and a connection that is left behind.
 *
 * A cell is how the call ended, and after how many attempts.
 */
import * as Effect from "effect/Effect"
import { allOperations } from "../fixtures/Scripted.ts"
import { grounds } from "./grounds.ts"
import { table } from "./table.ts"
import { policies, type Verdict } from "./verdict.ts"

const cell = ({ observed: { attempts, ending }, wrong }: Verdict) =>
  `${wrong.length === 0 ? "" : "WRONG "}${ending}${attempts === 1 ? "" : ` ×${attempts}`}`

const print = (columns: ReadonlyArray<ReadonlyArray<string>>) => {
  const widths = columns[0]?.map((_, i) => Math.max(...columns.map((row) => row[i]?.length ?? 0))) ?? []
  for (const row of columns)
    console.log(
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd()
    )
}

const program = Effect.gen(function* () {
  const verdicts: Array<Verdict> = []
  for (const [name, run] of Object.entries(grounds)) {
    const lines: Array<ReadonlyArray<string>> = [["fault", "policy", ...allOperations]]
    const started = performance.now()
    for (const [row, seen] of yield* Effect.forEach(
      table,
      (row) => Effect.map(run(row), (seen) => [row, seen] as const),
      { concurrency: 2 }
    )) {
      if (seen.length === 0) continue
      verdicts.push(...seen)
      for (const policy of policies) {
        const cells = seen.filter(({ trial }) => trial.policy === policy).map(cell)
        lines.push([policy === policies[0] ? row.fault : "", policy, ...cells])
      }
    }
    console.log(`\n${name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`)
    print(lines)
  }
  const wrong = verdicts.filter((verdict) => verdict.wrong.length > 0)
  for (const { trial, wrong: problems } of wrong) {
    console.log(`\nWRONG: ${trial.row.fault}, ${trial.operation}, ${trial.policy}`)
    for (const problem of problems) console.log(`  ${problem}`)
  }
  console.log("")
  for (const { deviation, fault, lingers } of table) {
    if (deviation !== undefined) console.log(`Known deviation over sockets: ${fault}: ${deviation.why}`)
    if (lingers !== undefined) console.log(`Known deviation, ${lingers.transport}: ${fault}: ${lingers.why}`)
  }
  console.log(`${verdicts.length} cases, ${wrong.length} wrong`)
  process.exitCode = wrong.length === 0 ? 0 : 1
})

await Effect.runPromise(program)
