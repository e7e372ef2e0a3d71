/** The steps between two words: a letter more, a letter less, another letter, or two that changed places. */
const distance = (from: string, to: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const swapped = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j]
      next.push(
        Math.min(
          (next[j] ?? 0) + 1,
          (row[j + 1] ?? 0) + 1,
          (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1),
          swapped ? (before[j - 1] ?? 0) + 1 : Infinity
        )
      )
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}

/** Longer than any name here: such a text is not a slip of the fingers, and is not compared. */
const longest = 64

/**
 * The names that a mistyped one may stand for, in any letter case: the nearest ones, which differ in at most a third of
 * their letters.
 */
export const suggest = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (text === "" || text.length > longest) return []
  const near = names
    .map((name) => ({ name, steps: distance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.min(2, name.length / 3))
  const fewest = near.reduce((fewest, { steps }) => Math.min(fewest, steps), Infinity)
  return near.flatMap(({ name, steps }) => (steps === fewest ? [name] : []))
}

/** `Did you mean a or b?`, or no sentence. */
export const didYouMean = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`Did you mean ${names.join(" or ")}?`]
