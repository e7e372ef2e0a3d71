/**
 * `npm test -- types lint` runs only these steps, and `npm test -- all` the long ones as well. `npm test -- all --after CLONE`
 * runs only the files of tests of which something was left out in that clone, with fewer programs, and the long steps.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { delimiter, relative, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { JsonTestResults } from "vitest/node"
import * as Program from "./fixtures/Program.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { after: { type: "string" } } })
const report = "node_modules/.cache/tests.json"
const reportOf = (clone = "."): JsonTestResults => JSON.parse(readFileSync(resolve(clone, report), "utf8"))
const leftOut = ({ testResults }: JsonTestResults, clone = ".") =>
  testResults.flatMap(({ assertionResults, name }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map((test) => ({ ...test, file: relative(clone, name) }))
  )
const { after: before } = values
const shown = before === undefined || !existsSync(resolve(before, report)) ? [] : [before]
const again = new Set(shown.flatMap((clone) => leftOut(reportOf(clone), clone).map(({ file }) => file)))
const reports = [".", ...shown].map((clone) => resolve(clone, report)).join(" ")

/** In the order of their start. A step that needs what another one leaves behind names it in `after`. */
const steps: Record<string, { readonly run: string; readonly after?: string }> = {
  types: { run: "tsc -b" },
  tests: { run: `vitest run --reporter=default --reporter=json --outputFile.json=${report} ${[...again].join(" ")}` },
  documents: { run: `node checks/main.ts documents ${reports}`, after: "tests" },
  packages: { run: "node checks/main.ts packages", after: "types" },
  effect: { run: "effect-tsgo diagnostics --project tsconfig.json --strict --format text", after: "types" },
  lint: { run: "oxlint", after: "types" },
  format: { run: "oxfmt --check" },
  openapi: { run: "redocly lint --config checks/redocly.yaml docs/openapi.json" },
  size: { run: "node checks/main.ts size" },
  snippets: { run: "node checks/main.ts snippets", after: "types" }
}

/** Those that take minutes, or ask npm. The first one mostly waits; two that move addresses of this machine follow one another. */
const long: typeof steps = {
  failover: { run: "node checks/main.ts failover" },
  corpus: { run: "node checks/main.ts corpus" },
  simulate: { run: "node checks/main.ts simulate --seeds 10000" },
  cluster: { run: "node checks/main.ts cluster", after: "failover" },
  runtimes: { run: "node checks/main.ts runtimes" },
  soak: { run: "node checks/main.ts soak" },
  site: { run: "node checks/main.ts site" },
  races: { run: "node checks/main.ts races" },
  ecosystem: { run: "node checks/main.ts ecosystem" },
  durability: { run: "node checks/main.ts durability" },
  operations: { run: "node checks/main.ts operations" },
  // builds anew what the other two packed
  release: { run: "node checks/main.ts release --dry-run", after: "ecosystem" }
}

/** The full name of each test that failed, or the file, where it could not be loaded. */
const failedTests = ({ testResults }: JsonTestResults) =>
  testResults.flatMap(({ assertionResults, name, status }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed")
    if (failed.length === 0) return status === "failed" ? [relative(".", name)] : []
    return failed.map(({ fullName }) => `${relative(".", name)} > ${fullName}`)
  })

/** Tests without a program by their file, as many as there are; others by their title. */
const summary = (tests: ReturnType<typeof leftOut>) => {
  const lines = tests.map(({ ancestorTitles, file, title }) => {
    const absence = ancestorTitles.find(Program.isAbsence)
    return absence === undefined ? title : `${file}, ${absence}`
  })
  const groups = [...Map.groupBy(lines, (line) => line)]
  return groups.map(([line, { length }]) => (length === 1 ? line : `${length} of ${line}`))
}

const lastLines = (output: string) => output.match(/.{1,300}/g)?.slice(-12) ?? []

const total = { passed: 0, failed: 0 }
/** Repeated at the end: of a run in CI, people see the last lines. */
const failures: Array<ReadonlyArray<string>> = []
const started = new Map<string, Promise<void>>()
rmSync(report, { force: true })

const execute = async (name: string, run: string) => {
  const start = performance.now()
  const env = { ...process.env, PATH: `${resolve("node_modules/.bin")}${delimiter}${process.env["PATH"]}` }
  const child = spawn(run, { shell: true, stdio: ["ignore", "pipe", "pipe"], env })
  let output = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  child.stderr.on("data", (chunk) => (output += chunk))
  const ok = await new Promise<boolean>((done) => child.on("close", (code) => done(code === 0)))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)

  // A step counts as one, the tests count as themselves.
  const tests = name === "tests" && existsSync(report) ? reportOf() : undefined
  total.passed += tests?.numPassedTests ?? (ok ? 1 : 0)
  total.failed += tests?.numFailedTests || (ok ? 0 : 1)
  console.log(`${name.padEnd(10)} ${ok ? "ok    " : "FAILED"} ${seconds} s`)
  for (const line of tests === undefined ? [] : summary(leftOut(tests))) console.log(`  left out: ${line}`)
  if (!ok) failures.push([name, ...(tests === undefined ? lastLines(output) : failedTests(tests))])
  if (!ok) console.log(output)
  else if (Object.hasOwn(long, name)) console.log(output.trimEnd().replace(/^/gm, "  "))
}

const find = (name: string) => {
  const step = steps[name] ?? long[name]
  if (step !== undefined) return { name, ...step }
  throw new Error(`no step ${name}; there are ${[...Object.keys({ ...steps, ...long }), "all"].join(", ")}`)
}
const every = before === undefined ? Object.keys({ ...steps, ...long }) : ["tests", ...Object.keys(long), "documents"]
const names = positionals.includes("all") ? every : positionals.length === 0 ? Object.keys(steps) : positionals
const queue = names.map(find)
const lane = async () => {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const { after = "", name, run } = step
    const done = Promise.resolve(started.get(after)).then(() => execute(name, run))
    started.set(name, done)
    await done
  }
}
await Promise.all([lane(), lane()])
for (const [name, ...lines] of failures) {
  console.log(`FAILED ${name}`)
  for (const line of lines) console.log(`  ${line}`)
}
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
