import { expect, it } from "../../../../../checks/fixtures/vitest.ts"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Results from "../results.ts"
import { scenarios } from "../scenario.ts"
import * as State from "../state.ts"

/** Inside the site, whose packages the programs import. */
const folder = fileURLToPath(new URL("../../../.tmp/", import.meta.url))
const root = fileURLToPath(new URL("../../../../../", import.meta.url))

const links = [
  ...Object.keys(scenarios).map((name) => `#scenario=${name}&seed=3`),
  "#scenario=script&calls=5&request1=Busy&value1=1&request2=StatusAfterSend&value2=502&request3=Delay&value3=10" +
    "&request4=DropBeforeSend&request5=Truncate&value5=5&request6=Stall&value6=5" +
    "&A.base=150&A.cap=60000&A.capacity=1&A.success=0.5&A.pacing=Adaptive&B.maxHint=0&B.pacing=Fixed&B.jitter=none"
]

it.effect("policies and scenarios compile as programs, and the tests come to what the lab shows", function* () {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [index, link] of links.entries()) {
    const { entries, problem } = State.ofFragment(link)
    expect(problem).toBe(undefined)
    const { given } = Results.of(yield* Results.run(State.decode(entries)), 600)
    for (const side of ["A", "B"]) {
      writeFileSync(`${folder}${index}-${side}.ts`, given[`Code of policy ${side}`] ?? "")
      writeFileSync(`${folder}${index}-${side}.test.ts`, given[`Test of policy ${side}`] ?? "")
    }
  }
  writeFileSync(
    `${folder}tsconfig.json`,
    JSON.stringify({ extends: "../tsconfig.json", compilerOptions: { incremental: false }, include: ["*.ts"] })
  )
  const run = (command: string, ...args: ReadonlyArray<string>) =>
    execFileSync(`${root}node_modules/.bin/${command}`, args, { cwd: root, encoding: "utf8", stdio: "pipe" })
  expect(run("tsc", "-p", folder, "--noEmit")).toBe("")
  const passed = run("vitest", "run", "--root", folder, "--no-isolate", "--testTimeout", "180000", "--no-color")
  expect(passed).toContain(`Tests  ${2 * links.length} passed`)
  rmSync(folder, { recursive: true })
})
