import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

// Both are loaded when they are first asked for: a service must not wait for them to start.

/** The OpenAPI document as a response. */
export const openApi = Effect.map(
  Effect.promise(() => import("./OpenApiDocument.ts")),
  ({ document }) => HttpServerResponse.jsonUnsafe(document)
)

/** The page for people that shows the OpenAPI document. Two megabytes that need no network: keep it once made. */
export const documentation = Effect.flatMap(
  Effect.promise(() => import("./internal/swagger.ts")),
  ({ page }) => page
)
