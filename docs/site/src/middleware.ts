/** Mends what axe finds in the markup of Starlight, of its plugins, and of Markdown, which has no tables without a header. */
import { defineMiddleware } from "astro:middleware"

const mend = (html: string) =>
  html
    .replaceAll('<kbd class="sl-hidden', '<kbd aria-hidden="true" class="sl-hidden')
    .replaceAll(/<th( [^>]*)?><\/th>/g, "<td$1></td>")
    .replaceAll(/<h5( class="sl-openapi-[^>]*>[^<]*<\/)h5>/g, "<h4$1h4>")

export const onRequest = defineMiddleware(async (_, next) => {
  const response = await next()
  if (response.headers.get("content-type")?.startsWith("text/html") !== true) return response
  return new Response(mend(await response.text()), response)
})
