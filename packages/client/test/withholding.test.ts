import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { makeRepeats, makeSanitize } from "../src/internal/redaction.ts"
import { cases, encodings, secrets as alphabets, texts } from "./hostile.ts"
import { leaks } from "./leak.ts"
import { seeded } from "./Stub.ts"

const sanitizeOf = (secret: string) => makeSanitize(makeRepeats(secret), "k8s01prod-api.example.com")
const withheld = "(withheld: it may repeat the credentials)"

/** Four kinds of secrets, each with a part that a gateway may quote. */
const secrets = {
  "a token": "cmk_qWvRtYx3ZkLm9PdQsHgJbNaUe8WcTfXo2Ii",
  "letters and spaces": "correct horse battery staple once more",
  "backslashes and percent signs": "a\\b%c\\d%25e\\u0066%g\\\\h%%i\\n",
  "wide characters": "пароль密码ключéßñ字🔑длинный"
}

describe("an echo of the secret", () => {
  for (const [kind, arbitrary] of Object.entries(alphabets)) {
    it.effect.prop(
      `shows no 8 characters of a secret of ${kind}, whatever the encodings, letter case and cuts`,
      [Arbitrary.flatMap(arbitrary, (secret) => Arbitrary.map(texts(secret), (text) => ({ secret, text })))],
      ([{ secret, text }]) =>
        Effect.sync(() => {
          const quoted = sanitizeOf(secret)(text)
          if (quoted !== withheld) expect(leaks(secret)(quoted)).toEqual([])
        }),
      seeded(300)
    )
  }

  it.each(Object.entries(secrets))("of %s is withheld in any two encodings, in any letter case", (_, secret) => {
    const sanitize = sanitizeOf(secret)
    for (const [first, encode] of Object.entries(encodings)) {
      for (const [second, encodeAgain] of Object.entries(encodings)) {
        for (const [letters, change] of Object.entries(cases)) {
          expect(sanitize(change(encodeAgain(encode(secret)))), `${first}, ${second}, ${letters}`).toBe(withheld)
        }
      }
    }
  })

  // without a digit, and with few consonants in a row
  it.each([
    ["after another byte", '("\\K^^,ZF$@', "giXEteXixaRiRA"],
    ["after two bytes", 'Dn\'"\\H"uJn', "EbiciXEgidUpu"],
    ["of a form", "b a  b bb b  ", "SsrYitiYitiKy"]
  ])("in base64 %s that looks like words is withheld", (_, secret, text) => {
    expect(leaks(secret)(text)).not.toEqual([])
    expect(sanitizeOf(secret)(text)).toBe(withheld)
  })

  it("in UTF-8 that was read as Latin-1 is withheld", () => {
    const secret = "aübücüdüeüfügühü"
    const misread = Buffer.from(secret).toString("latin1")
    expect(sanitizeOf(secret)(`unknown secret ${misread}`)).toBe("(withheld: it may repeat the credentials)")
  })

  it("of fewer than 8 characters is not quoted as a whole", () => {
    for (const secret of ["pässwd", "a🔑", "%2", "a    b"]) {
      for (const encode of [encodings["as it is"], encodings["in base64"], encodings["in HTML by numbers"]]) {
        expect(sanitizeOf(secret)(`you sent '${encode(secret)}'`)).toBe(withheld)
      }
    }
  })
})

it.each(["aeiou1aeio", "aeibcdfgae", "aeiouaeiouaeiouae"])(
  "%s is withheld, since it may be the base64 of any text, and one character less is not",
  (text) => {
    const sanitize = sanitizeOf(secrets["a token"])
    expect([sanitize(text), sanitize(text.slice(1))]).toEqual([withheld, text.slice(1)])
  }
)

describe("a text without the secret is quoted", () => {
  it.each([
    "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
    "no healthy upstream",
    '{"message":"no Route matched with those values","request_id":"3ba0f65c1d2e4a79b1c0a86b91e4b13f"}',
    "<html> <head><title>502 Bad Gateway</title></head> <body> <center><h1>502 Bad Gateway</h1></center> <hr><center>nginx/1.25.3</center>",
    '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"> <p>The requested URL was not found on this server.</p>',
    '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1","title":"Bad Request","status":400}',
    '{"path":"/v1/organizations/a0000000-0000-4000-8000-00000000000a/keys"}',
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    '{"timestamp":"2026-11-01T00:00:00.000+00:00","status":404,"error":"Not Found","path":"/v1/organizations"}',
    "connect ECONNREFUSED 127.0.0.1:8080",
    "Unknown key 12345678-1234-1234-1234-123456789012",
    // the name of the service's host, which looks like a secret
    "getaddrinfo ENOTFOUND k8s01prod-api.example.com",
    "Hostname/IP does not match certificate's altnames: Host: k8s01prod-api.example.com. is not in the cert's altnames: DNS:localhost"
  ])("%s", (text) => {
    expect(sanitizeOf(secrets["a token"])(text)).toBe(text)
  })

  it("on one line, without control characters and those that turn a line around", () => {
    const text = "a\u0000b\r\nc\u202ad\u202be\u202cf\u202dg\u202eh\u2066i\u2067j\u2068k\u2069l\u061cm"
    expect(sanitizeOf(secrets["a token"])(text)).toBe("a b c d e f g h i j k l m")
  })
})

it("the work on a text ends after its first 400 characters: a secret behind them is not found, nor shown", () => {
  const secret = secrets["a token"]
  const words = "no such key ".repeat(100)
  const at = (place: number) => sanitizeOf(secret)(words.slice(0, place) + secret + words)
  expect(at(392)).toBe(withheld)
  expect(at(393)).toBe(`${words.slice(0, 200).trim()}…`)
})
