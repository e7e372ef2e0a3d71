import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

// Both are loaded when they are first asked for: a service must not wait for them to start. Keep them once made: they
// are bytes, which all connections share, where of a text each would hold a copy until its peer has read it.

/** The OpenAPI document as a response. */
export const openApi = Effect.map(
  Effect.promise(() => import("./OpenApiDocument.ts")),
  ({ document }) =>
    HttpServerResponse.uint8Array(new TextEncoder().encode(JSON.stringify(document)), {
      contentType: "application/json"
    })
)

/** The page for people that shows the OpenAPI document: two megabytes that need no network. */
export const documentation = Effect.flatMap(
  Effect.promise(() => import("./internal/swagger.ts")),
  ({ page }) => page
)
