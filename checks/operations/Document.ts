/** A fenced block of a document that is for a machine: commands, statements or settings. */
export interface Block {
  /** The headings above it, outermost first. */
  readonly headings: ReadonlyArray<string>
  readonly line: number
  readonly language: "sh" | "sql" | "ini"
  /** Its commands if it is of `sh`, otherwise its text as the only one. */
  readonly commands: ReadonlyArray<string>
  /** Why it is not run: the comment before it. */
  readonly notRun: string | undefined
}

const isLanguage = (text: string | undefined): text is Block["language"] =>
  text === "sh" || text === "sql" || text === "ini"

/** A command without the comment behind it; none of those in the documents quotes a `#`. */
const withoutComment = (line: string) => line.replace(/(^|\s+)#.*$/, "").trimEnd()

/** The blocks of a Markdown document, in their order. `<!-- not run: why -->` before a block says why it is not run. */
export const blocks = (text: string): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  let headings: ReadonlyArray<string> = []
  let notRun: string | undefined
  let open: { readonly language: string; readonly line: number; readonly indent: number } | undefined
  let body: Array<string> = []
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", language] = /^( *)```(\w*)$/.exec(line) ?? []
    if (open !== undefined) {
      if (language !== "") {
        body.push(line.slice(open.indent))
        continue
      }
      if (isLanguage(open.language)) {
        const commands =
          open.language === "sh"
            ? body
                .join("\n")
                .replaceAll("\\\n", "")
                .split("\n")
                .map(withoutComment)
                .filter((command) => command !== "")
            : [body.join("\n")]
        found.push({ headings, line: open.line, language: open.language, commands, notRun })
      }
      open = undefined
      notRun = undefined
      continue
    }
    if (language !== undefined) {
      open = { language, line: index + 1, indent: indent.length }
      body = []
      continue
    }
    const [, marks, heading = ""] = /^(#+) (.*)$/.exec(line) ?? []
    if (marks !== undefined) headings = [...headings.slice(0, marks.length - 1), heading]
    if (line.trim() !== "") notRun = /^<!-- not run: (.+) -->$/.exec(line.trim())?.[1]
  }
  return found
}
