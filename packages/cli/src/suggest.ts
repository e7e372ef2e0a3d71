/** The steps between two words: a letter more, a letter less, or another letter. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(to).entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** Longer than any name here: such a text is not a slip of the fingers, and is not compared. */
const longest = 64

/** The names that a mistyped one may stand for: those fewest steps away, in any letter case, 2 at most. */
export const suggest = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (text === "" || text.length > longest) return []
  const near = names.map((name) => ({ name, steps: distance(text.toLowerCase(), name.toLowerCase()) }))
  const fewest = Math.min(2, ...near.map(({ steps }) => steps))
  return near.flatMap(({ name, steps }) => (steps === fewest && steps < name.length ? [name] : []))
}

/** `Did you mean a or b?`, or nothing. */
export const didYouMean = (names: ReadonlyArray<string>): string | undefined =>
  names.length === 0 ? undefined : `Did you mean ${names.join(" or ")}?`
