/** Names of a document as identifiers: ASCII only, so that no two look alike. */

/** Whether the document has a name for the schema at a pointer, among others or as a file. */
export const isOfDocument = (pointer: string): boolean =>
  /^#(?:\/x-files\/[^/]+)?\/(?:components\/schemas|definitions|\$defs)\/[^/]+$|^#\/x-files\/[^/]+$/.test(pointer)

/** A letter of another script by its number; accents fall off. */
const ascii = (text: string): string =>
  text.normalize("NFKD").replace(/[^ -~]/gu, (character) => {
    if (/\p{M}/u.test(character)) return ""
    return /[\p{L}\p{N}]/u.test(character) ? ` u${character.codePointAt(0)?.toString(16) ?? ""} ` : " "
  })

/** The words of a name: `getHTTPUser_v2` has get, HTTP, User, v2. */
export const words = (text: string): ReadonlyArray<string> =>
  ascii(text)
    .replaceAll("OAuth", "Oauth") // one word
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z\d]/)
    .filter((word) => word !== "")

/** Files are named after groups. */
const longest = 100

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** `list jobs` as `listJobs`; empty if there are no words. */
export const camelOf = (all: ReadonlyArray<string>): string =>
  all
    .map((word, i) => (i === 0 ? word.toLowerCase() : capital(word.toLowerCase())))
    .join("")
    .slice(0, longest)

export const camel = (text: string): string => camelOf(words(text))

/** A name of a type. Capitals within words stay. */
export const pascal = (text: string): string => {
  const parts = ascii(text).split(/[^A-Za-z\d]+/)
  const name = parts.map(capital).join("").slice(0, longest)
  return /^\d/.test(name) ? `_${name}` : name
}

const reserved = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null of package private " +
    "protected public return static super switch this throw true try type typeof undefined var void while with yield " +
    // what would be operators of the type of a module
    "infer keyof readonly unique " +
    // what the generated modules import or use
    "A api Blob Body Brand CallError DateTime Envelope Methods Operation Q R ReadonlyArray Refusal ReturnType Schema Style " +
    "Uint8Array Wire undefined"
  ).split(" ")
)

/** A name that a declaration can have. */
export const identifier = (name: string): string =>
  reserved.has(name) ? `${name}_` : /^\d/.test(name) ? `_${name}` : name

/** Whether a word is another, or its plural. */
export const isWord = (one: string, other: string): boolean => {
  const [singular = "", plural = ""] = [one.toLowerCase(), other.toLowerCase()].toSorted((a, b) => a.length - b.length)
  return [singular, `${singular}s`, `${singular}es`, singular.replace(/y$/, "ies")].includes(plural)
}

/** Whether words are others, of which each can be the plural. */
export const isSame = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  some.length > 0 && some.length === others.length && some.every((word, i) => isWord(word, others[i] ?? ""))

/**
 * The words of an operation without those of its group, which each call has before them: `users list` and `list users` in
 * `users` are `list`, as is `list users` in `team users`. Behind, only a verb is before them: `list team users` in `users`
 * is another list.
 */
export const without = (all: ReadonlyArray<string>, group: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [verb = "", ...object] = all
  if (isSame(all.slice(0, group.length), group) && all.length > group.length) return all.slice(group.length)
  return isSame(object, group.slice(-object.length)) ? [verb] : all
}

/** The constant of an operation, and its type. */
export const ofOperation = (name: string) => ({ constant: identifier(name), type: identifier(capital(name)) })

/** Methods of every client, and what a promise or each object has. */
const ofClients = new Set([
  ..."execute exchange then prototype".split(" "),
  ...Object.getOwnPropertyNames(Object.prototype)
])

/** Names of devices, which no file of Windows can have. */
const device = /^(?:con|prn|aux|nul|(?:com|lpt)\d)$/i

/** The name of a group or of an operation in it. */
export const member = (name: string): string =>
  ofClients.has(name) || device.test(name) || /^\d/.test(name) ? `_${name}` : name

/** Gives names that are unique, whatever their letters' case: files and readers do not always see it. */
export const allocator = (taken: Iterable<string> = []) => {
  const used = new Set(Array.from(taken, (name) => name.toLowerCase()))
  const last = new Map<string, number>()
  return {
    has: (name: string): boolean => used.has(name.toLowerCase()),
    take: (name: string): string => {
      let unique = name
      let count = last.get(name.toLowerCase()) ?? 1
      while (used.has(unique.toLowerCase())) unique = `${name}${++count}`
      last.set(name.toLowerCase(), count)
      used.add(unique.toLowerCase())
      return unique
    }
  }
}
