import { assert, describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Layer, Redacted } from "effect"
import { Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import * as Hostile from "../../client/test/hostile.ts"
import { leaks } from "../../client/test/leak.ts"
import { defect, folder, get, post, responding, text } from "./recorded.ts"

const secret = `s3cr3t "of" the/deploy+key ü`
const base64 = (text: string) => Buffer.from(text).toString("base64")
const signed = (secret: string, request = get("/")) => HttpClientRequest.basicAuth(request, "key-id", secret)
const body = (content: BodyInit, headers: HeadersInit = {}) => responding(() => new Response(content, { headers }))

describe("a secret", () => {
  it.effect.each<[what: string, spelling: string, shown?: string]>([
    ["as it is", secret],
    ["in base64", base64(secret)],
    ["as the header", `Basic ${base64(`key-id:${secret}`)}`],
    ["as credentials", base64(`key-id:${secret}`)],
    ["in percent-encoding", encodeURIComponent(secret)],
    ["in a form", new URLSearchParams([["a", secret]]).toString().slice(2)],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
    // those that cannot be cut out
    ["a part of it", secret.slice(3, 14), "[redacted]"],
    ["base64 in another letter case", base64(secret).toLowerCase(), "[redacted]"],
    ["percent-encoding of base64", encodeURIComponent(base64(`d:${secret}`)).replaceAll("c", "%63"), "[redacted]"]
  ])("is replaced, the rest stays: %s", function* ([, spelling, shown = "the key [redacted] is unknown"]) {
    const { record, replay } = yield* folder
    const sent = (secret: string) => (http: HttpClient.HttpClient) => text(http, signed(secret))
    yield* record(body(JSON.stringify({ error: `the key ${spelling} is unknown`, code: "UNKNOWN" })))(sent(secret))
    expect(JSON.parse(yield* replay()(sent("other credentials")))).toEqual({ error: shown, code: "UNKNOWN" })
  })

  const basic = (user: string, password: string) => `Basic ${base64(`${user}:${password}`)}`
  it.effect.each<[what: string, secret: string, headers?: Record<string, string>, path?: string]>([
    ["a token", "eyJhbGciOiJIUzI1NiJ9.e30.abcdef", { authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.e30.abcdef" }],
    ["a short token", "t0k3n", { authorization: "Bearer t0k3n" }],
    ["a user without a password", "sk_live_0123456789", { authorization: basic("sk_live_0123456789", "") }],
    ["a parameter", "6629fae49393a053", { authorization: 'Digest username="me", response="6629fae49393a053"' }],
    ["a cookie", "0123456789abc", { cookie: "theme=dark; session=0123456789abc" }],
    ["a key of an API", "k-0123456789", { "x-api-key": "k-0123456789" }],
    ["of a proxy", "0123456789", { "proxy-authorization": basic("me", "0123456789") }],
    ["in UTF-16", Buffer.from("0123456789", "utf16le").toString(), { authorization: basic("me", "0123456789") }],
    ["a signature in the URL", "0123456789", {}, "/?X-Amz-Signature=0123456789"],
    ["one that is named", "tok_0123456789", {}, "/hooks/tok_0123456789"],
    ["a cookie that is set", "abcdefghijk"],
    ["a second cookie that is set", "secondsecret"]
  ])("can be %s, whatever else a program withholds", function* ([, secret, headers = {}, path = "/"]) {
    const { record, text: content } = yield* folder
    const set = "id=abcdefghijk; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=secondsecret; HttpOnly, c=short"
    const secrets = [Redacted.make("tok_0123456789")]
    yield* record(body(`not ${secret}, at 07:28:00`, { "set-cookie": set }), {
      secrets,
      matchHeaders: ["authorization"]
    })((http) =>
      Effect.provideService(
        text(http, HttpClientRequest.setHeaders(get(path), headers)),
        Headers.CurrentRedactedNames,
        ["x-session"]
      )
    )
    expect(yield* content).toMatch(/"not \[redacted\], at 07:28:00"|"\[redacted\]"/)
    expect(yield* content).not.toMatch(/0123456789|6629fae|e30\.abc|t0k3n|abcdefghijk|secondsecret|short|base64/)
  })

  it.effect("in the path, the query and the body of a request does not keep it from its recording", function* () {
    const { record, replay, text: content } = yield* folder
    const send = (token: string) => (http: HttpClient.HttpClient) =>
      post(`/keys/${encodeURIComponent(token)}`, { token }).pipe(
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.setUrlParam("tenant", Redacted.make(`${token}-2`)),
        (request) => text(http, request)
      )
    const [first, second] = ["tok_0123456789/abcdef", "tok_fedcba/9876543210"]
    yield* record(body("done"), { matchHeaders: ["authorization"] })(send(first))
    assert.deepStrictEqual([...leaks(first)(yield* content)], [])
    expect(yield* replay({ matchHeaders: ["authorization"] })(send(second))).toBe("done")
  })

  it.effect("that is known only after a request that has it is any text there, and shown nowhere", function* () {
    const { record, replay, text: content } = yield* folder
    const token = "tok_0123456789abcdef"
    /** Exchanges a token for a session, which later requests carry. */
    const session = (secret: string) => (http: HttpClient.HttpClient) =>
      Effect.all([
        text(http, post(`/tokens/id-${secret}/use`, { token: `${secret}!` })),
        text(http, post("/tokens/none/use", { token: "none" })),
        text(http, signed(secret))
      ])
    let count = 0
    yield* record(responding(() => new Response(String(++count))))(session(token))
    assert.deepStrictEqual([...leaks(token)(yield* content)], [])
    expect(yield* content).toContain("/tokens/id-[redacted]/use")
    for (const secret of [token, "another"]) expect(yield* replay()(session(secret))).toEqual(["1", "2", "3"])
    // the recording of another request is left to it
    const none = (http: HttpClient.HttpClient) => text(http, post("/tokens/none/use", { token: "none" }))
    expect(yield* replay()(none)).toBe("2")
    const message = yield* defect(replay()((http) => text(http, post(`/tokens/${token}/use`, { token: [token] }))))
    expect(message).toContain("has no recording left for POST /tokens/[redacted]/use")
    expect(message).toContain('body.json.token: recorded "[redacted]!", sent something else')
    assert.deepStrictEqual([...leaks(token)(message)], [])
  })

  it.effect.each<[what: string, secret: string, content: string]>([
    ["of digits that is a number", "1234567890", '{"code":1234567890}'],
    ["that is ordinary text", "path", "{}"]
  ])("%s cannot be left out: no cassette is written, and the error names the entry", function* ([, secret, content]) {
    const { file, fs, record } = yield* folder
    const message = yield* defect(record(body(content))((http) => text(http, signed(secret, get("/a")))))
    expect(message).toMatch(/was not written: entry 1, GET \/a, would still contain credentials/)
    expect(yield* fs.exists(file)).toBe(false)
  })

  const failing = (message: string) =>
    HttpClient.make((request) => {
      const cause = new Error(message, { cause: Object.assign(new Error("x"), { code: message }) })
      const reason = new HttpClientError.TransportError({ request, description: message, cause })
      return Effect.fail(new HttpClientError.HttpClientError({ reason }))
    })
  const echoes: Readonly<Record<string, (text: string) => Layer.Layer<HttpClient.HttpClient>>> = {
    text: (text) => body(`you sent ${text}`),
    JSON: (text) => body(JSON.stringify({ error: text, list: [text, { text }] })),
    "JSON in JSON": (text) => body(JSON.stringify({ error: JSON.stringify({ text }) })),
    "JSON with white space": (text) => body(JSON.stringify({ text }, null, 4)),
    "the name of a field": (text) => body(JSON.stringify({ [text]: 1 })),
    bytes: (text) => responding(() => new Response(new Blob([Uint8Array.of(0, 1), text]))),
    "a header": (text) => body("", { "x-echo": text.replace(/[^ -~]/g, "") }),
    "an error of the transport": (text) => Layer.succeed(HttpClient.HttpClient, failing(text))
  }
  for (const [where, echo] of Object.entries(echoes)) {
    it.effect.prop(
      `is not in the file when it comes back in ${where}, in any two encodings, in any letter case, cut anywhere`,
      [Hostile.echoes],
      ([{ secret, text: hostile }]) =>
        Effect.gen(function* () {
          const { file, fs, record, text: content } = yield* folder
          const run = record(echo(hostile))((http) => Effect.exit(text(http, signed(secret))))
          const message = yield* defect(run)
          // what cannot be written safely is not written
          if (message !== "no defect") assert.match(message, /was not written/)
          const written = (yield* fs.exists(file)) ? yield* content : ""
          assert.deepStrictEqual([...leaks(secret)(written)], [])
          assert.strictEqual(written === "", message !== "no defect")
        }).pipe(Effect.scoped),
      { arbitrary: { seed: where, runs: 15 } }
    )
  }
})
