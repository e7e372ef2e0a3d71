/** A number of things, in words: `1 call`, `2 calls`. */
export const of = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
