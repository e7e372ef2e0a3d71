import * as Pattern from "../Pattern.ts"

/** The text of a pattern is simple if it has only these parts. */
interface Reader {
  readonly source: string
  readonly flags: string
  at: number
}

const classes: Readonly<Record<string, string>> = {
  d: "1",
  w: "a",
  s: " ",
  S: "a",
  D: "a",
  W: "-",
  b: "",
  n: "\n",
  t: "\t"
}

const alphabet =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@ " + "!\"#$%&'()*+,;<=>?[\\]^`{|}~"

/** One character of a class that begins after its bracket. */
const ofClass = (reader: Reader): string => {
  const from = reader.at
  while (reader.at < reader.source.length && (reader.source[reader.at] !== "]" || reader.at === from))
    reader.at += reader.source[reader.at] === "\\" ? 2 : 1
  const source = `[${reader.source.slice(from, reader.at)}]`
  reader.at++
  // oxlint-disable-next-line no-restricted-globals -- one class, which takes one character
  const fits = new RegExp(`^${source}$`, reader.flags)
  return alphabet.split("").find((character) => fits.test(character)) ?? ""
}

const escaped = (reader: Reader): string => {
  const letter = reader.source[reader.at++] ?? ""
  if (letter !== "p" && letter !== "u" && letter !== "x") return classes[letter] ?? letter
  throw new Error("not simple")
}

const group = (reader: Reader, least: number): string => {
  if (reader.source[reader.at] === "?") {
    if (/^\?(?:[=!]|<[=!])/.test(reader.source.slice(reader.at))) throw new Error("not simple")
    reader.at = reader.source.startsWith("?<", reader.at) ? reader.source.indexOf(">", reader.at) + 1 : reader.at + 2
  }
  const text = alternatives(reader, least)
  reader.at++
  return text
}

const atom = (reader: Reader, least: number): string => {
  const character = reader.source[reader.at++] ?? ""
  if (character === "[") return ofClass(reader)
  if (character === "(") return group(reader, least)
  if (character === "\\") return escaped(reader)
  if (character === "^" || character === "$") return ""
  return character === "." ? "a" : character
}

const times = (reader: Reader, least: number): number => {
  const quantifier = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/.exec(reader.source.slice(reader.at))
  if (quantifier === null) return 1
  reader.at += quantifier[0].length
  const [sign = ""] = quantifier[0]
  if (sign === "?") return 1
  const from = sign === "{" ? Number(quantifier[1]) : 1
  const to = sign !== "{" || quantifier[2] === "" ? Infinity : Number(quantifier[2] ?? from)
  return Math.min(to, Math.max(from, least))
}

const alternatives = (reader: Reader, least: number): string => {
  let text = ""
  let first: string | undefined
  while (reader.at < reader.source.length && reader.source[reader.at] !== ")") {
    if (reader.source[reader.at] === "|") {
      reader.at++
      first ??= text
      text = ""
      continue
    }
    const part = atom(reader, least)
    text += part.repeat(times(reader, least))
  }
  return first ?? text
}

/** A text that a simple pattern takes; `undefined` if it has other parts than texts, classes, groups and quantifiers. */
export const example = (source: string, least: number, most: number): string | undefined => {
  const flags = Pattern.flags(source)
  if (flags === undefined) return undefined
  try {
    // oxlint-disable-next-line no-restricted-globals -- those that can take long are left out
    const pattern = new RegExp(source, flags)
    return [1, least]
      .map((count) => alternatives({ source, flags, at: 0 }, count))
      .find((text) => pattern.test(text) && text.length >= least && text.length <= most)
  } catch {
    return undefined
  }
}
