import { list, property, text } from "../read/Json.ts"

/** Nothing may end a comment, or reorder it for a reader. */
const harmless = (line: string) =>
  line
    .replaceAll("*/", "*\\/")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    // a description cannot declare tags
    .replace(/^\s*@/, (at) => `${at.slice(0, -1)}\\@`)
    .trimEnd()

const lines = (value = "") => {
  const shown = value.replace(/<br ?\/?>/gi, "\n").trim()
  return shown === "" ? [] : shown.split(/\r?\n/).map(harmless)
}

/** The first example of a schema, if it fits a line. */
const example = (node: unknown): string | undefined => {
  const value = property(node, "example") ?? list(node, "examples")[0]
  const code = value === undefined ? undefined : JSON.stringify(value)
  return code !== undefined && code.length <= 80 ? code : undefined
}

/** The lines of a doc comment: title or summary, description, `@example`, `@see` and `@deprecated`. */
export const of = (node: unknown): ReadonlyArray<string> => {
  const summary = lines(text(node, "summary"))
  const description = lines(text(node, "description"))
  const url = text(property(node, "externalDocs"), "url")
  const shown = example(node)
  const tags = [
    ...(shown === undefined ? [] : [`@example ${harmless(shown)}`]),
    ...(url === undefined ? [] : [`@see ${harmless(url)}`]),
    ...(property(node, "deprecated") === true ? ["@deprecated"] : [])
  ]
  const body = summary.join("\n") === description.join("\n") ? description : separated(summary, description)
  return separated(body, tags)
}

/** The lines of a comment, and others of the generator's own: before the tags, to which they would belong. */
export const and = (lines: ReadonlyArray<string>, own: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = lines.findIndex((line) => line.startsWith("@"))
  const text = at < 0 ? lines : lines.slice(0, Math.max(0, at - 1))
  return separated(separated(text, own.map(harmless)), at < 0 ? [] : lines.slice(at))
}

const separated = (first: ReadonlyArray<string>, second: ReadonlyArray<string>) =>
  first.length > 0 && second.length > 0 ? [...first, "", ...second] : [...first, ...second]

/** A doc comment of lines, for an indentation. */
export const render = (lines: ReadonlyArray<string>, indent: string): string => {
  if (lines.length === 0) return ""
  const [line = ""] = lines
  if (lines.length === 1 && indent.length + line.length < 113) return `${indent}/** ${line} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}
