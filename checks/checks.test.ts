import { expect, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import * as Program from "./fixtures/Program.ts"
import { checks } from "./main.ts"

const root = `${import.meta.dirname}/..`

it("every npm script and every step of npm test names a check, and every check has its file", () => {
  const text = ["package.json", "checks/test.ts"].map((file) => readFileSync(`${root}/${file}`, "utf8")).join()
  const named = Array.from(text.matchAll(/node(?: --[\w-]+)* checks\/main\.ts ([\w:]+)/g), ([, name = ""]) => name)
  const files = named.map((name) => checks[name]?.file ?? "no file")
  expect(files.filter((file) => file !== "no file" && !existsSync(`${root}/checks/${file}`))).toEqual([])
  expect(named.filter((name) => !Object.hasOwn(checks, name))).toEqual([])
  expect(named.length).toBeGreaterThan(20)
})

it("no test or check starts a program that Program.ts does not know: where that is missing, the test would fail", () => {
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
