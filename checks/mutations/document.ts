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

const rows = (): ReadonlyArray<string> => parts()[1].match(/^\|.*$/gm) ?? []

/** A row as far as the mutation itself. */
const beginning = (row: string): string => row.split(/(?<!\\)\|/, 3).join("|") + "|"

/** The mutations of the document's table, each as its row begins. */
export const documented = (): ReadonlyArray<string> => rows().map(beginning)

/** As the rows of the document's table have to begin. */
export const expected = (table: ReadonlyArray<Mutation>): ReadonlyArray<string> => table.map(row)

/** Writes the table: each mutation with the title of the test that failed. One that was not run keeps its row. */
export const write = (table: ReadonlyArray<Mutation>, caught: ReadonlyMap<Mutation, string>): void => {
  const known = new Map(rows().map((row) => [beginning(row), row]))
  const written = table.map((mutation) => {
    const title = caught.get(mutation)
    const line = title === undefined ? known.get(row(mutation)) : `${row(mutation)} ${cell(title)} |`
    if (line === undefined) throw new Error(`no test is known for "${mutation.broken}": run it too`)
    return `${line}\n`
  })
  writeFileSync(path, parts()[0] + head + written.join(""))
}
