import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { checks } from "./main.ts"

const start = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [`${import.meta.dirname}/main.ts`, ...args], { encoding: "utf8" })

it("every check has its file", () => {
  const files = Object.values(checks).map(([file]) => file)
  expect(files.filter((file) => !existsSync(`${import.meta.dirname}/${file}`))).toEqual([])
})

it("every npm script and every step of npm test names a check", () => {
  const text = ["../package.json", "test.ts"]
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"))
    .join()
  const named = Array.from(text.matchAll(/node(?: --[\w-]+)* checks\/main\.ts ([\w:]+)/g), ([, name = ""]) => name)
  expect(named.filter((name) => !Object.hasOwn(checks, name))).toEqual([])
  expect(named.length).toBeGreaterThan(30)
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
