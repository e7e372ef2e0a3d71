/** The TypeScript in a document: its ```ts blocks. */
export const snippets = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)

/** The text of each doc comment in a source, without its stars. */
export const docComments = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/^ *\/\*\*([^]*?)\*\/$/gm), ([, comment = ""]) =>
    comment.replace(/^\s*\*(?: |$)/gm, "").trim()
  )
