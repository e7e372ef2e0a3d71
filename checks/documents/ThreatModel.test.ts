import { describe, expect, it } from "@effect/vitest"
import { read, references, rows, source } from "./documents.ts"

const document = read("threat-model.md")
const defences = [
  "## The service",
  "## Records and secrets",
  "## The client and the command",
  "## The packages"
].flatMap((heading) => rows(document, heading))

describe("docs/threat-model.md", () => {
  it.each(defences)("names a test for the defence against: %s", (threat, defence = "", cell) => {
    const tests = references(cell)
    expect(tests.filter((reference) => source(reference) === "")).toEqual([])
    expect([threat === "", defence === "", tests.length === 0]).toEqual([false, false, false])
  })

  it("has no test in another place, where it would not be looked up", () => {
    expect(references(document)).toEqual(defences.flatMap(([, , cell]) => references(cell)))
    expect(defences.length).toBeGreaterThan(30)
  })
})
