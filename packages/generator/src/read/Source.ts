import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Bundle from "./Bundle.ts"
import { digest } from "./Digest.ts"
import * as Files from "./Files.ts"
import { isObject } from "./Json.ts"
import * as Location from "./Location.ts"
import * as Patch from "./Patch.ts"
import { Misfit, unusable } from "./Unusable.ts"

/** How a command names a document. */
export interface Source {
  /** A file, a URL, or `-` for stdin. */
  readonly name: string
  readonly isFetching: boolean
  /** Whether a public document may lead to this machine and its network. */
  readonly allowsPrivate: boolean
  /** Files of patches, in order. */
  readonly patches: ReadonlyArray<string>
}

/** Reads a file, or fails with its name. */
const reading = <A>(name: string, read: () => A) =>
  Effect.try({
    try: read,
    catch: (error) => unusable(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  })

/** A file and a URL differ in how their bytes come only. */
const load = Effect.fnUntraced(function* ({ allowsPrivate, isFetching, name }: Source) {
  const fetch = isFetching
    ? yield* (yield* Effect.promise(() => import("./Fetch.ts"))).make({ allowsPrivate })
    : () => Effect.fail("the network is used only with --fetch")
  const isUrl = Location.isHttp(name)
  const file = resolve(name)
  const root = isUrl
    ? yield* Effect.mapError(fetch(name, undefined), (cause) => unusable(`${Location.shown(name)}: ${cause}`))
    : {
        uri: pathToFileURL(file).href,
        content: yield* reading(name, () => readFileSync(name === "-" ? 0 : name, "utf8"))
      }
  const onDisk = isUrl ? undefined : Files.make(file)
  return yield* Bundle.read(root, name, (uri, from) => {
    if (Location.isHttp(uri)) return fetch(uri, from)
    if (onDisk === undefined || Location.isHttp(from)) return Effect.fail("a document on the web leads to no file")
    return onDisk(uri)
  })
}, Effect.scoped)

const isJson = Schema.is(Schema.Json)

/** Reads a document, and applies its patches. */
export const read = async (source: Source) => {
  const { root, unread } = await Effect.runPromise(load(source))
  let document: unknown = root
  const patches: Array<Patch.Applied> = []
  for (const file of source.patches) {
    const content = await Effect.runPromise(reading(file, (): unknown => JSON.parse(readFileSync(file, "utf8"))))
    const patch = Patch.parse(file, content)
    if (!isJson(document)) {
      throw unusable(`${Location.shown(source.name)}: .inf and .nan are not JSON: a patch cannot change this document`)
    }
    document = Patch.apply(file, patch, document)
    patches.push({ file, digest: digest(JSON.stringify(content)) })
  }
  if (!isObject(document)) throw new Misfit({ message: "a patch leaves no document" })
  return { root: document, unread, patches }
}
