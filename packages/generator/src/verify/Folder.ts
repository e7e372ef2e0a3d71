import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Client, Operation } from "@cloud-management/client"
import { isObject, list, text } from "../read/Json.ts"
import { unusable } from "../read/Unusable.ts"

export interface Folder {
  readonly operations: Client.Registry
  /** The IDs of operations that are not generated. */
  readonly omitted: ReadonlySet<string>
}

const isOperation = (value: unknown): value is Operation.Any =>
  isObject(value) &&
  text(value, "group") !== undefined &&
  text(value, "name") !== undefined &&
  isObject(value["success"])

const isRegistry = (value: unknown): value is Client.Registry =>
  isObject(value) && Object.values(value).every((group) => isObject(group) && Object.values(group).every(isOperation))

/** The file that an import of a file finds, or `undefined`. */
const found = (name: string, from: string): string | undefined => {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}

/** Fails if the code would import another copy of `effect` than its client: each takes the values of the other for unknown ones. */
const checkCopies = (file: string) => {
  const client = found("@cloud-management/client", file)
  const [own, other] = [file, client ?? file].map((from) => found("effect", from))
  if (own === undefined || other === undefined || own === other) return
  throw unusable(`effect is installed twice, and a client needs one: ${dirname(own)} and ${dirname(other)}`)
}

/** Loads `index.ts` of a folder, or `index.js`. */
export const load = async (folder: string): Promise<Folder> => {
  const file = ["index.ts", "index.js"].map((name) => resolve(join(folder, name))).find((name) => existsSync(name))
  if (file === undefined) throw unusable(`${folder} has no index.ts: generate it first`)
  checkCopies(file)
  const module: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw unusable(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  })
  const operations = isObject(module) ? module["operations"] : undefined
  if (!isRegistry(operations)) throw unusable(`${file} exports no operations`)
  return { operations, omitted: new Set(list(module, "omitted").map((one) => text(one, "id") ?? "")) }
}
