import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { assert, describe, it, vi } from "../../../checks/fixtures/vitest.ts"
import { Effect, Layer, Logger } from "effect"
import type { HttpServerResponse } from "effect/http"
import { document } from "../src/cloud/description.ts"
import { HttpRequest, Service } from "@cloud-management/service"
import { served } from "./Served.ts"

const service = Layer.orDie(served({ corsOrigins: ["https://app.example.com"] }))
const get = Effect.fnUntraced(function* (path: string, headers: Record<string, string> = {}, method = "GET") {
  const { handle } = yield* Service.Service
  return yield* handle(HttpRequest.fromWeb(new Request(`http://service${path}`, { headers, method })))
})
const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse) => {
  assert(body._tag === "Uint8Array")
  return body.body
}
const textOf = (response: HttpServerResponse.HttpServerResponse) => new TextDecoder().decode(bytesOf(response))

it.layer(service)("a document", (it) => {
  it.effect("/openapi.json is the document, for anyone", function* () {
    assert.deepStrictEqual(JSON.parse(textOf(yield* get("/openapi.json"))), JSON.parse(JSON.stringify(document)))
  })

  it.effect("/docs shows the document, runs its own script only, and loads nothing", function* () {
    const response = yield* get("/docs")
    assert.match(response.headers["content-type"] ?? "", /^text\/html/)
    const html = textOf(response)
    const [, spec = ""] = /<script id="swagger-spec" type="application\/json">([^]*?)<\/script>/.exec(html) ?? []
    assert.deepStrictEqual(JSON.parse(spec), JSON.parse(JSON.stringify(document)))

    const policy = new Map(
      (response.headers["content-security-policy"] ?? "").split("; ").map((directive) => {
        const [name = "", ...sources] = directive.split(" ")
        return [name, sources.join(" ")]
      })
    )
    const hash = (pattern: RegExp) => {
      const [, text = ""] = pattern.exec(html) ?? []
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`
    }
    assert.strictEqual(policy.get("default-src"), "'none'")
    assert.strictEqual(policy.get("script-src"), hash(/<script>([^]*?)<\/script>/))
    assert.strictEqual(policy.get("style-src"), hash(/<style>([^]*?)<\/style>/))
    assert.strictEqual(policy.get("connect-src"), "'self'")
  })

  describe.each(["/openapi.json", "/docs"])("%s", (path) => {
    it.effect("is in memory once in each coding, however many are reading it", function* () {
      for (const headers of [{}, { "accept-encoding": "gzip" }]) {
        const [{ body: one }, { body: other }] = [yield* get(path, headers), yield* get(path, headers)]
        assert(one._tag === "Uint8Array" && other._tag === "Uint8Array")
        // of a text, every connection would be sent a copy
        assert.isTrue(one.text === undefined && one.body === other.body)
      }
    })

    it.effect.each(["gzip", "GZIP", "br, gzip;q=0.5", "gzip; q=1.0", "*", "deflate, *;q=0.1"])(
      "is compressed for who accepts %s",
      function* (accepted) {
        const [plain, compressed] = [yield* get(path), yield* get(path, { "accept-encoding": accepted })]
        assert.strictEqual(compressed.headers["content-encoding"], "gzip")
        assert.deepStrictEqual(gunzipSync(bytesOf(compressed)), Buffer.from(bytesOf(plain)))
        assert.isBelow(bytesOf(compressed).length, bytesOf(plain).length / 2)
        assert.strictEqual(compressed.headers["content-type"], plain.headers["content-type"])
        assert.strictEqual(compressed.headers["content-length"], String(bytesOf(compressed).length))
      }
    )

    it.effect.each(["", "identity", "br", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzip;q=0, *", "xgzip", "gzip2"])(
      "is sent as it is to who accepts %j",
      function* (accepted) {
        const { headers } = yield* get(path, { "accept-encoding": accepted })
        assert.isUndefined(headers["content-encoding"])
      }
    )

    it.effect("is not sent again to who has it", function* () {
      const first = yield* get(path, { "accept-encoding": "gzip" })
      const tag = first.headers["etag"] ?? ""
      assert.match(tag, /^W\/"[\w-]{43}"$/)
      assert.strictEqual(first.headers["vary"], "Accept-Encoding, Origin")
      assert.strictEqual(first.headers["cache-control"], "no-cache")
      for (const method of ["GET", "HEAD"]) {
        for (const held of [tag, tag.slice(2), `"x", ${tag}`, "*"]) {
          const { body, headers, status } = yield* get(path, { "if-none-match": held }, method)
          assert.strictEqual(status, 304, held)
          assert.strictEqual(body._tag, "Empty")
          const kept = ["etag", "vary", "cache-control", "content-security-policy"]
          assert.deepStrictEqual(
            kept.map((name) => headers[name]),
            kept.map((name) => first.headers[name])
          )
        }
      }
      for (const held of ["", '"x"', tag.toUpperCase(), tag.replaceAll('"', "")]) {
        assert.strictEqual((yield* get(path, { "if-none-match": held })).status, 200, held)
      }
    })
  })
})

it.effect.each(["/openapi.json", "/docs"])(
  "%s that cannot be made is made for a later request: the first failure does not last",
  function* (path) {
    const full = () => {
      throw new Error("EMFILE: too many open files")
    }
    const digest = vi.spyOn(crypto.subtle, "digest").mockImplementationOnce(full)
    const stream = vi.spyOn(Blob.prototype, "stream").mockImplementationOnce(full)
    yield* Effect.addFinalizer(() => Effect.sync(() => [digest, stream].forEach((spy) => spy.mockRestore())))
    const gzip = { "accept-encoding": "gzip" }
    const asked = Effect.forEach([{}, {}, gzip, gzip], (headers) => get(path, headers))
    const responses = yield* Effect.provide(asked, [Layer.fresh(service), Logger.layer([])])
    assert.deepStrictEqual(
      responses.map(({ status }) => status),
      [500, 200, 500, 200]
    )
  }
)
