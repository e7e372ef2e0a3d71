import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import { document } from "@cloud-management/service/OpenApiDocument"
import * as Service from "@cloud-management/service/Service"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

it.layer(InMemoryTransport.layer(Fixtures.seed).pipe(Layer.orDie))("documentation", (it) => {
  it.effect("/openapi.json is the document, for anyone", () =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get("https://api.example.com/openapi.json")
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(yield* response.json, JSON.parse(JSON.stringify(document)))
    })
  )

  it.effect("/docs shows the document, runs its own script only, and loads nothing", () =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get("https://api.example.com/docs")
      assert.strictEqual(response.status, 200)
      assert.match(response.headers["content-type"] ?? "", /^text\/html/)
      const html = yield* response.text
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
  )
})

it.effect.each(["/openapi.json", "/docs"])("%s is in memory once, however many are reading it", (path) =>
  Effect.gen(function* () {
    const { app } = yield* Service.Service
    const request = HttpServerRequest.fromWeb(new Request(`http://service${path}`))
    const get = Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
    const [{ body: one }, { body: other }] = [yield* get, yield* get]
    assert(one._tag === "Uint8Array" && other._tag === "Uint8Array")
    // of a text, every connection would be sent a copy
    assert.isTrue(one.text === undefined && one.body === other.body)
  }).pipe(
    Effect.provide(Service.layer().pipe(Layer.provide(MemoryStore.layer), Layer.provide(SecureRandom.layerWebCrypto)))
  )
)
