/** The TypeScript in a document: its ```ts blocks. */
export const snippets = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)

export const docComments = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/^ *\/\*\*([^]*?)\*\/$/gm), ([, comment = ""]) =>
    comment.replace(/^\s*\*(?: |$)/gm, "").trim()
  )
