/** The TypeScript in a document: its ```ts blocks. */
export const snippets = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)
