/**
 * Looks up every link of the built site: its page has to be there, and the heading that it names. A link to a file of the
 * repository needs that file in this checkout.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Pages from "../pages.ts"
import * as State from "../src/lab/state.ts"
import { root } from "./Site.ts"

const dist = join(root, "dist")

const decode = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&#38;", "&").replaceAll("&quot;", '"')

const values = (html: string, attributes: string) =>
  Array.from(html.matchAll(new RegExp(`<[a-z][^>]*?\\s(?:${attributes})="([^"]*)"`, "g")), ([, value = ""]) =>
    decode(value)
  )

export const paths = (): ReadonlyArray<string> =>
  globSync("**/*.html", { cwd: dist })
    .map((file) => `/${file.replace(/index\.html$/, "")}`)
    .sort()

const fileOf = (path: string) => join(dist, decodeURI(path.endsWith("/") ? `${path}index.html` : path))

/** Whether a link of another site leads somewhere, as far as this checkout shows: git ignores its node_modules. */
const isInCheckout = (link: string) => {
  if (!link.startsWith(`${Pages.repository}/`)) return true
  const path = /^\/(?:blob|tree|edit)\/main\/([^#]*)/.exec(link.slice(Pages.repository.length))?.[1]
  return path === undefined || (!path.includes("node_modules/") && existsSync(new URL(decodeURI(path), Pages.root)))
}

export const pages = () => paths().map((path) => ({ path, html: readFileSync(fileOf(path), "utf8") }))

export const check = (): { readonly count: number; readonly broken: ReadonlyArray<string> } => {
  const all = pages()
  const ids = new Map(all.map(({ html, path }) => [path, new Set(values(html, "id|name"))]))
  let count = 0
  const broken: Array<string> = []
  for (const { html, path } of all) {
    for (const link of values(html, "href|src")) {
      const url = new URL(link, `http://site${path}`)
      if (url.host !== "site") {
        if (!isInCheckout(link)) broken.push(`${path} links to ${link}`)
        continue
      }
      count++
      const anchors = ids.get(url.pathname)
      const isThere =
        url.hash.includes("=") && url.pathname === "/lab/"
          ? State.ofFragment(url.hash).problem === undefined
          : anchors === undefined
            ? existsSync(fileOf(url.pathname)) && url.hash === ""
            : url.hash === "" || anchors.has(decodeURIComponent(url.hash.slice(1)))
      if (!isThere) broken.push(`${path} links to ${link}`)
    }
  }
  return { count, broken }
}
