/** A fenced block of a document that is for a machine: commands, statements or settings. */
export interface Block {
  readonly headings: ReadonlyArray<string>
  readonly line: number
  readonly language: "sh" | "sql" | "ini"
  /** Its commands if it is of `sh`, otherwise its text as the only one. */
  readonly commands: ReadonlyArray<string>
  readonly notRun: string | undefined
}

/** The commands of a block; none of those in the documents quotes a `#`. */
const commandsOf = (language: Block["language"], body: string) =>
  language !== "sh"
    ? [body]
    : body
        .replaceAll("\\\n", "")
        .split("\n")
        .map((line) => line.replace(/(^|\s+)#.*$/, "").trimEnd())
        .filter((command) => command !== "")

const isLanguage = (text: string | undefined): text is Block["language"] =>
  text === "sh" || text === "sql" || text === "ini"

const part = /^(#+) (.*)$|^(?: *<!-- not run: (.+) -->\s+)?^( *)```(\w*)\n([^]*?)^ *```$/gm

/** The blocks of a Markdown document, in their order. `<!-- not run: why -->` before a block says why it is not run. */
export const blocks = (text: string): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  let headings: ReadonlyArray<string> = []
  for (const match of text.matchAll(part)) {
    const [all, marks, heading = "", notRun, indent = "", language, body = ""] = match
    if (marks !== undefined) headings = [...headings.slice(0, marks.length - 1), heading]
    if (!isLanguage(language)) continue
    const line = text.slice(0, match.index + all.indexOf("```")).split("\n").length
    const own = body.replace(new RegExp(`^${indent}|\n$`, "g"), "").replaceAll(`\n${indent}`, "\n")
    found.push({ headings, line, language, commands: commandsOf(language, own), notRun })
  }
  return found
}
