import { expect, it } from "@effect/vitest"
import { documented, expected } from "./document.ts"
import { problem, source } from "./Mutation.ts"
import { table } from "./table.ts"

it("every mutation can be made in the source as it is", () => {
  expect(table.flatMap((mutation) => problem(mutation, source(mutation.file)) ?? [])).toEqual([])
  expect(table.length).toBeGreaterThan(200)
})

it("no mutation is there twice, and no two have one name", () => {
  const repeated = (keys: ReadonlyArray<string>) => keys.filter((key, i) => keys.indexOf(key) !== i)
  expect(repeated(table.map(({ broken }) => broken))).toEqual([])
  expect(repeated(table.map(({ file, from, to }) => JSON.stringify([file, from, to])))).toEqual([])
})

it("docs/mutations.md has the same mutations: npm run test:mutations -- --write", () => {
  expect(documented()).toEqual(expected(table))
})

it("a text that is gone, or there twice, is no mutation", () => {
  const mutation = { broken: "a rule", file: "core/src/a.ts", from: "a", to: "b", tests: "core/test/a.test.ts" }
  expect(problem(mutation, "xax")).toBeUndefined()
  expect(problem(mutation, "xax a")).toBe("a rule: stands 2 times in core/src/a.ts: a")
  expect(problem(mutation, "x")).toBe("a rule: stands 0 times in core/src/a.ts: a")
  expect(problem({ ...mutation, to: "a" }, "xax")).toBe("a rule: changes nothing")
})
