/**
 * `npx node examples/browser-proxy/main.ts`: a page, its proxy, and in the place of the real service the service's own web
 * handler, in memory. It needs no network and no key.
 */
import { FetchTransport } from "@cloud-management/browser"
import { CloudManagement, Credentials } from "@cloud-management/core"
import { CloudService, WebHandler } from "@cloud-management/service"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient, HttpRouter, HttpServerResponse } from "effect/http"
import { build } from "esbuild"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { routes } from "./proxy.ts"

const html = Effect.promise(() => readFile(join(import.meta.dirname, "page.html"), "utf8"))
const script = Effect.promise(async () => {
  const entry = join(import.meta.dirname, "page.ts")
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, minify: true, format: "esm", write: false })
  return outputFiles[0]?.text ?? ""
})

/** Nothing runs, and nothing is asked, that is not of this origin. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const [text, js] = yield* Effect.all([html, script])
    const headers = { "content-security-policy": policy, "x-content-type-options": "nosniff" }
    yield* router.add("GET", "/", HttpServerResponse.html(text).pipe(HttpServerResponse.setHeaders(headers)))
    yield* router.add("GET", "/page.js", HttpServerResponse.text(js, { contentType: "text/javascript", headers }))
  })
)

/** For a real service: `CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))`. */
const { handler } = WebHandler.make(
  CloudService.layer().pipe(
    Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
    Layer.provide(SecureRandom.layerWebCrypto)
  ),
  { remoteAddress: () => "127.0.0.1" }
)
const cloud = CloudManagement.layer({
  baseUrl: "https://api.example.com",
  credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
}).pipe(
  Layer.provide(FetchTransport.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.Fetch, (input, init) => handler(new Request(input, init))))
)

const server = HttpRouter.serve(Layer.merge(page, routes), { disableLogger: true }).pipe(
  Layer.provide(cloud),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: Number(process.env["PORT"] ?? 8080) }))
)

NodeRuntime.runMain(Layer.launch(server).pipe(Effect.mapError(({ cause }) => `choose another PORT: ${String(cause)}`)))
