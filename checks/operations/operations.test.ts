import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { blocks } from "./Document.ts"
import { outcomes } from "./outcomes.ts"

const fence = "```"

describe("the blocks of a document", () => {
  it("have their headings, and their commands without comments", () => {
    const text = `# A\n\n## B\n\n${fence}sh\none  # why\n\n# alone\ntwo \\\n  --more\n${fence}\n\n## C\n\n- x\n\n  ${fence}sql\n  A;\n  B;\n  ${fence}\n`
    expect(blocks(text)).toEqual([
      { headings: ["A", "B"], line: 5, language: "sh", commands: ["one", "two   --more"], notRun: undefined },
      { headings: ["A", "C"], line: 17, language: "sql", commands: ["A;\nB;"], notRun: undefined }
    ])
  })

  it("are not run for the reason right before them only", () => {
    const block = `${fence}sh\na\n${fence}\n`
    const marked = "<!-- not run: a benchmark -->\n"
    const reasons = (text: string) => blocks(text).map(({ notRun }) => notRun)
    expect(reasons(`${marked}${block}${block}`)).toEqual(["a benchmark", undefined])
    expect(reasons(`${marked}Text.\n${block}`)).toEqual([undefined])
    expect(reasons(`${marked}${fence}json\n{}\n${fence}\n${block}`)).toEqual([undefined])
  })

  it("are left out if they are not for a machine", () => {
    expect(blocks(`${fence}json\n{}\n${fence}\n${fence}\nprinted\n${fence}\n`)).toEqual([])
  })
})

const document = blocks(readFileSync("docs/service/operations.md", "utf8"))

it("each command of docs/service/operations.md that is run has an outcome, and no outcome is without its command", () => {
  const commands = document.flatMap(({ commands, language, notRun }) =>
    language === "sh" && notRun === undefined ? commands : []
  )
  expect(commands.length).toBeGreaterThan(20)
  expect(new Set(commands)).toEqual(new Set(Object.keys(outcomes)))
})

it("each npm script of docs/service/operations.md exists, and is a step of npm test if it says so", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
  const steps = readFileSync("checks/test.ts", "utf8")
  const left = document.filter(({ notRun }) => notRun !== undefined)
  const names = left.flatMap(({ commands }) => commands.flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? []))
  expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  const named = left.flatMap(({ notRun = "" }) =>
    notRun.includes("steps of npm test") ? notRun.match(/\bcheck \w+/g) : []
  )
  expect(named.length).toBeGreaterThan(1)
  for (const name of named) expect(steps).toContain(`\n  ${name?.slice("check ".length)}: {`)
})
