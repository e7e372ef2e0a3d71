/** Prints what `next build` made of each page: a file, or work for each request. */
import { readFileSync } from "node:fs"

const read = (name) => JSON.parse(readFileSync(`.next/${name}.json`, "utf8"))
const prerendered = read("prerender-manifest").routes
const pages = Object.values(read("app-path-routes-manifest")).filter((route) => !route.startsWith("/_"))
const made = pages.map((route) => `${route} ${route in prerendered ? "static" : "dynamic"}`)
console.log(made.toSorted().join("; "))
