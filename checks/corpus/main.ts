/** `npm run check corpus stripe box` takes the documents with these words in their names; `--write` publishes the table. */
import { Effect } from "effect"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import * as Figures from "../bench/figures.ts"
import { documents } from "./documents.ts"
import { mocked } from "./mocked.ts"
import { generated, house, type Outcome, tried, verified } from "./run.ts"

const words = process.argv.slice(2).map((word) => word.toLowerCase())
const chosen = documents.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word))
)
/** To call each operation in every round of `verify`, and of mocks, takes long. */
const called = new Set([
  "Amazon S3",
  "Asana",
  "Blockfrost",
  "Directus",
  "GitHub",
  "Gitea",
  "Ideal Postcodes",
  "Keycloak",
  "Linode",
  "Plaid",
  "Twilio"
])
const limits = { seconds: 20, megabytes: 1024 }
const page = "docs/comparison.md"

const head = ["document", "operations"]
const steady = ({ name, operations }: Outcome) => [called.has(name) ? `*${name}*` : name, String(operations)]

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
if (words.length > 0) console.log(Figures.table(table))
else Figures.publish(page, table)

const queue = [...outcomes]
const lane = async () => {
  for (let outcome = queue.shift(); outcome !== undefined; outcome = queue.shift()) {
    note(outcome.name, await tried(outcome))
    const document = called.has(outcome.name) ? chosen.find(({ name }) => name === outcome.name) : undefined
    if (document === undefined) continue
    note(outcome.name, await verified(document, outcome))
    note(outcome.name, await Effect.runPromise(mocked(document, outcome)))
  }
}
await Promise.all([lane(), lane()])
rmSync(house, { recursive: true })

const shown = readFileSync(page, "utf8")
for (const outcome of outcomes) {
  if (!shown.includes(`| ${steady(outcome).join(" | ")} |`)) note(outcome.name, [`${page} has other figures: --write`])
}

for (const problem of problems) console.log(problem)
const failed = new Set(problems.map((problem) => problem.split(":")[0])).size
console.log(`\n${outcomes.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1
