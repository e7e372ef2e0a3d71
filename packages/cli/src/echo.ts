import { Buffer } from "node:buffer"
import * as Redacted from "effect/Redacted"
import type { Basic } from "@cloud-management/core/Credentials"

const hex = (text: string) => Buffer.from(text).toString("hex")
const each = (encode: (code: number) => string) => (text: string) =>
  Array.from(text, (character) => encode(character.codePointAt(0) ?? 0)).join("")
/** The digits that are certain when so many other bytes stand before the text. */
const base64 = (before: number) => (text: string) => {
  const bytes = Buffer.from("..".slice(0, before) + text)
  return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** How a text can be spelled. */
const spellings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  base64(0),
  base64(1),
  base64(2),
  hex,
  encodeURIComponent,
  (text) => new URLSearchParams([["", text]]).toString().slice(1),
  (text) => hex(text).replace(/../g, "%$&"),
  (text) => JSON.stringify(text).slice(1, -1),
  each((code) => `\\u${code.toString(16).padStart(4, "0")}`),
  each((code) => `&#${code};`),
  each((code) => `&#x${code.toString(16)};`),
  (text) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character),
  (text) => Buffer.from(text).toString("latin1")
]
const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]))
const spell = (text: string) => spellings.map((spelling) => spelling(text))

const character = (radix: number) => (escape: string, digits: string) => {
  const code = parseInt(digits, radix)
  return code > 0x10ffff ? escape : String.fromCodePoint(code)
}
/** A text without the escapes of URLs, JSON, JavaScript and HTML. */
const decode = (text: string) =>
  text
    .replace(/(%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())
    .replace(/\\(["'\\/])/g, "$1")
    .replace(/\\u([\da-f]{4})/gi, character(16))
    .replace(/\\x([\da-f]{2})/gi, character(16))
    .replace(/&#x0*([\da-f]{1,6});?/gi, character(16))
    .replace(/&#0*(\d{1,7});?/g, character(10))
    .replace(/&apos;/gi, "'")
    .replace(/&(amp|lt|gt|quot);/gi, (entity) => characters.get(entity.toLowerCase()) ?? entity)
const fold = (text: string) => text.toLowerCase().replaceAll("-", "+").replaceAll("_", "/")

/**
 * Finds 8 characters of the secret in a value before it is shown, in any letter case and in the usual encodings,
 * applied once or twice. An encoder may escape only punctuation, so escapes in the value are also decoded, once and
 * twice. The client's errors contain no secret, but successful responses are shown unchanged.
 */
export const finder = ({ keySecret }: Basic): ((value: unknown) => boolean) => {
  const secret = Redacted.value(keySecret)
  const runs = Array.from({ length: Math.max(0, secret.length - 7) }, (_, i) => secret.slice(i, i + 8))
  /** By how they begin, so that one pass over a text finds them all. */
  const needles = new Map<string, Set<string>>()
  for (const run of runs.filter((run) => run.trim() !== "" && !/\p{Surrogate}/u.test(run))) {
    for (const needle of spell(run).flatMap(spell).map(fold)) {
      const start = needle.slice(0, 8)
      needles.set(start, (needles.get(start) ?? new Set()).add(needle))
    }
  }
  const isIn = (text: string) =>
    Array.from({ length: text.length }, (_, i) => i).some((i) =>
      [...(needles.get(text.slice(i, i + 8)) ?? [])].some((needle) => text.startsWith(needle, i))
    )
  return (value) => {
    let found = false
    JSON.stringify(value, (_, part: unknown) => {
      if (!found && typeof part === "string") {
        const once = decode(part)
        found = [...new Set([part, once, decode(once)])].some((text) => isIn(fold(text)))
      }
      return part
    })
    return found
  }
}
