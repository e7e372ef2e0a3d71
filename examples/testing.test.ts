/** docs/testing.md shows the tests that run here. */
import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

const read = (path: string) => readFileSync(`${import.meta.dirname}/${path}`, "utf8")

it.each(["waiting", "login", "reply", "faults"])("docs/testing.md shows %s.test.ts word for word", (name) => {
  const code = read(`${name}.test.ts`).replace(/^\/\*\*.*\*\/\n/, "")
  expect(read("../docs/testing.md")).toContain(`\`\`\`ts\n${code}\`\`\`\n`)
})
