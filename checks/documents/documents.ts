/** What the documents say in tables, and the tests that they name for it: [Service](../packages/…) “title”. */
import { existsSync, readFileSync } from "node:fs"
import * as Conformance from "@cloud-management/testing/Conformance"

const docs = new URL("../../docs/", import.meta.url)

/** The text of a document. */
export const read = (path: string) => readFileSync(new URL(path, docs), "utf8")

/** The rows of all tables below a heading, up to the next heading of the same rank. */
export const rows = (text: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rank = heading.replace(/ .*/, " ")
  const from = text.indexOf(`\n${heading}\n`)
  if (from === -1) throw new Error(`there is no heading ${heading}`)
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

/** A test that a document names. */
export interface Reference {
  /** From the root of the repository. */
  readonly file: string
  readonly title: string
}

/** The tests that a text names. */
export const references = (text: string | undefined): ReadonlyArray<Reference> =>
  Array.from((text ?? "").matchAll(/\[[^\]]+\]\(\.\.\/([^)]+)\) “([^”]+)”/g), ([, file = "", title = ""]) => ({
    file,
    title
  }))

/** The tests that the documents name: `npm test` looks each up in the report of the tests that were run. */
export const named = (): ReadonlyArray<Reference> =>
  ["specification.md", "threat-model.md"].flatMap((path) => references(read(path)))

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The statements of a file, outermost, each with the name that it declares and the literals in it. */
const parse = (text: string) =>
  text.split(/\n(?=[^\s)\]}])/).map((statement) => ({
    statement,
    name: /^(?:export )?const (\w+)/.exec(statement)?.[1],
    literals: Array.from(statement.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g), ([, plain, template]) =>
      (plain ?? template ?? "").replace(/\\(["`])/g, "$1")
    )
  }))

const files = new Map<string, ReturnType<typeof parse>>()
const statements = (file: string) => {
  const known = files.get(file)
  if (known !== undefined) return known
  const url = new URL(`../${file}`, docs)
  const parsed = existsSync(url) ? parse(readFileSync(url, "utf8")) : []
  files.set(file, parsed)
  return parsed
}

/** These statements, and all that they use of the same file. */
const withUsed = (file: string, some: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set(some)
  for (const user of found) {
    for (const { name, statement } of statements(file)) {
      if (name !== undefined && new RegExp(`\\b${name}\\b`).test(user)) found.add(statement)
    }
  }
  return [...found]
}

const cases = new Map(Conformance.cases("").map(({ name, section }) => [`${section}: ${name}`, name]))

/**
 * The statements that hold the title of a test: as a literal, or as a template (`7: for %s`, `${section}: …`) together
 * with the literals and words that fill it. None when there is no such test.
 */
const titled = ({ file, title }: Reference): ReadonlyArray<string> => {
  const all = statements(file)
  const holding = (test: (literal: string) => boolean) =>
    all.filter(({ literals }) => literals.some(test)).map(({ statement }) => statement)
  if (file.endsWith("/Conformance.ts")) return holding((literal) => literal === cases.get(title))

  const whole = holding((literal) => literal === title)
  if (whole.length > 0) return whole
  for (const { literals, statement } of all) {
    for (const literal of literals) {
      const parts = literal.split(/%[sdj]|\$\{[^}]*\}|\$\w+/)
      if (parts.length === 1 || parts.join("").trim().length < 2) continue
      // `%j` puts quotes around its filling
      const fillings = new RegExp(`^${parts.map(escape).join('"?(.+?)"?')}$`).exec(title)?.slice(1)
      const found = fillings?.map((filling) => {
        const literally = holding((literal) => literal === filling)
        const word = new RegExp(`\\b${escape(filling)}\\b`)
        return literally.length > 0 || filling.includes(" ")
          ? literally
          : all.filter(({ statement }) => word.test(statement)).map(({ statement }) => statement)
      })
      if (found?.every((statements) => statements.length > 0)) return [statement, ...found.flat()]
    }
  }
  return []
}

/** The text that makes a test, with what it uses of its file. Empty when there is no such test. */
export const source = (reference: Reference): string => withUsed(reference.file, titled(reference)).join("\n")

/**
 * What a claim says that can be compared word by word: its numbers, of kibibytes and mebibytes also the bytes, and the
 * words in its code. Each is a list of forms, of which one is enough.
 */
export const facts = (claim: string): ReadonlyArray<ReadonlyArray<string>> => {
  const code = Array.from(claim.matchAll(/`([^`]+)`/g), ([, code = ""]) => code).join(" ")
  const words = Array.from(code.matchAll(/[a-z_][\w-]*\w/gi), ([word]) => [word.toLowerCase()])
  const numbers = Array.from(claim.matchAll(/(?<![\w.])(\d+(?:\.\d+)?)(?: ([KM])iB)?\b/g), ([, number = "", unit]) => [
    number,
    ...(unit === undefined ? [] : [String(Number(number) * (unit === "K" ? 1024 : 1_048_576))])
  ])
  return [...words, ...numbers]
}

/** The facts of a claim that a text does not have. */
export const missing = (claim: string, text: string): ReadonlyArray<string> => {
  const plain = text
    .toLowerCase()
    .replace(/(?<=\d)_(?=\d)/g, "")
    .replace(/[\u2074-\u2079]+/g, (exponent) => ` ${exponent.normalize("NFKC")}`)
  const has = (form: string) => new RegExp(`(?<!\\w|\\d\\.)${escape(form)}(?!\\w|\\.\\d)`).test(plain)
  return facts(claim)
    .filter((forms) => !forms.some(has))
    .map(([form = ""]) => form)
}
