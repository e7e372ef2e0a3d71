import * as Result from "effect/Result"
import * as Hex from "effect/encoding/Hex"
import { base64, octets } from "./internal/redaction.ts"

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const entities: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", nbsp: " ", quot: '"' }
/** `toWellFormed`, which Chrome has from 111 and Firefox from 119 on. */
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd")
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const each = (text: string, spell: (character: string) => string) => Array.from(text, spell).join("")
const code = (character: string) => character.codePointAt(0) ?? 0
const unit = (text: string, at: number) => `\\u${hex(text.charCodeAt(at), 4)}`

/** How a text is spelled by JSON, URLs, forms, HTML and hexadecimal, or by a reader that takes UTF-8 for Latin-1. */
const spellings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  encodeURIComponent,
  (text) => new URLSearchParams({ "": text }).toString().slice(1),
  (text) => Hex.encode(text).replace(/../g, "%$&"),
  inJson,
  (text) => inJson(text).replaceAll("/", "\\/"),
  (text) => inJson(text).replace(/[^ -;=?-~]/g, (character) => unit(character, 0)),
  (text) => Array.from({ length: text.length }, (_, at) => unit(text, at)).join(""),
  (text) => text.replace(/[&<>"']/g, (mark) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[mark] ?? "#39"};`),
  (text) => each(text, (character) => `&#${code(character)};`),
  (text) => each(text, (character) => `&#x${hex(code(character), 2)};`),
  (text) => Hex.encode(text),
  octets
]

/** Base64, wherever the text begins in what is encoded, and without the digits that others than the text determine. */
const shifted = (text: string): ReadonlyArray<string> =>
  ["", "a", "ab"].map((before) => {
    const { length } = octets(before + text)
    const start = Math.ceil((before.length * 8) / 6)
    return base64(before + text).slice(start, Math.floor((length * 8) / 6))
  })
const base64Url = (digits: string) => digits.replaceAll("+", "-").replaceAll("/", "_")

const utf8 = new TextDecoder()
const fromHex = (digits: string) =>
  Result.getOrElse(
    Result.map(Hex.decode(digits), (bytes) => utf8.decode(bytes)),
    () => digits
  )
const fromCode = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : "")
const inString: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }
const hexadecimal = (odd: number) => (text: string) =>
  text.replace(/[\da-f]{16,}/gi, (run) => {
    const even = run.length - ((run.length - odd) % 2)
    return run.slice(0, odd) + fromHex(run.slice(odd, even)) + run.slice(even)
  })

/** One kind of escape each, since a secret can look like an escape of another kind. */
const unescapes: ReadonlyArray<(text: string) => string> = [
  (text) => text.replace(/(?:%[\da-f]{2})+/gi, (run) => fromHex(run.replaceAll("%", ""))),
  (text) =>
    text.replace(/\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^]/gi, (run) =>
      run.length > 2
        ? String.fromCharCode(Number.parseInt(run.slice(2), 16))
        : (inString[run.slice(1).toLowerCase()] ?? run.slice(1))
    ),
  (text) =>
    text.replace(/&#x0*[\da-f]{1,6};?|&#0*\d{1,7};?|&[a-z]{2,4};/gi, (run) => {
      if (!run.startsWith("&#")) return entities[run.slice(1, -1).toLowerCase()] ?? run
      return /^&#x/i.test(run)
        ? fromCode(Number.parseInt(run.slice(3), 16))
        : fromCode(Number.parseInt(run.slice(2), 10))
    }),
  hexadecimal(0),
  hexadecimal(1)
]

/** A text as it is, and with up to `layers` layers of escapes removed. */
const readings = (text: string, layers: number): ReadonlySet<string> => {
  const all = new Set([text])
  let last: ReadonlyArray<string> = [text]
  for (let layer = 0; layer < layers && last.length > 0; layer++) {
    last = last.flatMap((text) => unescapes.map((unescape) => unescape(text))).filter((text) => !all.has(text))
    for (const text of last) all.add(text)
  }
  return all
}

const folded = (text: string) => text.replace(/\s+/g, " ")

/** A secret shows when so many of its characters do, in a row. */
const size = 8
/** Of longer secrets, such as a JSON Web Token, only the start is searched for in base64 of its escapes. */
const mostEncoded = 256

/**
 * Looks for secrets in texts of others.
 */
export interface SecretFinder {
  /** Adds a secret. One that is blank is left out. */
  readonly add: (secret: string) => void
  /** Whether a text shows 8 characters of a secret, or all of a shorter one, in any letter case, within two encodings. */
  readonly finds: (text: string) => boolean
}

/**
 * The texts that a secret can be spelled out as: plain, in base64, percent-encoding, JSON, HTML and hexadecimal.
 */
export const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const text = wellFormed(secret)
  const padded = base64(text)
  const digits = [padded, padded.replaceAll("=", "")]
  return [...digits, ...digits.map(base64Url), ...spellings.map((spell) => spell(text))]
}

/**
 * Creates a finder without secrets.
 *
 * **When to use**
 *
 * Before a program shows or keeps the successes of a service, which the client returns unchanged. The errors of the
 * client need no search: they never repeat a secret.
 *
 * **Example** (Withholding a response)
 *
 * ```ts
 * import * as SecretFinder from "@cloud-management/client/SecretFinder"
 *
 * const finder = SecretFinder.make()
 * finder.add("correct horse battery staple")
 * const shown = (text: string) => (finder.finds(text) ? "(withheld)" : text)
 * ```
 */
export const make = (): SecretFinder => {
  const known = new Set<string>()
  /** Runs of characters that must not show, by length; in lower case, since letter case does not count. */
  const windows = new Map<number, Set<string>>()
  const addWindows = (text: string, length: number) => {
    const runs = windows.get(length) ?? new Set<string>()
    windows.set(length, runs)
    const lower = text.toLowerCase()
    for (let at = 0; at + length <= lower.length; at++) {
      const window = lower.slice(at, at + length)
      if (window.trim() !== "") runs.add(window)
    }
  }
  const add = (text: string) => {
    const secret = wellFormed(text)
    if (known.has(secret) || secret.trim() === "") return
    known.add(secret)
    for (const plain of [secret, folded(secret), octets(secret), octets(octets(secret))]) {
      addWindows(plain, Math.min(size, plain.length))
    }
    const start = wellFormed(secret.slice(0, mostEncoded))
    const once = spellings.flatMap((spell) => shifted(spell(start)))
    const twice = shifted(start).flatMap((digits) => [digits, base64Url(digits)].flatMap(shifted))
    for (const digits of [...once, ...twice]) addWindows(digits, Math.min(size, digits.length))
  }
  const found = (text: string): boolean => {
    for (const [length, runs] of windows) {
      for (let at = 0; at + length <= text.length; at++) if (runs.has(text.slice(at, at + length))) return true
    }
    return false
  }
  const finds = (text: string): boolean => {
    if (known.size === 0) return false
    for (const reading of readings(text, 3)) {
      const lower = reading.toLowerCase()
      const forms = [lower, folded(lower), folded(lower.replaceAll("+", " "))]
      forms.push(lower.replaceAll("-", "+").replaceAll("_", "/"))
      if ([...new Set(forms)].some(found)) return true
    }
    return false
  }
  return { add, finds }
}
