import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A change of one place in a source that breaks one rule, and the tests that have to notice. */
export interface Mutation {
  /** What the changed code does. */
  readonly broken: string
  /** The source, below `packages`. */
  readonly file: string
  /** A text that stands in the source exactly once, and what takes its place. */
  readonly from: string
  readonly to: string
  /** The tests one of which has to fail: a file below `packages` or in `checks`, and after ` > ` how the titles begin. */
  readonly tests: string
}

/** Mutations of one source that one file of tests has to notice: what is then broken, with the texts from and to. */
export const mutations = (
  file: string,
  tests: string,
  changes: Readonly<Record<string, readonly [from: string, to: string]>>
): ReadonlyArray<Mutation> => Object.entries(changes).map(([broken, [from, to]]) => ({ broken, file, from, to, tests }))

export const root: string = fileURLToPath(new URL("../../", import.meta.url))
/** The path of a file below `packages` or in `checks`. */
export const pathOf = (file: string): string => `${root}${file.startsWith("checks/") ? "" : "packages/"}${file}`
/** The text of a file below `packages`. */
export const source = (file: string): string => readFileSync(pathOf(file), "utf8")

/** Why a mutation cannot be made in the text of its source; `undefined` when it can. */
export const problem = ({ broken, file, from, to }: Mutation, text: string): string | undefined => {
  const count = text.split(from).length - 1
  if (from === to) return `${broken}: changes nothing`
  return count === 1 ? undefined : `${broken}: stands ${count} times in ${file}: ${from}`
}
