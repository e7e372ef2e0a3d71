import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { digest } from "./Digest.ts"
import * as Document from "./Document.ts"
import * as Fetch from "./Fetch.ts"
import { isObject, type JsonObject } from "./Json.ts"
import type * as Manifest from "./Manifest.ts"
import * as Patch from "./Patch.ts"

/** How a command names a document. */
export interface Source {
  /** A file, a URL, or `-` for stdin. */
  readonly name: string
  readonly isFetching: boolean
  /** Files of patches, in order. */
  readonly patches: ReadonlyArray<string>
}

/** Reads a file, or fails with its name. */
const reading = async <A>(name: string, read: () => A | Promise<A>): Promise<A> => {
  try {
    return await read()
  } catch (error) {
    throw new Document.Unreadable({ message: `${name}: ${error instanceof Error ? error.message : String(error)}` })
  }
}

const load = async ({ isFetching, name }: Source): Promise<Document.Loaded> => {
  const isUrl = /^https?:\/\//.test(name)
  if (isUrl && !isFetching) throw new Error("the network is used only with --fetch")
  const content = isUrl ? await Fetch.one(name) : readFileSync(name === "-" ? 0 : name, "utf8")
  return isFetching ? { name, content, fetched: await Fetch.files(name, content) } : { name, content }
}

const isJson = Schema.is(Schema.Json)

/** Reads a document, and applies its patches. */
export const read = async (
  source: Source
): Promise<{ readonly root: JsonObject; readonly patches: ReadonlyArray<Manifest.Patch> }> => {
  let document: unknown = Document.read(await reading(source.name, () => load(source)))
  const patches: Array<Manifest.Patch> = []
  for (const file of source.patches) {
    const content = await reading(file, (): unknown => JSON.parse(readFileSync(file, "utf8")))
    const patch = Patch.parse(file, content)
    if (!isJson(document)) {
      throw new Document.Unreadable({
        message: `${source.name}: .inf and .nan are not JSON: a patch cannot change this document`
      })
    }
    document = Patch.apply(file, patch, document)
    patches.push({ file, digest: digest(JSON.stringify(content)) })
  }
  if (!isObject(document)) throw Patch.misfit("a patch leaves no document")
  return { root: document, patches }
}
