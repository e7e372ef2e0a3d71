/** Looks up each test that a document names in a report of Vitest: it has to be there, and must not have failed. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { named } from "./documents.ts"

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly title: string }>
  }>
}

const [path = ""] = process.argv.slice(2)
if (!existsSync(path)) throw new Error("there is no report of the tests: run npm test -- tests documents")
const report: Report = JSON.parse(readFileSync(path, "utf8"))
const statuses = new Map<string, Array<string>>()
for (const { assertionResults, name } of report.testResults) {
  for (const { status, title } of assertionResults) {
    for (const where of [name, dirname(name)]) {
      const key = `${where} ${title}`
      statuses.set(key, [...(statuses.get(key) ?? []), status])
    }
  }
}

/** Where tests run: conformance cases in a file of their own, over each transport, and contracts in files beside them. */
const fileOf = (file: string) =>
  resolve(
    file.endsWith("Contract.ts")
      ? dirname(file)
      : file.replace("testing/src/Conformance.ts", "testing/test/Conformance.test.ts")
  )
const tests = new Map(named().map(({ file, title }) => [`${fileOf(file)} ${title}`, `${file} “${title}”`]))
const wrong = [...tests].filter(([key]) => statuses.get(key)?.every((status) => status !== "failed") !== true)
for (const [key, name] of wrong) console.error(`${name}: ${statuses.has(key) ? "failed" : "did not run"}`)
const skipped = [...tests.keys()].filter((key) => statuses.get(key)?.every((status) => status !== "passed") === true)
console.log(`${tests.size - wrong.length - skipped.length} of ${tests.size} tests named in the documents have run`)
process.exitCode = wrong.length === 0 && tests.size > 0 ? 0 : 1
