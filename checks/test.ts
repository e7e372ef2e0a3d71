/**
 * `npm test`: everything that has to hold. `npm test -- types lint` runs only these steps, and `npm test -- all`, as CI
 * does, the long ones as well.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { delimiter, relative, resolve } from "node:path"
import * as Program from "./fixtures/Program.ts"

const report = "node_modules/.cache/tests.json"

/** In the order of their start. A step that needs what another one leaves behind names it in `after`. */
const steps: Record<string, { readonly run: string; readonly after?: string }> = {
  types: { run: "tsc -b" },
  tests: { run: `vitest run --reporter=default --reporter=json --outputFile.json=${report}` },
  documents: { run: `node checks/main.ts documents ${report}`, after: "tests" },
  packages: { run: "node checks/main.ts packages", after: "types" },
  effect: { run: "effect-tsgo diagnostics --project tsconfig.json --strict --format text", after: "types" },
  lint: { run: "oxlint", after: "types" },
  format: { run: "oxfmt --check" },
  boundaries: { run: "node checks/main.ts boundaries" },
  openapi: { run: "redocly lint --config checks/redocly.yaml docs/openapi.json" },
  size: { run: "node checks/main.ts size" },
  snippets: { run: "node checks/main.ts snippets", after: "types" }
}

/** What takes minutes or asks npm, for rare events and for users: one after the other, when all the rest is done. */
const long: typeof steps = {
  simulate: { run: "node checks/main.ts simulate --seeds 10000" },
  races: { run: "node checks/main.ts races" },
  durability: { run: "node checks/main.ts durability" },
  cluster: { run: "node checks/main.ts cluster" },
  failover: { run: "node checks/main.ts failover" },
  operations: { run: "node checks/main.ts operations" },
  corpus: { run: "node checks/main.ts corpus" },
  soak: { run: "node --expose-gc checks/main.ts soak" },
  runtimes: { run: "node checks/main.ts runtimes" },
  site: { run: "node checks/main.ts site" },
  ecosystem: { run: "node checks/main.ts ecosystem" },
  release: { run: "node checks/main.ts release --dry-run", after: "packages" }
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly ancestorTitles: ReadonlyArray<string>
      readonly title: string
      readonly fullName: string
    }>
  }>
}

/** The full name of each test that failed, or the file, where it could not be loaded. */
const failedTests = ({ testResults }: Report) =>
  testResults.flatMap(({ assertionResults, name, status }) => {
    const file = relative(".", name)
    const failed = assertionResults.filter(({ status }) => status === "failed")
    if (failed.length === 0) return status === "failed" ? [file] : []
    return failed.map(({ fullName }) => `${file} > ${fullName}`)
  })

/** The tests that were left out: those without a program by their file, as many as there are; others by their title. */
const leftOut = ({ testResults }: Report) => {
  const lines = testResults.flatMap(({ assertionResults, name }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ ancestorTitles, title }) => {
        const absence = ancestorTitles.find(Program.isAbsence)
        return absence === undefined ? title : `${relative(".", name)}, ${absence}`
      })
  )
  return [...Map.groupBy(lines, (line) => line)].map(([line, { length }]) =>
    length === 1 ? line : `${length} of ${line}`
  )
}

/** The end of an output, where a check says what failed. */
const lastLines = (output: string) =>
  output
    .trimEnd()
    .split("\n")
    .slice(-12)
    .map((line) => line.slice(0, 300))

const total = { passed: 0, failed: 0 }
/** What is said again at the end: of a run in CI, people see the last lines. */
const failures: Array<ReadonlyArray<string | undefined>> = []
const started = new Map<string, Promise<void>>()
rmSync(report, { force: true })

const execute = async (name: string, run: string) => {
  const start = performance.now()
  const child = spawn(run, {
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH: `${resolve("node_modules/.bin")}${delimiter}${process.env["PATH"]}` }
  })
  let output = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  child.stderr.on("data", (chunk) => (output += chunk))
  const ok = await new Promise<boolean>((done) => child.on("close", (code) => done(code === 0)))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)

  // A step counts as one, the tests count as themselves.
  const tests: Report | undefined =
    name === "tests" && existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined
  total.passed += tests?.numPassedTests ?? (ok ? 1 : 0)
  total.failed += tests?.numFailedTests || (ok ? 0 : 1)
  console.log(`${name.padEnd(10)} ${ok ? "ok    " : "FAILED"} ${seconds} s`)
  for (const line of tests === undefined ? [] : leftOut(tests)) console.log(`  left out: ${line}`)
  if (!ok) failures.push([name, ...(tests === undefined ? lastLines(output) : failedTests(tests))])
  if (!ok) console.log(output)
  else if (Object.hasOwn(long, name)) console.log(output.trimEnd().replace(/^/gm, "  "))
}

const find = (name: string) => {
  const step = steps[name] ?? long[name]
  if (step !== undefined) return { name, ...step }
  throw new Error(`no step ${name}; there are ${[...Object.keys({ ...steps, ...long }), "all"].join(", ")}`)
}
const names = process.argv.slice(2)
const all = names.includes("all")
const queue = (all || names.length === 0 ? Object.keys(steps) : names).map(find)
const lane = async () => {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const { after = "", name, run } = step
    const done = Promise.resolve(started.get(after)).then(() => execute(name, run))
    started.set(name, done)
    await done
  }
}
await Promise.all([lane(), lane()])
if (all) for (const { name, run } of Object.keys(long).map(find)) await execute(name, run)
for (const [name, ...lines] of failures) {
  console.log(`FAILED ${name}`)
  for (const line of lines) console.log(`  ${line}`)
}
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
