/**
 * Mends markup of a plugin and of Markdown, whose tables always have a header, for axe and for narrow windows. Gives each
 * page that is built its Content-Security-Policy and its weight in the search.
 */
import { defineMiddleware } from "astro:middleware"
import { createHash } from "node:crypto"
import { weigh } from "../ranking.ts"

const mend = (html: string) =>
  html
    // long names in narrow columns
    .replaceAll(/<code dir="auto">[\w.]{16,}<\/code>/g, (code) => code.replaceAll(/(?<=[a-z])(?=[A-Z.])/g, "<wbr>"))
    .replaceAll(/<th( [^>]*)?><\/th>/g, "<td$1></td>")
    // TypeDoc's sign for a parameter without a description
    .replaceAll(/<td( [^>]*)?>-<\/td>/g, "<td$1></td>")
    .replaceAll(/<h5( class="sl-openapi-[^>]*>[^<]*<\/)h5>/g, "<h4$1h4>")

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/**
 * Only the site's own files, and the scripts that the page had when it was built. Search is WebAssembly; code and charts
 * have style attributes and elements. `frame-ancestors` is ignored in a page (CSP 3, section 3.3): the host has to send it.
 */
const policyOf = (html: string) => {
  const scripts = Array.from(html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g), ([, text = ""]) =>
    hash(text)
  )
  return [
    "default-src 'self'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...new Set(scripts)].join(" "),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")
}

const secure = (html: string) =>
  html.replace('<meta charset="utf-8"/>', `$&<meta http-equiv="Content-Security-Policy" content="${policyOf(html)}"/>`)

export const onRequest = defineMiddleware(async ({ url }, next) => {
  const response = await next()
  if (response.headers.get("content-type")?.startsWith("text/html") !== true) return response
  const html = weigh(mend(await response.text()), url.pathname)
  return new Response(import.meta.env.PROD ? secure(html) : html, response)
})
