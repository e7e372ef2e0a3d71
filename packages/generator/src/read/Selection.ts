/** Which operations are chosen: by `operationId`, `tag:NAME` or a path, each with `*` for any text. */

/** Whether a text is a pattern in which `*` stands for any text. */
const fits = (pattern: string, text: string): boolean => {
  const [first = "", ...rest] = pattern.split("*")
  if (rest.length === 0) return pattern === text
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const [i, part] of rest.entries()) {
    if (i === rest.length - 1) return text.length - part.length >= at && text.endsWith(part)
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}

const one = (pattern: string) => (id: string, tags: ReadonlyArray<string>, path: string) => {
  if (pattern.startsWith("tag:")) return tags.some((tag) => fits(pattern.slice(4), tag))
  return fits(pattern, pattern.startsWith("/") ? path : id)
}

/** Whether an operation is chosen: included, if anything is, and not excluded. */
export const make = (include: ReadonlyArray<string>, exclude: ReadonlyArray<string>) => {
  const included = include.map(one)
  const excluded = exclude.map(one)
  return (id: string, tags: ReadonlyArray<string>, path: string): boolean =>
    (included.length === 0 || included.some((fits) => fits(id, tags, path))) &&
    !excluded.some((fits) => fits(id, tags, path))
}
