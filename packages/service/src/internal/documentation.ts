import * as Effect from "effect/Effect"
import * as Document from "./document.ts"

// Both are loaded when they are first asked for: a service must not wait for them to start.

/** The OpenAPI document. */
export const openApi = Effect.flatMap(
  Effect.promise(() => import("../OpenApiDocument.ts")),
  ({ document }) => Document.make(JSON.stringify(document), { "content-type": "application/json" })
)

/** The page for people that shows the OpenAPI document: two megabytes that need no network. */
export const documentation = Effect.flatMap(
  Effect.promise(() => import("./swagger.ts")),
  ({ page }) => page
)
