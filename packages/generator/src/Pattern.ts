import * as Literal from "./Literal.ts"

/** Whether a pattern of a document may become a regular expression. */

/** What is repeated without a limit, outside classes; and what makes a pattern slow or another dialect. */
const count = (source: string): { readonly repeats: number; readonly isHard: boolean } => {
  // a group that is repeated so many times, with nothing in it that can match in two ways, takes as long as its text
  const isFixed = !/[|*+]|[^(]\?|\{\d+,/.test(source)
  let repeats = 0
  let isHard = false
  let inClass = false
  for (let i = 0; i < source.length; i++) {
    const character = source.charAt(i)
    if (character === "\\") {
      // a reference to a group, or an escape of another dialect, which would be the letter itself
      if (/[1-9ACEGHKLNQRUVXYZaeghikloqyz]/.test(source.charAt(i + 1))) isHard = true
      i++
    } else if (inClass) inClass = character !== "]"
    else if (character === "[") inClass = true
    else if (character === "*" || character === "+" || (character === "{" && /^\{\d+,\}/.test(source.slice(i)))) {
      repeats++
      // a repeated group may contain what repeats
      if (source.charAt(i - 1) === ")") isHard = true
    } else if (character === "(" && /^\(\?[=!<]/.test(source.slice(i))) isHard = true
    else if (character === "{" && source.charAt(i - 1) === ")" && !isFixed) isHard = true
  }
  return { repeats, isHard }
}

const compiles = (source: string, flags: string): boolean => {
  try {
    // oxlint-disable-next-line no-restricted-globals -- only compiled, to see whether it is ECMAScript; never run
    return new RegExp(source, flags).source !== ""
  } catch {
    return false
  }
}

/**
 * The flags with which a pattern is ECMAScript and takes linear time on any text: it begins at the start, and repeats at most
 * one thing without a limit. `undefined` if there are none.
 */
export const flags = (source: string): string | undefined => {
  const { isHard, repeats } = count(source)
  if (
    !Literal.isVisible(source) ||
    isHard ||
    repeats > 1 ||
    // POSIX, and a literal of a language with its slashes
    /\[:\w+:\]|^\/\^.*\/[a-z]*$/.test(source) ||
    source.length > 1_000 ||
    (repeats === 1 && !source.startsWith("^"))
  )
    return undefined
  // without `u`, properties of characters would be letters
  const all = /\\p\{/i.test(source) ? ["u"] : ["u", ""]
  return all.find((flags) => compiles(source, flags))
}

/** Whether a text matches a pattern; anything does where the pattern is not checked. */
export const isMatch = (source: string, text: string): boolean => {
  const found = flags(source)
  // oxlint-disable-next-line no-restricted-globals -- one that takes linear time
  return found === undefined || new RegExp(source, found).test(text)
}

/** The text of a time that a pattern takes: as `DateTime` writes it, or with another fraction of a second. */
export const time = (source: string): string | undefined =>
  ["2026-01-02T03:04:05.007Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.007000Z"].find((text) =>
    isMatch(source, text)
  )

/** Whether a pattern wants another text of a time than the one that `DateTime` writes. */
export const isOtherTime = (source: string): boolean => time(source)?.endsWith(".007Z") === false
