import { readFileSync, writeFileSync } from "node:fs"
import type { Mutation } from "./Mutation.ts"

const path = new URL("../../../../docs/reliability.md", import.meta.url)
const [begin, end] = ["<!-- mutations: npm run test:mutations -- --write -->\n", "<!-- end of the mutations -->\n"]

/** The document, in three parts: the second is the table. */
const parts = (): readonly [before: string, table: string, after: string] => {
  const [before = "", rest] = readFileSync(path, "utf8").split(begin)
  const [table, after] = (rest ?? "").split(end)
  if (table === undefined || after === undefined) throw new Error("docs/reliability.md has no place for the mutations")
  return [before, table, after]
}

const cell = (text: string) => text.replaceAll("|", "\\|")
const row = ({ broken, file }: Mutation) => `| ${cell(broken)} | \`${file}\` |`

/** The mutations of the document's table, each as its row begins. */
export const documented = (): ReadonlyArray<string> =>
  (parts()[1].match(/^\|.*$/gm) ?? []).slice(2).map((line) => line.split(/(?<!\\)\|/, 3).join("|") + "|")

/** As the rows of the document's table have to begin. */
export const expected = (table: ReadonlyArray<Mutation>): ReadonlyArray<string> => table.map(row)

/** Writes the table: each mutation with the title of the test that failed. */
export const write = (caught: ReadonlyArray<{ readonly mutation: Mutation; readonly title: string }>): void => {
  const [before, , after] = parts()
  const rows = caught.map(({ mutation, title }) => `${row(mutation)} ${cell(title)} |`)
  const lines = [
    `<details><summary>${rows.length} mutations, each with the test that fails</summary>\n`,
    "| what is broken | in `packages` | the test that fails |",
    "| --- | --- | --- |",
    ...rows,
    "\n</details>"
  ]
  writeFileSync(path, `${before}${begin}${lines.join("\n")}\n${end}${after}`)
}
