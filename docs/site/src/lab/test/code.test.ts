import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Code from "../code.ts"
import * as Policy from "../policy.ts"
import * as Run from "../run.ts"
import { firstScript, scenarios, scripted, sideNames } from "../scenario.ts"

/** Inside the site, whose packages the programs import. */
const folder = fileURLToPath(new URL("../../../.tmp/", import.meta.url))
const root = fileURLToPath(new URL("../../../../../", import.meta.url))

const policies = {
  standard: Policy.standard,
  own: {
    retry: {
      attempts: 7,
      base: 150,
      baseRateLimited: 2000,
      cap: 60_000,
      maxHint: 0,
      budget: { capacity: 1, retry: 2, timeout: 3, success: 0.5 }
    },
    deadline: { attempt: 1500, total: 120_000 },
    pacing: { _tag: "Fixed", limit: 10, window: 10_000 }
  },
  adaptive: { ...Policy.patient, pacing: { _tag: "Adaptive" } }
} satisfies Readonly<Record<string, Policy.Policy>>

const every = scripted({
  ask: "delete a key",
  faults: [
    { _tag: "Status", status: 503, headers: { "retry-after": "1" }, body: 'a "quoted" text\n' },
    { _tag: "StatusAfterSend", status: 502 },
    { _tag: "Delay", duration: 10 },
    { _tag: "Break", code: "EPIPE", when: "before-send" },
    { _tag: "Truncate", bytes: 5 },
    { _tag: "Stall", bytes: 5 },
    { _tag: "None" }
  ]
})

it.effect("policies and scenarios compile as programs, and the tests come to what the lab shows", () =>
  Effect.gen(function* () {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [name, policy] of Object.entries(policies)) writeFileSync(`${folder}${name}.ts`, Code.policy(policy))
    const all = Object.entries({ ...scenarios, script: scripted(firstScript), every, five: { ...every, calls: 5 } })
    for (const [name, scenario] of all) {
      for (const side of sideNames) {
        const { calls } = yield* Run.run(Run.ofScenario(scenario, scenario.calls), scenario[side], 3)
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
