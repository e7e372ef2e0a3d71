import * as Redacted from "effect/Redacted"
import * as Base64 from "effect/encoding/Base64"
import type { Credentials } from "../Credentials.ts"

/** How much of a foreign text is quoted. */
const limit = 200

/** What must never show: the secret, and the forms in which it travels. */
export const authorization = ({ keyId, keySecret }: Credentials): string =>
  `Basic ${Base64.encode(`${keyId}:${Redacted.value(keySecret)}`)}`

const hex = (code: number, digits = 1) => code.toString(16).padStart(digits, "0")
const entities: Readonly<Record<string, string>> = { '"': "quot", "&": "amp", "'": "apos", "<": "lt", ">": "gt" }

/** White space, of which any may stand for any other, in the ways of {@link spelled}. */
const space =
  "(?:[\\s\\p{Cc}+]|%(?:25)*[02][09ad]|\\\\{1,4}(?:[nrt]|u00[02][09ad])|&(?:amp;)*(?:nbsp|#0*(?:9|1[03]|32)|#x0*(?:[9ad]|20));)+"

/**
 * The pattern of one character, as it stands, in UTF-8 read as Latin-1 (which is how a header comes), percent-encoded
 * (RFC 3986 §2.1), escaped in a JSON string (RFC 8259 §7) or as an entity of HTML, the last three also twice over. No
 * part of it matches one text in two ways, so that a search takes linear time.
 */
const spelled = (character: string): string => {
  if (character === " ") return space
  const code = character.codePointAt(0) ?? 0
  const units = character.split("").map((unit) => `\\\\{1,4}u${hex(unit.charCodeAt(0), 4)}`)
  const utf8 = Array.from(new TextEncoder().encode(character), (byte) => hex(byte, 2))
  const bytes = utf8.map((byte) => `%(?:25)*${byte}`)
  const names = [`#0*${code}`, `#x0*${hex(code)}`, entities[character] ?? []].flat()
  const latin1 = utf8.map((byte) => `\\u{${byte}}`)
  const ways = [latin1, units, bytes].map((parts) => parts.join(""))
  return `(?:\\\\{0,3}\\u{${hex(code)}}|${ways.join("|")}|&(?:amp;)*(?:${names.join("|")});)`
}

/** The pattern of a text in base64 or base64url (RFC 4648 §4, §5). Padding is not always written, and tells nothing. */
const encoded = (text: string): string =>
  Base64.encode(text)
    .replace(/=+$/, "")
    .replaceAll("+", "(?:[+-]|%(?:25)*2b)")
    .replaceAll("/", "(?:\\\\?[/_]|%(?:25)*2f)")

/**
 * Makes a text that came from outside (a response, an error of a transport) fit for an error message: without the
 * secret in any usual spelling, on one line, bounded. It is cut last, so that no part of a secret is left at the end.
 */
export const makeQuote = ({ keyId, keySecret }: Credentials): ((text: string) => string) => {
  const secret = Redacted.value(keySecret)
  // spaces are folded in a quote, and around a word in most pages
  const raw = secret.replace(/ +/g, " ").replace(/^ | $/g, "")
  const forms = [
    encoded(`${keyId}:${secret}`),
    encoded(secret),
    ...(raw === "" ? [] : [Array.from(raw, spelled).join("")])
  ]
  // letter case does not matter: hexadecimal digits, hosts and headers are written in both
  const pattern = new RegExp(forms.join("|"), "giu")
  return (text) => {
    const clean = text
      .replace(pattern, "<redacted>")
      .replace(/[\u0000-\u0020\u007f-\u009f\u2028\u2029]+/g, " ")
      .trim()
    return clean.length > limit ? `${clean.slice(0, limit)}…` : clean
  }
}
