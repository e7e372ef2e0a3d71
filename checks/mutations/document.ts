import { readFileSync, writeFileSync } from "node:fs"
import type { Mutation } from "./Mutation.ts"

const path = new URL("../../docs/mutations.md", import.meta.url)
const head = "| what is broken | in `packages` | the test that fails |\n| --- | --- | --- |\n"

/** The document, in two parts: the second has the rows of the table. */
const parts = (): readonly [before: string, rows: string] => {
  const [before = "", rows] = readFileSync(path, "utf8").split(head)
  if (rows === undefined) throw new Error("docs/mutations.md has no table")
  return [before, rows]
}

const cell = (text: string) => text.replaceAll("|", "\\|")
const row = ({ broken, file }: Mutation) => `| ${cell(broken)} | \`${file}\` |`

/** The mutations of the document's table, each as its row begins. */
export const documented = (): ReadonlyArray<string> =>
  (parts()[1].match(/^\|.*$/gm) ?? []).map((line) => line.split(/(?<!\\)\|/, 3).join("|") + "|")

/** As the rows of the document's table have to begin. */
export const expected = (table: ReadonlyArray<Mutation>): ReadonlyArray<string> => table.map(row)

/** Writes the table: each mutation with the title of the test that failed. */
export const write = (caught: ReadonlyArray<{ readonly mutation: Mutation; readonly title: string }>): void => {
  const rows = caught.map(({ mutation, title }) => `${row(mutation)} ${cell(title)} |\n`)
  writeFileSync(path, parts()[0] + head + rows.join(""))
}
