import { expect, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { promisify } from "node:util"
import * as Program from "./fixtures/Program.ts"
import { checks } from "./main.ts"

const start = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [`${import.meta.dirname}/main.ts`, ...args], { encoding: "utf8" })

it("every check has its file", () => {
  const files = Object.values(checks).flatMap(({ file = [] }) => file)
  expect(files.filter((file) => !existsSync(`${import.meta.dirname}/${file}`))).toEqual([])
  expect(files.length).toBeGreaterThan(20)
})

it("every npm script and every step of npm test names a check", () => {
  const text = ["../package.json", "test.ts"]
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"))
    .join()
  const named = Array.from(text.matchAll(/node(?: --[\w-]+)* checks\/main\.ts ([\w:]+)/g), ([, name = ""]) => name)
  expect(named.filter((name) => !Object.hasOwn(checks, name))).toEqual([])
  expect(named.length).toBeGreaterThan(20)
})

it("no test or check starts a program that Program.ts does not know: where that is missing, the test would fail", () => {
  const root = `${import.meta.dirname}/..`
  const known = new Set<string>([...Program.everywhere, "/bin/true"])
  const files = globSync("{packages/*/test,checks,examples,docs/site}/**/*.ts", { cwd: root }).filter(
    (file) => !/node_modules|dist\/|Program\.ts/.test(file)
  )
  const started = files.flatMap((file) => {
    const text = readFileSync(`${root}/${file}`, "utf8")
    const starts = text.matchAll(/(?:spawn|execFile|execSync)(?:Sync)?\)?\(\s*"([^"]+)"|"(\/usr\/s?bin\/[^"]+)"/g)
    return Array.from(starts, ([, command, path = ""]) => `${file}: ${command ?? path}`)
  })
  expect(started.filter((line) => !known.has(line.replace(/^.*: /, "")))).toEqual([])
  expect(started.length).toBeGreaterThan(9)
})

it.runIf(process.platform === "linux")("what a failed run of tests started and wrote ends with it", async () => {
  // the other process has the output of the run, which is not over before both end
  const program = `
    import { spawn } from "node:child_process"
    import { tmpdir } from "node:os"
    import endWithThis from ${JSON.stringify(new URL("leftovers.ts", import.meta.url))}
    endWithThis()
    spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { detached: true, stdio: ["ignore", 1, "ignore"] })
    console.log(tmpdir())
    throw new Error("failed")`
  const { TESTS_FOLDER: _, ...env } = process.env
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { env })
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error)
  expect(stdout).toMatch(/^\/.*\/tests-\w+\n$/)
  expect(existsSync(stdout.trim())).toBe(false)
})

it.each([
  ["none", "There is no check named none."],
  ["toString", "There is no check named toString."],
  ["", "Name a check."]
])("a name that no check has is refused, and all are listed: %j", (name, complaint) => {
  const { status, stderr } = start(name)
  expect(status).toBe(2)
  expect(stderr).toContain(complaint)
  for (const known of Object.keys(checks)) expect(`\n${stderr}`).toContain(`\n${known} `)
})
