import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Headers from "effect/http/Headers"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { HttpRequest } from "../HttpRequest.ts"
import { attributes } from "../Telemetry.ts"
import * as Address from "../wire/address.ts"
import type { Exchange } from "../wire/exchange.ts"

/** The part of a request that Effect's middleware reads, with a URL without IDs. */
const shownAs = (request: HttpRequest, method: string, url: string): HttpServerRequest.HttpServerRequest =>
  // a request of the Fetch standard has none of the methods that it does not know
  Object.defineProperty(
    HttpServerRequest.fromWeb(new Request("http://service")).modify({
      url,
      headers: Headers.fromInput(request.headers),
      remoteAddress: Option.fromUndefinedOr(Address.ofCaller(request))
    }),
    "method",
    { value: method }
  )

/**
 * Makes the span of a request. It is effect's, with the name that OpenTelemetry's conventions give it, `http.route` and the
 * request's ID; its URL has the template of the route in place of the path, which can hold ids (`/*` without a route), and
 * its `client.address` is the caller behind trusted proxies.
 */
export const withSpan = (
  { request, requestId, route }: Exchange,
  method: string,
  response: Effect.Effect<HttpServerResponse>
): Effect.Effect<HttpServerResponse> => {
  const query = request.url.indexOf("?")
  const shown = shownAs(request, method, (route?.path ?? "/*") + (query === -1 ? "" : request.url.slice(query)))
  const verb = method === "_OTHER" ? "HTTP" : method
  const annotations = {
    [attributes.requestId]: requestId,
    ...(route !== undefined && { [attributes.route]: route.template })
  }
  return HttpMiddleware.tracer(Effect.andThen(Effect.annotateCurrentSpan(annotations), response)).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, shown),
    Effect.provideService(HttpMiddleware.SpanNameGenerator, () =>
      route === undefined ? verb : `${verb} ${route.template}`
    )
  )
}
