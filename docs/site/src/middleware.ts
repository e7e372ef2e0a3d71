/** Mends markup of a plugin and of Markdown, whose tables always have a header, for axe and for narrow windows. */
import { defineMiddleware } from "astro:middleware"

const mend = (html: string) =>
  html
    // long names in narrow columns
    .replaceAll(/<code dir="auto">[\w.]{16,}<\/code>/g, (code) => code.replaceAll(/(?<=[a-z])(?=[A-Z.])/g, "<wbr>"))
    .replaceAll(/<th( [^>]*)?><\/th>/g, "<td$1></td>")
    .replaceAll(/<h5( class="sl-openapi-[^>]*>[^<]*<\/)h5>/g, "<h4$1h4>")

export const onRequest = defineMiddleware(async (_, next) => {
  const response = await next()
  if (response.headers.get("content-type")?.startsWith("text/html") !== true) return response
  return new Response(mend(await response.text()), response)
})
