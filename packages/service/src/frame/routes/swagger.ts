import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiSwagger from "effect/http-api/HttpApiSwagger"
import { sha256 } from "@noble/hashes/sha2.js"
import type { Registry } from "@cloud-management/client/Client"
import { api, type Description } from "../OpenApiDocument.ts"
import * as Document from "./document.ts"

/** Names the page's own inline styles and scripts (CSP Level 3 §2.3.1), so that no other runs, nor loads from anywhere. */
const policy = (html: string): string => {
  const hashes = (element: "script" | "style") =>
    html
      .split(`</${element}>`)
      .slice(0, -1)
      .map((text) => text.split(`<${element}>`).slice(1).join(`<${element}>`))
      .filter((text) => text !== "")
      .map((text) => `'sha256-${Base64.encode(sha256(new TextEncoder().encode(text)))}'`)
      .join(" ")
  return [
    "default-src 'none'",
    `script-src ${hashes("script")}`,
    `style-src ${hashes("style")}`,
    "img-src data:",
    // what "Try it out" sends
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** Swagger UI as Effect carries it, all in one page. Effect serves it from its own router only: it is asked once. */
export const page = Effect.fnUntraced(
  function* (registry: Registry, description: Description | undefined) {
    const app = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(api(registry, description)))
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    const response = yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
    const html = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    return yield* Document.make(html, { ...response.headers, "content-security-policy": policy(html) })
  },
  Effect.scoped,
  Effect.orDie
)
