import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as Headers from "effect/http/Headers"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { HttpRequest } from "../HttpRequest.ts"
import * as CallerAddress from "./callerAddress.ts"

type App = (request: HttpRequest) => Effect.Effect<HttpServerResponse>

/** What effect's middleware reads of a request, with a URL that has no IDs. */
const shownAs = (request: HttpRequest, url: string): HttpServerRequest.HttpServerRequest =>
  // a request of the Fetch standard has none of the methods that it does not know
  Object.defineProperty(
    HttpServerRequest.fromWeb(new Request("http://service")).modify({
      url,
      headers: Headers.fromInput(request.headers),
      remoteAddress: Option.fromUndefinedOr(CallerAddress.of(request))
    }),
    "method",
    { value: request.method }
  )

/**
 * Makes the span of each request. It is effect's, with `http.route` added; its URL has the template of the route in place
 * of the path, which can hold ids (`/*` without a route), and its `client.address` is the caller behind trusted proxies.
 */
export const traced =
  (routeOf: (request: HttpRequest) => string | undefined, app: App): App =>
  (request) => {
    const withSpan = () => {
      const route = routeOf(request)
      const query = request.url.indexOf("?")
      const shown = shownAs(request, (route ?? "/*") + (query === -1 ? "" : request.url.slice(query)))
      const response = app(request)
      const routed =
        route === undefined ? response : Effect.andThen(Effect.annotateCurrentSpan("http.route", route), response)
      return Effect.provideService(HttpMiddleware.tracer(routed), HttpServerRequest.HttpServerRequest, shown)
    }
    // nothing receives the spans of the native tracer
    return Effect.withFiber((fiber) =>
      fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer ? app(request) : withSpan()
    )
  }
