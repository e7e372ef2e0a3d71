/** `npm run test:stores`: what every store has to do, on every engine, and the names of those that were there. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Program from "./fixtures/Program.ts"

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly ancestorTitles: ReadonlyArray<string>
      readonly status: string
    }>
  }>
}

const file = "node_modules/.cache/stores.json"
const vitest = ["--project", "service", "packages/service/test/Store", "--reporter=dot", "--reporter=json"]
const { status, stderr, stdout } = spawnSync("vitest", ["run", ...vitest, `--outputFile.json=${file}`], {
  encoding: "utf8"
})
if (status !== 0) console.log(stdout + stderr)

const report: Report = JSON.parse(readFileSync(file, "utf8"))
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
const engines = Map.groupBy(
  tests.filter(({ ancestorTitles: [title = ""] }) => title !== "" && !Program.isAbsence(title)),
  // "memory", or "an operator, over memory,"
  ({ ancestorTitles: [title = ""] }) => title.replace(/^.* over |,$/g, "")
)
const count = (results: typeof tests, status: string) => results.filter((test) => test.status === status).length
for (const [engine, results] of engines) {
  console.log(`${engine.padEnd(20)} ${count(results, "passed")} passed, ${count(results, "failed")} failed`)
}
console.log(`${engines.size} engines: ${count(tests, "passed")} passed, ${count(tests, "failed")} failed`)
process.exitCode = status ?? 1
Program.isThere("postgres")
