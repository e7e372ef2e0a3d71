import * as Yaml from "yaml"
import { isObject } from "./Json.ts"

/** Limits on what a document can make the command fetch. */
const mostFiles = 100
const mostBytes = 100_000_000

const references = (value: unknown, found: Set<string>): void => {
  if (typeof value !== "object" || value === null) return
  if (isObject(value) && typeof value["$ref"] === "string") found.add(value["$ref"].split("#")[0] ?? "")
  for (const child of Object.values(value)) references(child, found)
}

/** Fetches one document. */
export const one = async (url: string): Promise<string> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  const length = Number(response.headers.get("content-length") ?? 0)
  if (!response.ok || length > mostBytes) throw new Error(`${url}: HTTP ${response.status}`)
  return await response.text()
}

/** Fetches the files that a document refers to by URL, and those that they refer to; `name` is its own URL, if it has one. */
export const files = async (name: string, content: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  const pending = [{ name, content }]
  for (const { content, name } of pending) {
    const all = new Set<string>()
    references(Yaml.parse(content), all)
    for (const reference of all) {
      const url = absolute(reference, name)
      if (url === undefined || url === name || found.has(url)) continue
      if (found.size >= mostFiles) throw new Error(`the document refers to more than ${mostFiles} URLs`)
      const fetched = await one(url)
      found.set(url, fetched)
      pending.push({ name: url, content: fetched })
    }
  }
  return found
}

/** The URL of a reference, without its fragment, in a file with a name; `undefined` if it is on the disk. */
export const absolute = (reference: string, name: string): string | undefined => {
  const path = reference.split("#")[0] ?? ""
  if (/^https?:\/\//.test(path)) return path
  return /^https?:\/\//.test(name) && path !== "" && URL.canParse(path, name) ? new URL(path, name).href : undefined
}
