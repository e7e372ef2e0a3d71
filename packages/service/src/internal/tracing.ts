import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as CallerAddress from "./callerAddress.ts"

type App<E> = Effect.Effect<HttpServerResponse, E, HttpServerRequest.HttpServerRequest>

/**
 * Makes the span of each request. It is effect's, with `http.route` added; its URL has the template of the route in place
 * of the path, which can hold ids (`/*` without a route), and its `client.address` is the caller behind trusted proxies.
 */
export const traced = Effect.fnUntraced(function* (
  routeOf: (request: HttpServerRequest.HttpServerRequest) => string | undefined
) {
  const disabled = yield* HttpMiddleware.TracerDisabledWhen
  return <E>(app: App<E>): App<E> => {
    const withSpan = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const route = routeOf(request)
      const query = request.url.indexOf("?")
      const shown = request.modify({
        url: (route ?? "/*") + (query === -1 ? "" : request.url.slice(query)),
        remoteAddress: Option.fromUndefinedOr(yield* CallerAddress.of(request))
      })
      const routed = route === undefined ? app : Effect.andThen(Effect.annotateCurrentSpan("http.route", route), app)
      return yield* routed.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        HttpMiddleware.tracer,
        Effect.provideService(HttpServerRequest.HttpServerRequest, shown),
        Effect.provideService(HttpMiddleware.TracerDisabledWhen, disabled)
      )
    })
    // nothing receives the spans of the native tracer
    return Effect.flatMap(Tracer.Tracer, (tracer) => (tracer === Tracer.nativeTracer ? app : withSpan))
  }
})
