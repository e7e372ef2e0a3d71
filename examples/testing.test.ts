/** docs/library/testing.md and docs/library/promise.md show the tests that run here. */
import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

const read = (path: string) => readFileSync(`${import.meta.dirname}/${path}`, "utf8")

it.each([
  ["testing", "waiting"],
  ["testing", "login"],
  ["testing", "reply"],
  ["testing", "faults"],
  ["promise", "promises"]
])("docs/library/%s.md shows %s.test.ts word for word", (page, name) => {
  const code = read(`${name}.test.ts`).replace(/^\/\*\*.*\*\/\n/, "")
  expect(read(`../docs/library/${page}.md`)).toContain(`\`\`\`ts\n${code}\`\`\`\n`)
})
