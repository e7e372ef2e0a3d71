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

const total = ({ operations, refused }: Outcome) =>
  operations + Object.values(refused).reduce((sum, count) => sum + count, 0)
const percent = (outcome: Outcome) => (100 * outcome.operations) / total(outcome)
const head = ["document", "operations"]
const steady = (outcome: Outcome) => {
  const refused = Object.entries(outcome.refused).map(([code, count]) => `, ${count} \`${code}\``)
  return [
    called.has(outcome.name) ? `*${outcome.name}*` : outcome.name,
    `${total(outcome)}${refused.length === 0 ? "" : `: ${percent(outcome).toFixed(1)} %${refused.join("")}`}`
  ]
}

/** The limits that a document exceeds. */
const problemsOf = (outcome: Outcome): ReadonlyArray<string> => {
  const reason = documents.find(({ name }) => name === outcome.name)?.reason
  // the document does not say what a success is: it has only refusals
  const unexplained = Object.keys(outcome.refused).filter((code) => code !== "success-count")
  return [
    ...outcome.problems,
    ...unexplained.map((code) => `refuses operations as ${code}, for which there is no reason`),
    ...(percent(outcome) >= 97 || reason !== undefined ? [] : [`only ${percent(outcome).toFixed(1)} % are generated`]),
    ...(outcome.seconds <= limits.seconds ? [] : [`takes ${outcome.seconds.toFixed(1)} s`]),
    ...(outcome.megabytes <= limits.megabytes ? [] : [`takes ${outcome.megabytes.toFixed(0)} MB`])
  ]
}

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
