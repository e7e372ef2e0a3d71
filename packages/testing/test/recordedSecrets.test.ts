import { assert, describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Hostile from "../../client/test/hostile.ts"
import { leaks } from "../../client/test/leak.ts"
import { answering, folder, offline, post as postTo, using } from "./recorded.ts"

const origin = "http://service.example"
const get = (http: HttpClient.HttpClient, secret: string, path = "/") =>
  http.execute(HttpClientRequest.get(origin + path).pipe(HttpClientRequest.basicAuth("key-id", secret)))
const read = (http: HttpClient.HttpClient, secret: string, path?: string) =>
  Effect.flatMap(get(http, secret, path), ({ arrayBuffer }) => arrayBuffer)

const failing = (message: string) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({
            request,
            description: message,
            cause: new Error(message, { cause: Object.assign(new Error("x"), { code: message }) })
          })
        })
      )
    )
  )
const body = (text: string) => answering(() => new Response(text))
/** What a cassette says of a request. */
const recorded = Effect.fnUntraced(function* (
  transport: Layer.Layer<HttpClient.HttpClient>,
  request: (http: HttpClient.HttpClient) => ReturnType<typeof get> = (http) => http.get(origin),
  matchHeaders: ReadonlyArray<string> = []
) {
  const { record, text } = yield* folder
  yield* record(transport, { matchHeaders })((http) => Effect.flatMap(request(http), ({ text }) => text))
  return yield* text
})

const secret = `s3cr3t "of" the/deploy+key ü`
const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("a secret that is spelled out", () => {
  it.effect.each([
    ["as it is", secret],
    ["in base64", base64(secret)],
    ["as the header", `Basic ${base64(`key-id:${secret}`)}`],
    ["as credentials", base64(`key-id:${secret}`)],
    ["in percent-encoding", encodeURIComponent(secret)],
    ["in a form", new URLSearchParams([["a", secret]]).toString().slice(2)],
    ["in JSON", JSON.stringify(secret).slice(1, -1)]
  ])("is replaced, and the text around it stays: %s", ([, spelling]) =>
    Effect.gen(function* () {
      const { file, read: cassette } = yield* folder
      const run = (transport: Layer.Layer<HttpClient.HttpClient>, mode: "record" | "replay", secret: string) =>
        using(transport, { file, mode })((http) => Effect.flatMap(get(http, secret), ({ text }) => text))
      const text = `the key ${spelling} is unknown`
      expect(yield* run(body(text), "record", secret)).toBe(text)
      expect(yield* cassette).toMatchObject({
        entries: [{ response: { body: { text: "the key [redacted] is unknown" } } }]
      })
      expect(yield* run(offline, "replay", "other credentials")).toBe("the key [redacted] is unknown")
    })
  )

  it.effect.each([
    ["a part of it", secret.slice(3, 14)],
    ["base64 in another letter case", base64(secret).toLowerCase()],
    ["percent-encoding of base64", encodeURIComponent(base64(`d:${secret}`)).replaceAll("c", "%63")]
  ])("is replaced with the whole text if it cannot be cut out: %s", ([, spelling]) =>
    Effect.gen(function* () {
      const { read: cassette, record } = yield* folder
      const echo = body(JSON.stringify({ error: `the key ${spelling} is unknown`, code: "UNKNOWN" }))
      yield* record(echo)((http) => read(http, secret))
      expect(yield* cassette).toMatchObject({
        entries: [{ response: { body: { json: { error: "[redacted]", code: "UNKNOWN" } } } }]
      })
    })
  )

  it.effect("is replaced in the path, the query and the body of a request too, which other credentials find", () =>
    Effect.gen(function* () {
      const { record, replay, text: content } = yield* folder
      const send = (secret: string) => (http: HttpClient.HttpClient) =>
        Effect.flatMap(
          http.execute(
            HttpClientRequest.post(
              `${origin}/keys/${encodeURIComponent(secret)}?secret=${encodeURIComponent(secret)}`
            ).pipe(HttpClientRequest.bearerToken(secret), HttpClientRequest.bodyJsonUnsafe({ secret, name: "deploy" }))
          ),
          ({ text }) => text
        )
      const [first, second] = ["tok_0123456789/abcdef", "tok_fedcba/9876543210"]
      yield* record(body("done"), { matchHeaders: ["authorization"] })(send(first))
      assert.deepStrictEqual([...leaks(first)(yield* content)], [])
      expect(yield* replay({ matchHeaders: ["authorization"] })(send(second))).toBe("done")
    })
  )

  describe("and is known only after a request that has it", () => {
    const token = "tok_0123456789abcdef"
    const post = (http: HttpClient.HttpClient, path: string, value: object) => postTo(http, origin + path, value)
    /** Exchanges a token for a session, which later requests carry. */
    const session = (secret: string) => (http: HttpClient.HttpClient) =>
      Effect.gen(function* () {
        const first = yield* post(http, `/tokens/id-${secret}/use`, { token: `${secret}!`, name: "deploy" })
        return [first, yield* Effect.flatMap(get(http, secret), ({ text }) => text)]
      })

    it.effect("does not keep that request from its recording", () =>
      Effect.gen(function* () {
        const { record, replay, text: content } = yield* folder
        yield* record(body("done"))(session(token))
        assert.deepStrictEqual([...leaks(token)(yield* content)], [])
        expect(yield* content).toContain("/tokens/id-[redacted]/use")
        for (const secret of [token, "another"]) {
          expect(yield* replay()(session(secret))).toEqual(["done", "done"])
        }
      })
    )

    it.effect("is not shown where a request has no recording", () =>
      Effect.gen(function* () {
        const { record, replay } = yield* folder
        yield* record(body("done"))(session(token))
        for (const [path, value] of [
          [`/tokens/other-${token}/use`, { token: `${token}?`, name: "deploy" }],
          [`/tokens/id-${token}/use/now`, { token: [token], name: "deploy" }]
        ] as const) {
          const exit = yield* Effect.exit(replay()((http) => post(http, path, value)))
          const message = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
          expect(message).toContain("has no recording left for POST /tokens/[redacted]/use")
          expect(message).toMatch(/body\.json\.token: recorded "\[redacted\]!", sent something else/)
          assert.deepStrictEqual([...leaks(token)(message)], [])
        }
      })
    )

    it.effect("leaves the recordings of other requests to them, and parts of a path apart", () =>
      Effect.gen(function* () {
        const { record, replay } = yield* folder
        let count = 0
        const counting = answering(() => new Response(String(++count)))
        yield* record(counting)((http) =>
          Effect.all([post(http, `/tokens/${token}`, {}), post(http, "/tokens/none", {}), read(http, token)])
        )
        yield* replay()((http) =>
          Effect.gen(function* () {
            const exit = yield* Effect.exit(post(http, "/tokens/a/b", {}))
            expect(Exit.isFailure(exit)).toBe(true)
            expect(yield* post(http, "/tokens/none", {})).toBe("2")
            expect(yield* post(http, "/tokens/other", {})).toBe("1")
          })
        )
      })
    )
  })

  it.effect.each<[what: string, headers: Record<string, string>, secret: string]>([
    ["a token", { authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.e30.abcdef" }, "eyJhbGciOiJIUzI1NiJ9.e30.abcdef"],
    ["a short token", { authorization: "Bearer t0k3n" }, "t0k3n"],
    ["a user without a password", { authorization: `Basic ${base64("sk_live_0123456789:")}` }, "sk_live_0123456789"],
    ["parameters", { authorization: 'Digest username="me", response="6629fae49393a053"' }, "6629fae49393a053"],
    ["a cookie", { cookie: "theme=dark; session=0123456789abc" }, "0123456789abc"],
    ["a key of an API", { "x-api-key": "k-0123456789" }, "k-0123456789"],
    ["credentials of a proxy", { "proxy-authorization": `Basic ${base64("me:0123456789")}` }, "0123456789"]
  ])("can be %s", ([, headers, secret]) =>
    Effect.gen(function* () {
      const content = yield* recorded(body(`not ${secret}`), (http) => http.get(origin, { headers }))
      expect(content).toContain('"not [redacted]"')
    })
  )

  it.effect("can be a cookie of a response that the transport refuses", () =>
    Effect.gen(function* () {
      const { record, replay, text: content } = yield* folder
      const refusing = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, HttpClient.filterStatusOk)
      ).pipe(
        Layer.provide(
          answering(() => new Response("", { status: 403, headers: { "set-cookie": "id=abcdefghijk; Path=/" } }))
        )
      )
      const call = (http: HttpClient.HttpClient) => Effect.flip(http.get(origin))
      const recorded = yield* record(refusing)(call)
      expect(yield* content).not.toContain("abcdefghijk")
      const replayed = yield* replay()(call)
      expect([replayed.reason._tag, replayed.response?.status]).toEqual(["StatusCodeError", 403])
      expect(replayed.message).toBe(recorded.message)
    })
  )

  it.effect("can be a cookie that the service sets, or a signature in the URL", () =>
    Effect.gen(function* () {
      const { record, text: content } = yield* folder
      const setting = answering(() => new Response("", { headers: { "set-cookie": "id=abcdefghijk; Path=/accounts" } }))
      yield* record(setting)((http) =>
        Effect.all([http.get(`${origin}/accounts?X-Amz-Signature=0123456789`), http.get(`${origin}/abcdefghijk`)])
      )
      expect(yield* content).not.toMatch(/abcdefghijk|0123456789/)
      expect(yield* content).toContain("/accounts")
    })
  )
})

describe("headers that hold secrets", () => {
  it.effect("can set several cookies, which are not written, nor what repeats them", () =>
    Effect.gen(function* () {
      const set = "a=firstsecret1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=secondsecret2; HttpOnly, c=short"
      const content = yield* recorded(
        answering(() => new Response("as secondsecret2, at 07:28:00", { headers: { "set-cookie": set } }))
      )
      expect(content).not.toMatch(/firstsecret1|secondsecret2|short/)
      expect(content).toContain("at 07:28:00")
    })
  )

  it.effect("can be several of one name", () =>
    Effect.gen(function* () {
      const cookies = ["a=firstsecret1; Path=/", "b=secondsecret2"]
      const headers = cookies.map((cookie): [string, string] => ["set-cookie", cookie])
      const content = yield* recorded(answering(() => new Response("firstsecret1 and secondsecret2", { headers })))
      expect(content).toContain("[redacted] and [redacted]")
    })
  )

  it.effect("hold them whatever else a program withholds", () =>
    Effect.gen(function* () {
      const transport = body(`the key ${secret} is unknown`)
      const content = yield* recorded(transport, (http) => get(http, secret), ["authorization"]).pipe(
        Effect.provideService(Headers.CurrentRedactedNames, ["x-session"])
      )
      expect(content).toContain("the key [redacted] is unknown")
      expect(content).not.toContain(base64(`key-id:${secret}`))
    })
  )
})

describe("a cassette that would still contain credentials", () => {
  it.effect("is not written, and the error names the entry", () =>
    Effect.gen(function* () {
      const { file, fs } = yield* folder
      const exit = yield* Effect.exit(
        using(body('{"code":1234567890}'), { file, mode: "record" })((http) =>
          Effect.andThen(read(http, "1234567890", "/a"), read(http, "1234567890", "/b"))
        )
      )
      const message = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      expect(message).toMatch(/NotWritten: .* was not written: entry 1, GET \/a, would still contain credentials/)
      expect(message).not.toContain("1234567890")
      expect(yield* fs.exists(file)).toBe(false)
    })
  )

  it.effect("is not written for a short secret that is ordinary text", () =>
    Effect.gen(function* () {
      const { file, fs } = yield* folder
      const exit = yield* Effect.exit(using(body("{}"), { file, mode: "record" })((http) => read(http, "path")))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("NotWritten")
      expect(yield* fs.exists(file)).toBe(false)
    })
  )
})

/** The places where a text can come back. */
const echoes: Readonly<Record<string, (text: string) => Layer.Layer<HttpClient.HttpClient>>> = {
  text: (text) => body(`you sent ${text}`),
  JSON: (text) => body(JSON.stringify({ error: text, list: [text, { text }] })),
  "JSON in JSON": (text) => body(JSON.stringify({ error: JSON.stringify({ text }) })),
  "JSON with white space": (text) => body(JSON.stringify({ text }, null, 4)),
  "the name of a field": (text) => body(JSON.stringify({ [text]: 1 })),
  bytes: (text) => answering(() => new Response(new Blob([Uint8Array.of(0, 1), text]))),
  "a header": (text) => answering(() => new Response("", { headers: { "x-echo": text.replace(/[^ -~]/g, "") } })),
  "an error of the transport": failing
}

describe("the secret of a request is not in the file", () => {
  for (const [where, echo] of Object.entries(echoes)) {
    it.effect.prop(
      `when it comes back in ${where}, in any two encodings, in any letter case, cut anywhere`,
      [Hostile.echoes],
      ([{ secret, text }]) =>
        Effect.gen(function* () {
          const { file, fs, record, text: content } = yield* folder
          const exit = yield* Effect.exit(record(echo(text))((http) => Effect.exit(read(http, secret))))
          if (Exit.isFailure(exit)) {
            // what cannot be written safely is not written
            assert.match(Cause.pretty(exit.cause), /NotWritten/)
            assert.isFalse(yield* fs.exists(file))
          } else {
            assert.deepStrictEqual([...leaks(secret)(yield* content)], [])
          }
        }).pipe(Effect.scoped),
      { arbitrary: { seed: where, runs: 15 }, timeout: 60_000 }
    )
  }
})
