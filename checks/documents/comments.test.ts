import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { docComments, exportsOf, formProblems, problems } from "./comments.ts"

const read = (file: string) => readFileSync(file, "utf8")

const example = "**Example** (Adding one)\n\n```ts\nexport const two = 1 + 1\n```"

describe("doc comments", () => {
  it("are there for every exported name of a public module, in Effect's order, with @category and @since", () => {
    const files = globSync("packages/{core,node,browser,promise,testing,service}/src/**/*.ts", {
      exclude: ["**/internal/**"]
    })
    const names = files.flatMap((file) =>
      exportsOf(read(file), (path) => read(join(dirname(file), path))).map(({ comment, name }) => ({
        name: `${file} ${name}`,
        problems: problems(comment)
      }))
    )
    expect(names.filter(({ problems }) => problems.length > 0)).toEqual([])
    expect(names.length).toBeGreaterThan(250)
  })

  it("have titled examples and no other tags, in private modules too", () => {
    const comments = globSync("packages/*/src/**/*.ts").flatMap((file) => docComments(read(file)))
    expect(comments.flatMap((text) => formProblems(text).map((problem) => `${problem}\n${text}`))).toEqual([])
    expect(comments.length).toBeGreaterThan(500)
  })

  it("have a star in each line, or a tool has written into them", () => {
    const lines = globSync("packages/*/src/**/*.ts").flatMap((file) =>
      [...read(file).matchAll(/^ *\/\*\*([^]*?)\*\/$/gm)].flatMap(([, comment = ""]) =>
        comment
          .split("\n")
          .slice(1)
          .filter((line) => !/^ *(?:\*|$)/.test(line))
          .map((line) => `${file}: ${line}`)
      )
    )
    expect(lines).toEqual([])
  })

  it("may have every part", () => {
    const text = `Adds one.\n\n**When to use**\n\nFor sums.\n\n**Details**\n\nA number.\n\n**Gotchas**\n\nIt overflows.\n\n${example}\n\n${example}\n\n@see {@link two} for two\n\n@beta\n@category constructors\n@since 0.1.0`
    expect(problems(text)).toEqual([])
  })

  it.each([
    ["no comment", "", ["does not begin with one sentence", "has the @category undefined", "lacks @since"]],
    ["two sentences", "One. Two.\n\n@category models\n@since 0.1.0", ["does not begin with one sentence"]],
    ["no category", "One.\n\n@since 0.1.0", ["has the @category undefined"]],
    ["a category of its own", "One.\n\n@category things\n@since 0.1.0", ["has the @category things"]],
    ["no version", "One.\n\n@category models", ["lacks @since"]],
    ["tags in another order", "One.\n\n@since 0.1.0\n@category models", ["@category is late"]],
    [
      "sections in another order",
      "One.\n\n**Gotchas**\n\nA.\n\n**Details**\n\nB.\n\n@category models\n@since 0.1.0",
      ["**Details** is late"]
    ],
    [
      "a section twice",
      "One.\n\n**Details**\n\nA.\n\n**Details**\n\nB.\n\n@category models\n@since 0.1.0",
      ["**Details** is there twice"]
    ],
    [
      "the tag @example",
      "One.\n\n@example\nconst one = 1\n\n@category models\n@since 0.1.0",
      ["@example is not a part of a doc comment"]
    ],
    [
      "an example without a title",
      "One.\n\n```ts\nconst one = 1\n```\n\n@category models\n@since 0.1.0",
      ["code is not in an example with a title: **Example** (Title)"]
    ]
  ])("finds %s", (_, text, found) => {
    expect(problems(text)).toEqual(found)
  })

  it("are those of the declarations that a private module has for a public one", () => {
    const source = `/** One. */\nexport const one = 1\n\nexport { two } from "./internal/two.ts"\nexport const three = 3\n`
    expect(exportsOf(source, () => "/**\n * Two.\n *\n * More.\n */\nexport type two = 2\n")).toEqual([
      { name: "one", comment: "One." },
      { name: "two", comment: "Two.\n\nMore." },
      { name: "three", comment: "" }
    ])
  })
})
