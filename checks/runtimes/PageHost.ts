import { IncomingMessage } from "node:http"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import { HttpHost } from "@cloud-management/service/node"
import { Service } from "@cloud-management/service"
import { ConformanceService } from "@cloud-management/testing"
import { Effect, Layer, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** Nothing but the page's own script, no eval, and requests to its own origin and to the one that it is about. */
const policy = (at: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ${at}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; ")

const page = (script: string) => {
  let asked = 0
  return Effect.fnUntraced(function* (request: HttpRequest) {
    const { pathname, searchParams } = new URL(request.url, "http://localhost")
    if (pathname === "/page/broken/v1/organizations" && request.source instanceof IncomingMessage) {
      request.source.socket.destroy()
    }
    if (pathname === "/page/page.js") return HttpServerResponse.text(script, { contentType: "text/javascript" })
    if (pathname === "/page/echo") {
      const body = yield* Effect.orDie(Stream.mkArrayBuffer(request.content()))
      return HttpServerResponse.uint8Array(new Uint8Array(body))
    }
    if (pathname === "/page/cacheable") {
      return HttpServerResponse.text(String(++asked), { headers: { "cache-control": "max-age=3600" } })
    }
    return HttpServerResponse.html(`<!doctype html><script type="module" src="page.js"></script>`).pipe(
      HttpServerResponse.setHeader("content-security-policy", policy(searchParams.get("at") ?? ""))
    )
  })
}

/** The service that the cases assume, and beside it, below `/page/`, a page with a script. */
export const layer = (script: string) => {
  const pages = page(script)
  return HttpHost.layer().pipe(
    Layer.updateService(Service.Service, ({ handle, ...service }) => ({
      ...service,
      handle: (request) => (request.url.startsWith("/page/") ? pages(request) : handle(request))
    })),
    Layer.provide(ConformanceService.layer)
  )
}
