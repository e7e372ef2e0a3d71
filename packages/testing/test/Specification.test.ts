import { describe, expect, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import * as Conformance from "@cloud-management/testing/Conformance"

const docs = new URL("../../../docs/", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, docs), "utf8")

/** The rows of all tables below a heading, up to the next heading of the same rank. */
const rows = (text: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rank = heading.replace(/ .*/, " ")
  const from = text.indexOf(`\n${heading}\n`)
  if (from === -1) throw new Error(`no heading ${heading}`)
  const to = text.indexOf(`\n${rank}`, from + 1)
  return text
    .slice(from, to === -1 ? undefined : to)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
    .filter((cells, index, all) => !/^:?-+:?$/.test(cells[0] ?? "") && !/^:?-+:?$/.test(all[index + 1]?.[0] ?? ""))
}

interface Reference {
  readonly file: string
  readonly title: string
}

const references = (cell: string | undefined): ReadonlyArray<Reference> =>
  Array.from((cell ?? "").matchAll(/\[[^\]]+\]\(\.\.\/([^)]+)\) “([^”]+)”/g), ([, file = "", title = ""]) => ({
    file,
    title
  }))

const cases = new Set(Conformance.cases("").map(({ name, section }) => `${section}: ${name}`))
const sources = new Map<string, string>()
const source = (file: string) => {
  const text = sources.get(file) ?? (existsSync(new URL(`../${file}`, docs)) ? read(`../${file}`) : "")
  sources.set(file, text)
  return text
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/**
 * Whether a file has a test of this title: as a literal, or as a template (`7: for %s`, `${section}: …`) whose gaps are
 * filled by literals and words of the same file.
 */
const isThere = ({ file, title }: Reference): boolean => {
  if (file.endsWith("/Conformance.ts")) return cases.has(title)
  const text = source(file)
  const literals = Array.from(text.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g), ([, plain, template]) =>
    (plain ?? template ?? "").replace(/\\(["`])/g, "$1")
  )
  const isFilling = (filling: string) =>
    literals.includes(filling) || (!filling.includes(" ") && new RegExp(`\\b${escape(filling)}\\b`).test(text))
  return literals.some((literal) => {
    if (literal === title) return true
    const parts = literal.split(/%[sdj]|\$\{[^}]*\}|\$\w+/)
    if (parts.length === 1 || parts.join("").trim().length < 2) return false
    // `%j` puts quotes around its filling
    const fillings = new RegExp(`^${parts.map(escape).join('"?(.+?)"?')}$`).exec(title)?.slice(1)
    return fillings?.every(isFilling) === true
  })
}

const document = read("specification.md")
const statements = rows(document, "## What the specification says")
const decisions = rows(document, "## What it leaves open")

describe("docs/specification.md", () => {
  it.each(["1", "2.1", "2.2", "2.3", "2.4", "3", "4", "4.1", "4.2", "4.3", "5", "6", "7", "8", "9"])(
    "has a row for section %s",
    (section) => {
      expect(statements.map(([section]) => section)).toContain(section)
    }
  )

  it("names only tests that are there", () => {
    const named = [...statements, ...decisions].flatMap(([, , cell]) => references(cell))
    expect(named.filter((reference) => !isThere(reference))).toEqual([])
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
    const decided = read("decisions/0006-what-the-specification-leaves-open.md")
    const expected = [
      ...rows(decided, "## The client: liberal in what it accepts"),
      ...rows(decided, "## The service: strict in what it sends")
    ]
    const shown = decisions.map(([name]) => name).filter((name) => name !== "order of checks")
    expect(shown).toEqual(expected.map(([name]) => name))
    expect(decisions.map(([name]) => name)).toContain("order of checks")
  })

  it("knows what is not there", () => {
    const file = "packages/testing/test/Specification.test.ts"
    expect(isThere({ file, title: "names only tests that are there" })).toBe(true)
    expect(isThere({ file, title: "has a row for section 4.3" })).toBe(true)
    expect(isThere({ file, title: `has a row for section ${5 * 2}` })).toBe(false)
    expect(isThere({ file, title: ["names", "no such test"].join(" ") })).toBe(false)
    expect(isThere({ file: "packages/none.test.ts", title: "names only tests that are there" })).toBe(false)
    expect(isThere({ file: "packages/testing/src/Conformance.ts", title: "4.1: no such case" })).toBe(false)
  })
})
