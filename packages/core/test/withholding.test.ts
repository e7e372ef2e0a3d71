import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { makeQuote } from "../src/internal/redaction.ts"
import { encodings, texts } from "./hostile.ts"
import { leaks } from "./leak.ts"
import { printable } from "./Stub.ts"

const quoteOf = (secret: string) => makeQuote({ keyId: "key-id", keySecret: Redacted.make(secret) })
const withheld = "(it may repeat the credentials)"

/** Four kinds of secrets, each with a part that a gateway may quote. */
const secrets = {
  "a token": "cmk_qWvRtYx3ZkLm9PdQsHgJbNaUe8WcTfXo2Ii",
  "letters and spaces": "correct horse battery staple once more",
  "backslashes and percent signs": "a\\b%c\\d%25e\\u0066%g\\\\h%%i\\n",
  "wide characters": "пароль密码ключéßñ字🔑длинный"
}

/** Seven bodies of a gateway that gives a secret back. */
const echoes: Readonly<Record<string, (secret: string) => string>> = {
  "a prefix": (secret) => `Unknown secret ${secret.slice(0, 10)}… is no key of this service`,
  "a prefix 200 times": (secret) => secret.slice(0, 10).repeat(200),
  "escaped JSON": (secret) => JSON.stringify({ error: JSON.stringify(secret) }),
  "percent-encoding twice over": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "HTML entities": (secret) => encodings["in HTML by numbers"](secret),
  "thousands of line breaks and spaces": (secret) => `${"\r\n ".repeat(3000)}${secret}${" \n".repeat(3000)}`,
  "the whole secret in four encodings": (secret) =>
    [
      encodings["in base64"](secret),
      encodings["in hexadecimal"](secret),
      encodeURIComponent(secret),
      encodings["in JSON throughout"](secret)
    ].join(" ")
}

describe("an echo of the secret", () => {
  it.each(
    Object.entries(secrets).flatMap(([kind, secret]) =>
      Object.entries(echoes).map(([echo, body]) => [kind, echo, secret, body(secret)] as const)
    )
  )("of %s is withheld: %s", (_, echo, secret, body) => {
    const quote = quoteOf(secret)(body)
    expect(leaks(secret)(quote)).toEqual([])
    // of blanks nothing is shown but that there is more
    expect(quote).toBe(echo === "thousands of line breaks and spaces" ? "…" : withheld)
  })

  const of = (alphabet: string) =>
    Arbitrary.map(
      Arbitrary.array(Arbitrary.schema(Schema.Literals(Array.from(alphabet))), { minLength: 8, maxLength: 44 }),
      (characters) => characters.join("")
    )
  const alphabets = {
    "of printable characters": printable(8),
    "a token": of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"),
    "of punctuation": of("\\%&#;/+=abcdef0123456789u\"'"),
    "of wide characters": of("пароль密码éßñ字🔑İıſ"),
    "of words": Arbitrary.map(
      Arbitrary.array(Arbitrary.schema(Schema.Literals(["correct", "horse", "a", "I", "battery", "x9", "ö"])), {
        minLength: 5,
        maxLength: 9
      }),
      (words) => words.join(" ")
    )
  }
  for (const [kind, secret] of Object.entries(alphabets)) {
    it.effect.prop(
      `shows no 8 characters of a secret ${kind}, whatever the encodings, letter case and cuts`,
      [Arbitrary.flatMap(secret, (secret) => Arbitrary.map(texts(secret), (text) => ({ secret, text })))],
      ([{ secret, text }]) => Effect.sync(() => expect(leaks(secret)(quoteOf(secret)(text))).toEqual([])),
      { arbitrary: { seed: "cloud-management", runs: 300 } }
    )
  }
})

describe("a text without the secret is quoted", () => {
  it.each([
    "Not here",
    "<html><head><title>503 Service Temporarily Unavailable</title></head><body><h1>503</h1></body></html>",
    '{"timestamp":"2026-11-01T00:00:00.000+00:00","status":404,"error":"Not Found","path":"/v1/organizations"}',
    "connect ECONNREFUSED 127.0.0.1:8080",
    "Unknown key 12345678-1234-1234-1234-123456789012",
    "NOT_FOUND: Key is not found"
  ])("%s", (text) => {
    expect(quoteOf(secrets["a token"])(text)).toBe(text)
  })

  it("on one line, without control characters and those that turn a line around", () => {
    const text = "a\u0000b\r\nc\u202ad\u202be\u202cf\u202dg\u202eh\u2066i\u2067j\u2068k\u2069l\u061cm"
    expect(quoteOf(secrets["a token"])(text)).toBe("a b c d e f g h i j k l m")
  })
})

describe("the work on a text", () => {
  afterEach(() => vi.restoreAllMocks())

  it("does not grow with the text: characters that are replaced in, for 1 kB to 1 MB", () => {
    const replace = Reflect.get(String.prototype, "replace")
    let steps = 0
    vi.spyOn(String.prototype, "replace").mockImplementation(function (this: string, ...args: ReadonlyArray<unknown>) {
      steps += this.length
      return Reflect.apply(replace, this, args)
    })
    const quote = quoteOf(secrets["a token"])
    // what punished the pattern that was here before: parts of the secret, and what its encodings begin with
    for (const unit of ["cmk_qWv", "%25", "&amp;", "\\\\u00", "A", "\r\n\t "]) {
      const work = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((kilobytes) => {
        steps = 0
        quote(unit.repeat(Math.ceil((kilobytes * 1024) / unit.length)))
        return steps
      })
      expect(new Set(work).size, `${unit}: ${work.join(" ")}`).toBe(1)
      expect(work[0]).toBeLessThan(2_000_000)
    }
  })
})
