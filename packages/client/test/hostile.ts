/** Texts that give a secret back, made by whoever means to get it past the client, or to keep the client busy. */
import { Arbitrary, Schema, Struct } from "effect"
import { printable } from "./Stub.ts"

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const bytes = (text: string) => Array.from(Buffer.from(text))
const units = (text: string) => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)

/** The encodings, those of only what needs it and those of every character. */
export const encodings = {
  "as it is": (text: string) => text,
  "in base64": (text: string) => Buffer.from(text).toString("base64"),
  "in base64 without padding": (text: string) => Buffer.from(text).toString("base64").replaceAll("=", ""),
  "in base64url": (text: string) => Buffer.from(text).toString("base64url"),
  "in base64 after another byte": (text: string) => Buffer.from(`:${text}`).toString("base64"),
  "in base64 after two bytes": (text: string) => Buffer.from(`d:${text}`).toString("base64url"),
  "in hexadecimal": (text: string) => Buffer.from(text).toString("hex"),
  "in percent-encoding": (text: string) => encodeURIComponent(text.toWellFormed()),
  "in percent-encoding of a form": (text: string) => new URLSearchParams([["a", text]]).toString().slice(2),
  "in percent-encoding throughout": (text: string) =>
    bytes(text)
      .map((byte) => `%${hex(byte, 2)}`)
      .join(""),
  "in JSON": (text: string) => JSON.stringify(text).slice(1, -1),
  "in JSON with every slash": (text: string) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "in JSON of ASCII": (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -;=?-~]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
  "in JSON throughout": (text: string) =>
    units(text)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(""),
  "in HTML": (text: string) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  "in HTML by numbers": (text: string) =>
    points(text)
      .map((point) => `&#${point};`)
      .join(""),
  "in HTML by hexadecimal numbers": (text: string) =>
    points(text)
      .map((point) => `&#x${hex(point, 2)};`)
      .join(""),
  "in UTF-8 read as Latin-1": (text: string) => Buffer.from(text).toString("latin1")
}
export type Encoding = keyof typeof encodings
const literals = Schema.Literals(Object.keys(encodings) as Array<Encoding>)

export const cases = {
  "as it is": (text: string) => text,
  "in lower case": (text: string) => text.toLowerCase(),
  "in upper case": (text: string) => text.toUpperCase(),
  "in alternating case": (text: string) =>
    text.replace(/../g, (two) => two.charAt(0).toLowerCase() + two.charAt(1).toUpperCase())
}

const of = (alphabet: string) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Literals(Array.from(alphabet))), { minLength: 8, maxLength: 44 }),
    (characters) => characters.join("")
  )

/** Secrets of 8 characters and more, by what they are made of. */
export const secrets = {
  "printable characters": printable(8),
  "the characters of a token": of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"),
  punctuation: of("\\%&#;/+=abcdef0123456789u\"'"),
  "wide characters": of("пароль密码éßñ字🔑İıſ"),
  blanks: Arbitrary.map(of("ab   "), (text) => text.trim().padEnd(8, "k")),
  words: Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Literals(["correct", "horse", "a", "I", "battery", "x9", "ö"])), {
      minLength: 5,
      maxLength: 9
    }),
    (words) => words.join(" ")
  )
}

/** Text before and after: nothing, words, a page, what is begun and not ended, and what would take long to search. */
const surroundings = [
  ["", ""],
  ["Unknown secret ", "… is no key of this service"],
  ['{"error":"', '"}'],
  ["<h1>Not here</h1><pre>", "</pre>"],
  ["Basic ", ""],
  ["%", "%4"],
  ["\\", "\\u00"],
  ["&#", "&#x"],
  ["abc", "def"],
  ["\r\n \t".repeat(40), "\n".repeat(3000)],
  ["%25".repeat(30), "%"],
  ["&amp;".repeat(20), "amp;"],
  ["\\".repeat(120), "\\"],
  ["A".repeat(150), "=="]
] as const

export const texts = (secret: string): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(
    Arbitrary.schema(
      Schema.Struct({
        first: literals,
        second: literals,
        letters: Schema.Literals(Object.keys(cases) as Array<keyof typeof cases>),
        what: Schema.Literals(["the secret", "the credentials", "a part", "a near miss", "many times"]),
        from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
        to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
        isCutBefore: Schema.Boolean,
        isCutAfter: Schema.Boolean,
        around: Schema.Literals(surroundings.map((_, i) => i))
      })
    ),
    ({ around, first, from, isCutAfter, isCutBefore, letters, second, to, what }) => {
      const [before, after] = surroundings[around] ?? ["", ""]
      const part = {
        "the secret": secret,
        "the credentials": `key-id:${secret}`,
        "a part": secret.slice(from % secret.length, (from % secret.length) + to),
        "a near miss": Array.from(secret, (character, i) => (i % 8 === 7 ? "~" : character)).join(""),
        "many times": secret.slice(0, 8 + to).repeat(20)
      }[what]
      const encoded = cases[letters](encodings[second](encodings[first](part)))
      return before + encoded.slice(isCutBefore ? from : 0, encoded.length - (isCutAfter ? to : 0)) + after
    }
  )

export const echoes: Arbitrary.Arbitrary<{ readonly secret: string; readonly text: string }> = Arbitrary.flatMap(
  Arbitrary.schema(Schema.Literals(Struct.keys(secrets))),
  (kind) => Arbitrary.flatMap(secrets[kind], (secret) => Arbitrary.map(texts(secret), (text) => ({ secret, text })))
)
