/** Gives the pages without a sidebar the menu of narrow windows, which also holds the switch of the theme. */
import { defineRouteMiddleware } from "@astrojs/starlight/route-data"

export const onRequest = defineRouteMiddleware(({ locals: { starlightRoute } }) => {
  starlightRoute.hasSidebar = true
})
