/** Whether a pattern of a document may become a regular expression. */
import { isSafePattern } from "redos-detector"
import * as Literal from "./Literal.ts"

/**
 * Limits on what a pattern can cost: for no text may it match in more ways than these up to some character, so that it takes
 * so many times the length of the text at most. The analysis itself takes so many steps, which are half a second.
 */
const limits = { maxScore: 30, maxSteps: 400 }
const longest = 1_000
/** More groups take the analysis too long. */
const mostGroups = 50
/** The most patterns that are remembered. */
const mostKnown = 10_000

/**
 * A pattern of another dialect would mean something else here. References to groups and assertions that look around are
 * foreign too, because their analysis is not exact.
 */
const isForeign = (source: string): boolean => {
  let inClass = false
  for (let i = 0; i < source.length; i++) {
    const character = source.charAt(i)
    if (character === "\\") {
      // an escape of another dialect would be the letter itself
      if (/[1-9ACEGHKLNQRUVXYZaeghikloqyz]/.test(source.charAt(++i))) return true
    } else if (inClass) inClass = character !== "]"
    else if (character === "[") inClass = true
    else if (character === "(" && /^\(\?[=!<]/.test(source.slice(i, i + 3))) return true
  }
  // POSIX
  return /\[:\w+:\]/.test(source)
}

/** Whether a pattern is a literal of a language, with its slashes: no text would match. */
const isLiteral = (source: string): boolean => /^\/(?:\^.*|.*\$)\/[a-z]*$/s.test(source)

/** Whether a pattern is ECMAScript with these flags. */
const isValid = (source: string, flags: string): boolean => {
  try {
    // oxlint-disable-next-line no-restricted-globals -- only compiled; never run
    return new RegExp(source, flags).source !== ""
  } catch {
    return false
  }
}

/** Whether a pattern takes linear time on any text. What is not sure is not. */
const isLinear = (source: string, flags: string): boolean => {
  try {
    return isValid(source, flags) && isSafePattern(source, { ...limits, unicode: flags === "u" }).safe
  } catch {
    return false
  }
}

const find = (source: string): string | undefined => {
  if (source.length > longest || source.split("(", mostGroups + 2).length > mostGroups + 1) return undefined
  if (!Literal.isVisible(source) || isForeign(source) || isLiteral(source)) return undefined
  // without `u`, properties of characters would be letters
  const all = /\\p\{/i.test(source) ? ["u"] : ["u", ""]
  return all.find((flags) => isLinear(source, flags))
}

const known = new Map<string, string | undefined>()

/** The flags with which a pattern is ECMAScript and takes linear time on any text; `undefined` if there are none. */
export const flags = (source: string): string | undefined => {
  if (known.has(source)) return known.get(source)
  if (known.size >= mostKnown) known.clear()
  const found = find(source)
  known.set(source, found)
  return found
}

/** Why a pattern that has no flags is not checked. */
export const problem = (source: string): string => {
  if (isLiteral(source)) return "its slashes and flags are a part of it, so that nothing matches: remove them"
  return isForeign(source) || !["u", ""].some((flags) => isValid(source, flags))
    ? "it is not ECMAScript, or looks around or back"
    : "it may take very long"
}

/** Whether a text matches a pattern; anything does where the pattern is not checked. */
export const isMatch = (source: string, text: string): boolean => {
  const found = flags(source)
  // oxlint-disable-next-line no-restricted-globals -- one that takes linear time
  return found === undefined || new RegExp(source, found).test(text)
}

/** Whether a pattern does not take a time as `DateTime` writes it, but with another fraction of a second. */
export const isOtherTime = (source: string): boolean =>
  !isMatch(source, "2026-01-02T03:04:05.007Z") &&
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.007000Z"].some((text) => isMatch(source, text))
