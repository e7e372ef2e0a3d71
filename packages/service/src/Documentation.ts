import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The page for people that shows the OpenAPI document. */
export const documentation = Effect.sync(() => HttpServerResponse.html("<h1>docs</h1>"))
