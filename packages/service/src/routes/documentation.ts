import * as Effect from "effect/Effect"
import type { Registry } from "@cloud-management/core/Client"
import * as Document from "./document.ts"

// Both are loaded when they are first asked for: a service must not wait for them to start.

/** The OpenAPI document of a registry. */
export const openApi = (registry: Registry) =>
  Effect.flatMap(
    Effect.promise(() => import("../OpenApiDocument.ts")),
    ({ make }) => Document.make(JSON.stringify(make(registry)), { "content-type": "application/json" })
  )

/** The page for people that shows the OpenAPI document: two megabytes that need no network. */
export const documentation = (registry: Registry) =>
  Effect.flatMap(
    Effect.promise(() => import("./swagger.ts")),
    ({ page }) => page(registry)
  )
