/** The TypeScript in a document: its ```ts blocks. */
export const snippets = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)

export const docComments = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/^ *\/\*\*([^]*?)\*\/$/gm), ([, comment = ""]) =>
    comment.replace(/^\s*\*(?: |$)/gm, "").trim()
  )

/** The cells of a line of a table, without the signs of emphasis, code and links. */
export const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.replace(/\*|[[`]|\](?:\(\S*?\))?/g, "").trim())
