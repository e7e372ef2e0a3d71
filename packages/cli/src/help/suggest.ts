import leven from "leven"

const fold = (text: string) => text.toLowerCase().replaceAll("-", "")

/** The names that a mistyped one may stand for, in any letter case, with or without hyphens: the nearest ones, at least half right. */
export const suggest = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  // one that is longer than any name here is not a slip of the fingers
  if (text === "" || text.length > 64) return []
  const near = names
    .map((name) => ({ name, steps: leven(fold(text), fold(name)) }))
    .filter(({ name, steps }) => steps <= Math.min(2, name.length / 2))
  const fewest = near.reduce((fewest, { steps }) => Math.min(fewest, steps), Infinity)
  return near.flatMap(({ name, steps }) => (steps === fewest ? [name] : []))
}

export const didYouMean = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`Did you mean ${names.join(" or ")}?`]
