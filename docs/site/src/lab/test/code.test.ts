import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Code from "../code.ts"
import * as Policy from "../policy.ts"
import * as Run from "../run.ts"
import { scenarios, sideNames, type Scenario } from "../scenario.ts"

/** Inside the site, whose packages the programs import. */
const folder = fileURLToPath(new URL("../../../.tmp/", import.meta.url))
const root = fileURLToPath(new URL("../../../../../", import.meta.url))

const own: Policy.Policy = {
  ...Policy.standard,
  attempts: 7,
  base: 150,
  cap: 60_000,
  maxHint: 0,
  capacity: 1,
  success: 0.5,
  attempt: 1500,
  total: 120_000
}
const policies: Readonly<Record<string, Policy.Policy>> = {
  standard: Policy.standard,
  own: { ...own, pacing: "Fixed", jitter: "none" },
  adaptive: { ...own, pacing: "Adaptive" }
}

const every: Scenario = {
  ...scenarios.script,
  faults: {
    _tag: "Script",
    faults: [
      ["Busy", 1],
      ["StatusAfterSend", 502],
      ["Delay", 10],
      ["DropBeforeSend", 0],
      ["Truncate", 5],
      ["Stall", 5],
      ["None", 0]
    ]
  }
}

it.effect("policies and scenarios compile as programs, and the tests come to what the lab shows", () =>
  Effect.gen(function* () {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [name, policy] of Object.entries(policies)) writeFileSync(`${folder}${name}.ts`, Code.policy(policy))
    const all = Object.entries({ ...scenarios, every, five: { ...every, calls: 5 } })
    for (const [name, scenario] of all) {
      for (const side of sideNames) {
        const { calls } = yield* Run.run(Run.ofScenario(scenario), scenario[side], 3)
        writeFileSync(`${folder}${name}-${side}.test.ts`, Code.test(scenario, scenario[side], 3, calls))
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
    expect(passed).toContain(`Tests  ${2 * all.length} passed`)
    rmSync(folder, { recursive: true })
  })
)
