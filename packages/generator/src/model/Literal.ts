/** The one place where texts of a document become code. */

/** Characters that cannot be seen, or reorder those that can: controls, formats, separators, and halves of a pair. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu
const escaped = (character: string) =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`
  ).join("")

/** A text as a string literal, in the quotes of which it has fewer. */
export const text = (value: string): string => {
  const code = JSON.stringify(value).replace(invisible, escaped)
  if (value.split('"').length <= value.split("'").length) return code
  const inner = code.slice(1, -1).replace(/\\.|'/g, (found) => (found === '\\"' ? '"' : found === "'" ? "\\'" : found))
  return `'${inner}'`
}

export const json = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(invisible, (character) =>
    character === "\n" ? character : escaped(character)
  )

export const primitive = (value: string | number | boolean | null): string =>
  typeof value === "string" ? text(value) : String(value)

const identifier = /^[A-Za-z_$][\w$]*$/

/** A name as the key of an object literal. `__proto__: x` would set the prototype. */
export const key = (name: string): string =>
  name === "__proto__" ? `["__proto__"]` : identifier.test(name) ? name : text(name)

export const typeKey = (name: string): string => (identifier.test(name) ? name : text(name))

export const isVisible = (value: string): boolean => value.search(invisible) < 0

/** Parts of a pattern that would look like the end of it, a text or a comment. */
const marks: Readonly<Record<string, string>> = {
  "/": "\\/",
  "'": "\\x27",
  "\\'": "\\x27",
  '"': "\\x22",
  '\\"': "\\x22",
  "**": "*\\x2a"
}

/** A pattern that can be seen as a regular expression literal. */
export const pattern = (source: string, flags: string): string =>
  `/${source === "" ? "(?:)" : source.replace(/\\[^]|[/"']|\*\*/g, (found) => marks[found] ?? found)}/${flags}`
