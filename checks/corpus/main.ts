/** `npm run check corpus stripe box` takes the documents with these words in their names; `--write` publishes the table. */
import { Effect } from "effect"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import * as Figures from "../bench/figures.ts"
import * as Rows from "../fixtures/Rows.ts"
import { documents } from "./documents.ts"
import { mocked } from "./mocked.ts"
import { generated, house, type Outcome, tried, verified } from "./run.ts"

const chosen = Rows.chosen(documents)
const limits = { seconds: 20, megabytes: 1024 }
const page = "docs/comparison.md"

const head = ["document", "operations"]
const steady = ({ isCalled, name, operations }: Outcome) => [isCalled ? `*${name}*` : name, String(operations)]

/** The limits that a document exceeds. */
const problemsOf = ({ megabytes, omitted, problems, seconds }: Outcome): ReadonlyArray<string> => [
  ...problems,
  ...Object.entries(omitted).map(([code, count]) => `omits ${count} operations as ${code}`),
  ...(seconds <= limits.seconds ? [] : [`takes ${seconds.toFixed(1)} s`]),
  ...(megabytes <= limits.megabytes ? [] : [`takes ${megabytes.toFixed(0)} MB`])
]

mkdirSync(house, { recursive: true })
const outcomes: Array<Outcome> = []
const problems: Array<string> = []
const note = (name: string, found: ReadonlyArray<string>) =>
  problems.push(...found.map((problem) => `${name}: ${problem}`))
for (const document of chosen) {
  const outcome = await generated(document)
  outcomes.push(outcome)
  note(outcome.name, problemsOf(outcome))
}
const table = [head, ...outcomes.map(steady)]
if (chosen.length < documents.length) console.log(Figures.table(table))
else Figures.publish(page, table)

const check = Effect.fnUntraced(function* (outcome: Outcome) {
  note(outcome.name, yield* Effect.promise(() => tried(outcome)))
  if (!outcome.isCalled) return
  note(outcome.name, yield* Effect.promise(() => verified(outcome)))
  note(outcome.name, yield* mocked(outcome))
})
await Effect.runPromise(Effect.forEach(outcomes, check, { concurrency: 2 }))
rmSync(house, { recursive: true })

const shown = readFileSync(page, "utf8")
for (const outcome of outcomes) {
  if (!shown.includes(`| ${steady(outcome).join(" | ")} |`)) note(outcome.name, [`${page} has other figures: --write`])
}

for (const problem of problems) console.log(problem)
const failed = new Set(problems.map((problem) => problem.split(":")[0])).size
console.log(`\n${outcomes.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1
