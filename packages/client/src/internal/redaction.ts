import type * as Fiber from "effect/Fiber"
import * as Record from "effect/Record"
import * as Headers from "effect/http/Headers"

/** A character for each byte of UTF-8. */
export const octets = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("")

/** Base64 of UTF-8 (RFC 4648 §4). Effect's module would bring its decoder into a page. */
export const base64 = (text: string): string => btoa(octets(text))

/** The value of the header `authorization` (RFC 7617). */
export const authorization = (keyId: string, secret: string): string => `Basic ${base64(`${keyId}:${secret}`)}`

/** White space, lone surrogates, and control and format characters, with those for writing directions, become a space. */
const clean = (text: string): string => text.replace(/[\s\p{C}]+/gu, " ")

/**
 * Signs that a text can hide another: characters other than those of printable ASCII, escapes of JSON (RFC 8259 §7), URLs
 * (RFC 3986 §2.1) and HTML, and hexadecimal that spells 8 characters of UTF-8. Half of one with 4 bytes counts as one.
 */
const hidden = /[^ -~…]|\\|%[\da-f]|&[#\w]|(([2-7]|[c-f][\da-f][89ab]([\da-f][89ab])?|[89ab][\da-f][89ab])[\da-f]){8}/i

/** Words, paths, names of codes and times do not have it; base64 in any letter case soon does. */
const jumbled = /\d[a-su-z]|[bcdf-hj-np-tv-xz]{5}|[a-z]{17}/i

/** Whether a text repeats a part of a secret. */
export type Repeats = (text: string) => boolean

/**
 * Looks for a secret in plain words. A window of 8 characters slides over a text, and is looked up among those of the
 * secret, plain and in base64. In it neither letter case nor the kind of punctuation counts: `+` is a space in forms, `-`
 * and `_` are `+` and `/` in base64url.
 */
export const makeRepeats = (secret: string): Repeats => {
  const size = Math.min(8, clean(secret).length)
  const windows = (text: string): ReadonlyArray<string> => {
    const folded = text.toUpperCase().replace(/[^A-Z\d]/g, ".")
    return Array.from(folded.slice(size - 1), (_, i) => folded.slice(i, i + size))
  }
  // wherever it begins in what is encoded
  const shifted = (text: string) => ["", "a", "ab"].map((before) => base64(before + text))
  const make = () => {
    const json = JSON.stringify(secret)
    // most tokens are spelled the same in all of these
    const spelled = /[^\w.-]/.test(secret)
      ? [encodeURIComponent(secret), `${new URLSearchParams({ "": secret })}`, json, json.replace(/\//g, "\\/")]
      : []
    const once = [secret, ...spelled].flatMap(shifted)
    return new Set([secret, clean(secret), ...once, ...once.flatMap(shifted)].flatMap(windows))
  }
  // made when a text is first searched: it takes longer than all else that makes a client
  let made: ReadonlySet<string> | undefined
  return (text) => {
    const secrets = (made ??= make())
    return windows(text).some((window) => secrets.has(window))
  }
}

/**
 * Makes a foreign text fit for an error message. `isOurs`: of a text that only quotes names, such as the message of a
 * schema.
 */
export type Sanitize = (text: string, isOurs?: boolean) => string

/**
 * Makes a foreign text (of a response, of an error of a transport) fit for an error message: the first half of `limit`
 * characters, on one line, or none of it if the first `limit` characters may repeat a secret. What follows is not
 * looked at, and never quoted (docs/decisions/0014-withholding-quotes.md).
 *
 * Only plain words are quoted, since every encoding of an encoding cannot be decoded once its letter case has changed:
 * no escape, and nothing of the length of 8 bytes in base64 that is jumbled, but for UUIDs and other hexadecimal, and the
 * name of the service's `host`. `isOurs`: of a text that only quotes names, which are quoted unless they repeat a secret.
 */
export const makeSanitize =
  (repeats: Repeats, host: string, limit = 400): Sanitize =>
  (text, isOurs = false) => {
    const start = clean(text.slice(0, limit))
    const runs = start
      .replaceAll(host, " ")
      .replace(/[\da-f-]{9,}/gi, " ")
      .split(/[^\w+/-]/)
    return (!isOurs && (hidden.test(start) || runs.some((run) => run.length > 9 && jumbled.test(run)))) ||
      repeats(start)
      ? "(withheld: it may repeat the credentials)"
      : start.slice(0, limit / 2).trim() + (text.length > limit / 2 ? "…" : "")
  }

/**
 * The headers of a response, fit for an error: without the values of those that are redacted wherever requests are shown,
 * such as cookies (`CurrentRedactedNames` of Effect).
 */
export const headers = (
  headers: Headers.Headers,
  fiber: Fiber.Fiber<unknown, unknown>,
  sanitize: Sanitize
): Readonly<Record<string, string>> =>
  Record.map(Headers.redact(headers, fiber.getRef(Headers.CurrentRedactedNames)), (value) =>
    typeof value === "string" ? sanitize(value) : "<redacted>"
  )
