import { createContext, Script } from "node:vm"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

/** Patterns of documents, which may take for ever: each is stopped after a time, and is not tried again. */
const room = createContext({ source: "", text: "" })
const matching = new Script(`{
  const compiled = (flags) => { try { return new RegExp(source, flags) } catch {} }
  // without u, an escape of another dialect, such as \\A, would be the letter itself
  const isForeign = /\\\\(?![bcdfknprstuvwx])[a-z]/i.test(source)
  const pattern = compiled("u") ?? (isForeign ? undefined : compiled(""))
  // between slashes, as in a program, it would match nothing
  pattern === undefined || /^\\/\\^|\\$\\/[a-z]*$/.test(source) ? true : pattern.test(text)
}`)
const longestTime = 1_000

const known = new Map<string, boolean>()
const slow = new Set<string>()
/** Processor time of the patterns that were stopped, in microseconds. */
const taken = new Map<string, number>()

/** Whether a text matches a pattern; any does where the pattern is not ECMAScript, stands between slashes, or takes too long. */
export const isMatch = (source: string, text: string): boolean => {
  if (slow.has(source)) return true
  const key = JSON.stringify([source, text])
  const before = known.get(key)
  if (before !== undefined) return before
  const { user } = process.cpuUsage()
  try {
    Object.assign(room, { source, text })
    const found = matching.runInContext(room, { timeout: longestTime }) === true
    if (known.size > 100_000) known.clear()
    known.set(key, found)
    return found
  } catch {
    // it can also have waited for a processor
    const sum = (taken.get(source) ?? 0) + process.cpuUsage().user - user
    taken.set(source, sum)
    if (sum < (longestTime * 1_000) / 2) return isMatch(source, text)
    slow.add(source)
    return true
  }
}

export const isSlow = (source: string): boolean => slow.has(source)

/** Patterns of which all must match: a pattern without its leading lookaheads, and each of these by itself. */
const split = (source: string): ReadonlyArray<string> => {
  if (!source.startsWith("^(?=")) return [source]
  let depth = 0
  for (let i = 1; i < source.length; i++) {
    if (source[i] === "\\") i++
    else if (source[i] === "(") depth++
    else if (source[i] === ")" && --depth === 0) return [`^${source.slice(4, i)}`, ...split(`^${source.slice(i + 1)}`)]
  }
  return [source]
}

/** To find a text that is twice as long takes more than four times as long. */
const longest = 500

const sampled = (source: string, least: number, most: number): ReadonlyArray<string> => {
  // a counted repetition of many characters takes as long
  if (/\{\d{4,}|\{[5-9]\d\d/.test(source)) return []
  const samples = Effect.suspend(() => {
    const pattern = Schema.isPattern(compiled(source))
    const schema = Schema.String.check(pattern, Schema.isMinLength(least), Schema.isMaxLength(Math.min(most, longest)))
    return Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 30, seed: 1 })
  })
  // it throws where it does not know a part of the pattern
  const found = Effect.runSyncExit(samples)
  return Exit.isSuccess(found) ? found.value : []
}

const compiled = (source: string) => {
  // oxlint-disable-next-line no-restricted-globals -- only its parts are read, and it is never run
  const make = (flags: string) => new RegExp(source, flags)
  try {
    return make("u")
  } catch {
    return make("")
  }
}

/** Texts in which there is something of each kind of character. */
const mixed = ["Aa1!Aa1!Aa1!", "Aa1-Aa1-Aa1-Aa1", "a1", "A1", "1", "a", "A", "abc", "ab-1", "0"]

const isPlain = (text: string) => /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text)

const texts = new Map<string, ReadonlyArray<string>>()

/** Texts that all patterns take, the same each time, and such that can be in a header. */
export const examples = (patterns: ReadonlyArray<string>, least = 0, most = Infinity): ReadonlyArray<string> => {
  const key = JSON.stringify([patterns, least, most])
  const before = texts.get(key)
  if (before !== undefined) return before
  const all = patterns.flatMap(split)
  const isFitting = (text: string) =>
    isPlain(text) && text.length >= least && text.length <= most && patterns.every((source) => isMatch(source, text))
  // of one that is stopped, nothing is known
  const samples = all.map((source) => {
    if (isMatch(source, "a".repeat(40)) && isSlow(source)) return []
    return [...sampled(source, all.length > 1 ? 0 : least, most), ...sampled(source, 0, most)]
  })
  const pairs = samples.flatMap((some, i) =>
    samples.flatMap((others, j) =>
      i === j ? [] : some.slice(0, 12).flatMap((a) => others.slice(0, 12).map((b) => a + b))
    )
  )
  const candidates = [...samples.flat(), ...pairs, ...mixed]
  const padded = candidates.flatMap((text) =>
    text.length < least && text !== "" ? [text + text.slice(-1).repeat(least - text.length)] : []
  )
  const found = [...new Set([...candidates, ...padded].filter(isFitting))].slice(0, 10)
  texts.set(key, found)
  return found
}
