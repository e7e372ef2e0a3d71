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

const get = async (url: string): Promise<string> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  const length = Number(response.headers.get("content-length") ?? 0)
  if (!response.ok || length > mostBytes) throw new Error(`${url}: HTTP ${response.status}`)
  return await response.text()
}

/** Fetches the files that a document refers to by URL, and those that they refer to. */
export const files = async (content: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  const pending = [content]
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    const all = new Set<string>()
    references(Yaml.parse(text), all)
    for (const url of all) {
      if (!/^https?:\/\//.test(url) || found.has(url)) continue
      if (found.size >= mostFiles) throw new Error(`the document refers to more than ${mostFiles} URLs`)
      const fetched = await get(url)
      found.set(url, fetched)
      pending.push(fetched)
    }
  }
  return found
}

/** Fetches one document. */
export const one = get
