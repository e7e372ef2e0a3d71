/** Doc comments, which have Effect's order: a sentence, sections, titled examples, `@see`, `@category` and `@since`. */

/** What can follow the sentence, in its order. Examples and `@see` may come more than once. */
const parts = ["**When to use**", "**Details**", "**Gotchas**", "**Example**", "@see", "@beta", "@category", "@since"]

/** Effect's own words for the kinds of exports that there are. */
const categories = [
  "combinators",
  "constants",
  "constructors",
  "converting",
  "decoding",
  "errors",
  "handlers",
  "hashing",
  "layers",
  "logging",
  "metrics",
  "middleware",
  "migrations",
  "models",
  "paging",
  "predicates",
  "references",
  "repetition",
  "schemas",
  "services",
  "tracing",
  "utility types"
]

/** The text of a comment without its stars. */
const plain = (comment: string) => comment.replace(/^\s*\*(?: |$)/gm, "").trim()

/** The text of each doc comment in a source. */
export const docComments = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/^ *\/\*\*([^]*?)\*\/$/gm)].map(([, comment = ""]) => plain(comment))

/** What is wrong with the form of a doc comment, of whatever it is. */
export const formProblems = (text: string): ReadonlyArray<string> => {
  const found = [...text.replace(/^```ts\n[^]*?^```$/gm, "").matchAll(/^(?:\*\*[^*]+\*\*|@\w+)/gm)].map(
    ([part]) => part
  )
  const ranks = found.map((part) => parts.indexOf(part))
  const count = (pattern: RegExp) => [...text.matchAll(pattern)].length
  return [
    ...found.filter((part) => !parts.includes(part)).map((part) => `${part} is not a part of a doc comment`),
    ...found.filter((part, index) => (ranks[index - 1] ?? -1) > parts.indexOf(part)).map((part) => `${part} is late`),
    ...found
      .filter((part, index) => part !== "**Example**" && part !== "@see" && found.indexOf(part) !== index)
      .map((part) => `${part} is there twice`),
    ...(count(/^```/gm) === 2 * count(/^\*\*Example\*\* \([^\n]+\)\n\n```ts\n/gm)
      ? []
      : ["code is not in an example with a title: **Example** (Title)"])
  ]
}

/** What is wrong with the doc comment of an exported name. */
export const problems = (text: string): ReadonlyArray<string> => {
  const sentence = (text.split("\n\n", 1)[0] ?? "").replaceAll("\n", " ")
  const category = /^@category (.+)$/m.exec(text)?.[1]
  return [
    ...(/^[^@*].*\.$/.test(sentence) && !/\. [A-Z`]/.test(sentence) ? [] : ["does not begin with one sentence"]),
    ...(category !== undefined && categories.includes(category) ? [] : [`has the @category ${category}`]),
    ...(/^@since \d+\.\d+\.\d+$/m.test(text) ? [] : ["lacks @since"]),
    ...formProblems(text)
  ]
}

/** A name that a module exports, with the text of its doc comment, empty if there is none. */
interface Export {
  readonly name: string
  readonly comment: string
}

/** The declarations that a module exports, and those of private modules: `read` gives the source of `./internal/…`. */
export const exportsOf = (source: string, read: (path: string) => string): ReadonlyArray<Export> => {
  const overloads = new Set<string>()
  const found = source.matchAll(/(?:^\/\*\*((?:(?!\*\/)[^])*)\*\/\n(?:\/\/.*\n)*)?^export ([^]*?)$/gm)
  return [...found].flatMap(([whole, comment = "", line = ""]): ReadonlyArray<Export> => {
    const [, kind, name] = /^(const|class|interface|type|function) (\w+)/.exec(line) ?? []
    if (name !== undefined) {
      if (kind === "function" && overloads.has(name)) return []
      if (kind === "function") overloads.add(name)
      return [{ name, comment: plain(comment) }]
    }
    // a whole module that is public itself
    if (/^(type )?\* (as \w+ )?from "\.\/\w+\.ts"$/.test(line)) return []
    const [, names, path] = /^(?:type )?\{ (.+) \} from "(\.\/internal\/\w+\.ts)"$/.exec(line) ?? []
    if (names === undefined || path === undefined) throw new Error(`this check cannot parse the export ${whole}`)
    const others = exportsOf(read(path), read)
    return names.split(", ").map((part) => {
      const name = part.replace("type ", "")
      return { name, comment: others.find((other) => other.name === name)?.comment ?? "" }
    })
  })
}
