/** A test that a document names as [Service](../packages/…) “title”, or “the beginning of titles…”, must not have failed. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import type { JsonTestResults } from "vitest/node"

interface Reference {
  readonly file: string
  readonly title: string
}

const references = (text: string): ReadonlyArray<Reference> =>
  Array.from(text.matchAll(/\[[^\]]+\]\(\.\.\/([^)]+)\) “([^”]+)”/g), ([, file = "", title = ""]) => ({ file, title }))

/** The statements: each item of a list, but for what is out of scope. */
const items = ["specification.md", "threat-model.md"].flatMap((name) => {
  const [inScope = ""] = readFileSync(`docs/${name}`, "utf8").split("\n## Out of scope")
  return inScope.split("\n").filter((line) => line.startsWith("- "))
})
const silent = items.filter((item) => references(item).length === 0)
for (const item of silent) console.error(`this line names no test: ${item}`)

const paths = process.argv.slice(2)
if (paths.length === 0 || !paths.every(existsSync)) {
  throw new Error("there is no report of the tests: run npm test -- tests documents")
}
/** Of each test, by its title after its file, and after its folder. */
const outcomes = paths.flatMap((path) => {
  const { testResults }: JsonTestResults = JSON.parse(readFileSync(path, "utf8"))
  return testResults.flatMap(({ assertionResults, ...result }) => {
    const name = relative(resolve(path, "../../.."), result.name)
    return assertionResults.flatMap(({ status, title }) =>
      [name, dirname(name)].map((where) => ({ key: `${where} ${title}`, status }))
    )
  })
})

/** Where tests run: conformance cases in a file of their own, over each transport, and contracts in files beside them. */
const fileOf = (file: string) =>
  file.endsWith("Contract.ts")
    ? dirname(file)
    : file.replace("testing/src/Conformance.ts", "testing/test/Conformance.test.ts")
const tests = new Map(
  items.flatMap(references).map(({ file, title }) => [`${fileOf(file)} ${title}`, `${file} “${title}”`])
)
/** The outcome of a test, or of all whose titles begin so. */
const statusesOf = (name: string) =>
  outcomes
    .filter(({ key }) => key === name || (name.endsWith("…") && key.startsWith(name.slice(0, -1))))
    .map(({ status }) => status)
const found = Array.from(tests, ([key, name]) => ({ name, statuses: statusesOf(key) }))
const wrong = found.filter(({ statuses }) => statuses.length === 0 || statuses.includes("failed"))
for (const { name, statuses } of wrong) console.error(`${name}: ${statuses.length > 0 ? "failed" : "did not run"}`)
const passed = found.filter((one) => !wrong.includes(one) && one.statuses.includes("passed"))
console.log(`${passed.length} of ${tests.size} tests named in the documents have run`)
process.exitCode = wrong.length === 0 && silent.length === 0 && tests.size > 0 ? 0 : 1
