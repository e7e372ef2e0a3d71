import { describe, expect, it } from "@effect/vitest"
import { missing, read, references, rows, source } from "./documents.ts"

const document = read("specification.md")
const statements = rows(document, "## What the specification says")
/** Case, what is decided in short, tests. */
const decisions = rows(document, "## What it leaves open")
const left = read("decisions/0006-what-the-specification-leaves-open.md")
/** Case, what is decided, why. */
const decided = [
  ...rows(left, "## The client: liberal in what it accepts"),
  ...rows(left, "## The service: strict in what it sends")
]

describe("docs/specification.md", () => {
  it.each(["1", "2.1", "2.2", "2.3", "2.4", "3", "4", "4.1", "4.2", "4.3", "5", "6", "7", "8", "9"])(
    "has a row for section %s",
    (section) => {
      expect(statements.map(([section]) => section)).toContain(section)
    }
  )

  it("names only tests that are there", () => {
    const named = [...statements, ...decisions].flatMap(([, , cell]) => references(cell))
    expect(named.filter((reference) => source(reference) === "")).toEqual([])
    expect(named.length).toBeGreaterThan(100)
  })

  it("names a test in every row", () => {
    const silent = [...statements, ...decisions].filter(([, , cell]) => references(cell).length === 0)
    expect(silent).toEqual([])
  })

  it("shows statements by tests whose titles begin with a section", () => {
    const titles = statements.flatMap(([, , cell]) => references(cell).map(({ title }) => title))
    expect(titles.filter((title) => !/^[1-9](\.[1-9])?: /.test(title))).toEqual([])
  })

  it("has every row of the decisions on what the specification leaves open, and no other", () => {
    const shown = decisions.map(([name]) => name).filter((name) => name !== "order of checks")
    expect(shown).toEqual(decided.map(([name]) => name))
    expect(decisions.map(([name]) => name)).toContain("order of checks")
  })

  it.each(decided)(
    "shows by tests every number, status and word in code of the decision: %s",
    (name, decision = "") => {
      const [, , cell] = decisions.find(([shown]) => shown === name) ?? []
      const tests = references(cell)
      const text = tests.map((reference) => `${reference.title}\n${source(reference)}`).join("\n")
      expect(missing(decision, text)).toEqual([])
    }
  )

  it.each(decided)("says in short nothing that the decision does not say: %s", (name = "", decision = "") => {
    const [, short = ""] = decisions.find(([shown]) => shown === name) ?? []
    expect(missing(short, `${name} ${decision}`)).toEqual([])
  })

  it("knows which test does not exist", () => {
    const file = "checks/documents/Specification.test.ts"
    const exists = (title: string, of = file) => source({ file: of, title }) !== ""
    expect(exists("names only tests that are there")).toBe(true)
    expect(exists("has a row for section 4.3")).toBe(true)
    expect(exists(`has a row for section ${5 * 2}`)).toBe(false)
    expect(exists(["names", "no such test"].join(" "))).toBe(false)
    expect(exists("names only tests that are there", "packages/none.test.ts")).toBe(false)
    expect(exists("4.1: no such case", "packages/testing/src/Conformance.ts")).toBe(false)
  })

  it.each([
    ["401 and `Retry-After`", "expect(status).toBe(429), retry-after", ["401"]],
    ["100 a minute, of IPv6 per /64", "100 of the 2⁶⁴ addresses of IPv6", []],
    ["at most 64 KiB", "length: 65_536", []],
    ["at most 64 KiB", "length: 64_000, 1.64", ["64"]],
    ["`nosniff`, `Cache-Control: no-store`", '"x-content-type-options": "nosniff"', ["cache-control", "no-store"]],
    ["within 5 s", "15 seconds, 5.5, 0.5, a5", ["5"]]
  ] as const)("compares claim %j with %j", (claim, text, expected) => {
    expect(missing(claim, text)).toEqual(expected)
  })
})
