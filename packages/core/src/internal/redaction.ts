import * as Redacted from "effect/Redacted"
import * as Base64 from "effect/encoding/Base64"
import type { Credentials } from "../Credentials.ts"

/** The value of the header `authorization` (RFC 7617). */
export const authorization = ({ keyId, keySecret }: Credentials): string =>
  `Basic ${Base64.encode(`${keyId}:${Redacted.value(keySecret)}`)}`

/** White space, lone surrogates, and control and format characters, with those for writing directions, become a space. */
const clean = (text: string): string => text.replace(/[\s\p{C}]+/gu, " ")

/** The character with the number in the first group of an escape; without a number, what the second group holds. */
const character =
  (prefix: string) =>
  (_: string, number?: string, other: string = " "): string =>
    number ? String.fromCodePoint(Number(prefix + number)) : other

/**
 * What decodes a text, one encoding at a time. None makes it longer. Bytes become the characters of Latin-1, and a run of
 * digits may begin within a byte, so it is read from each of its first digits on.
 */
const decoders: ReadonlyArray<readonly [RegExp, (match: string, ...groups: ReadonlyArray<string>) => string]> = [
  // percent-encoding (RFC 3986 §2.1)
  [/%([\da-f]{2})/gi, character("0x")],
  // strings of JSON (RFC 8259 §7)
  [/\\(?:u([\da-f]{4})|[bfnrt]|([^]))/gi, character("0x")],
  // character references of HTML; a name other than that of & stands for neither a letter nor a digit
  [/(?:&#(x[\da-f]{1,5}|\d{1,6})|(&)amp|&\w+);?/gi, character("0")],
  // eight bytes and more in hexadecimal
  ...[0, 1].map(
    (skip) =>
      [/([\da-f]{16,})|[^]/gi, (_: string, run = "") => run.slice(skip).replace(/(..)/g, character("0x"))] as const
  ),
  // the same in base64 and base64url (RFC 4648 §4, §5)
  ...[0, 1, 2, 3].map(
    (skip) =>
      [
        /([\w+/-]{11,})|[^]/g,
        (_: string, run = "") =>
          run.slice(skip).replace(/.{2,4}/g, (four) => atob(four.replace(/-/g, "+").replace(/_/g, "/")))
      ] as const
  )
]

/** The digits of a text in base64, wherever it begins in what is encoded. */
const base64 = (text: string) => ["", "a", "ab"].map((before) => Base64.encode(before + text).slice(3))

/** A text with more readings was made to be hard to read: error pages, stack traces and URLs with tokens have up to 30. */
const most = 128

/**
 * Makes a foreign text (of a response, of an error of a transport) fit for an error message: the first half of `limit`
 * characters, on one line, or none of it if the first `limit` characters may repeat the secret. What follows is not
 * looked at, and never quoted. All work is in proportion to `limit` (docs/decisions/0014-withholding-quotes.md).
 *
 * The text is decoded in every way and as often as it can be, and a window slides over each reading. A window has 7
 * characters: no more digits of base64 are sure to show 8 bytes. In it letter case does not count, white space counts
 * once, and all punctuation is alike: `+` is a space in forms, `-` and `_` are `+` and `/` in base64url. Base64 in another
 * letter case cannot be decoded, hence the windows of the secret in base64, once and twice over.
 */
export const makeQuote = ({ keySecret }: Credentials, limit = 400): ((text: string) => string) => {
  const secret = Redacted.value(keySecret)
  const size = Math.min(7, secret.length)
  const windows = (text: string): ReadonlyArray<string> => {
    const folded = clean(text)
      .toUpperCase()
      .replace(/[^\p{L}\p{N}]/gu, "..")
    return Array.from(folded.slice(size - 1), (_, i) => folded.slice(i, i + size))
  }
  const forms = new Set([secret])
  // also in UTF-8 that was read as Latin-1, up to four times
  for (const form of forms) if (forms.size < 5) forms.add(atob(Base64.encode(form)))
  const secrets = new Set(
    [...forms].flatMap((form) => [form, ...base64(form), ...base64(form).flatMap(base64)]).flatMap(windows)
  )
  return (text) => {
    const readings = new Set([text.slice(0, limit)])
    for (const reading of readings) {
      if (readings.size > most || windows(reading).some((window) => secrets.has(window))) {
        return "(it may repeat the credentials)"
      }
      for (const [pattern, replacement] of decoders) readings.add(reading.replace(pattern, replacement))
    }
    return clean(text.slice(0, limit / 2)).trim() + (text.length > limit / 2 ? "…" : "")
  }
}
