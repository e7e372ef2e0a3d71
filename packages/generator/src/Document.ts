import { readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path"
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import * as Yaml from "yaml"
import * as Anchors from "./Anchors.ts"
import * as Fetch from "./Fetch.ts"
import { decode, inside, isObject, type JsonObject, keysOf, look, type Place, pointer, text } from "./Json.ts"
import { Refusal } from "./Refusal.ts"

/** The document, or a file that it refers to, cannot be read. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly message: string }> {}

/** A document with all its files. */
export interface Document {
  readonly root: JsonObject
  /** The value at a pointer, `#/components/schemas/Pet`; throws a {@link Refusal} named after what refers to it. */
  readonly at: (reference: string, from: string) => unknown
  /** The value and its place, where a reference may stand for it. */
  readonly follow: (place: Place) => Place
  /** The place inside another, where references may stand for it. */
  readonly child: (from: Place, ...keys: ReadonlyArray<string | number>) => Place
}

/** Limits on hostile documents. */
const limits = { bytes: 100_000_000, depth: 500, files: 10_000, values: 20_000_000 }

/** Where the content of other files is in the root. */
const outside = "x-files"

const parse = (content: string, name: string): unknown => {
  const trimmed = content.replace(/^\uFEFF/, "")
  try {
    if (/^\s*[{[]/.test(trimmed)) return JSON.parse(trimmed)
  } catch (error) {
    // YAML in braces is YAML
    if (extname(name) === ".json") throw new Unreadable({ message: `${name}: ${String(error)}` })
  }
  try {
    return Yaml.parse(trimmed, { merge: true, prettyErrors: true, maxAliasCount: 10_000 })
  } catch (error) {
    throw new Unreadable({ message: `${name}: ${error instanceof Error ? error.message : String(error)}` })
  }
}

/** Refuses a value with cycles, which YAML can express, and one whose aliases multiply it or that is too deep. */
const check = (value: unknown, name: string): void => {
  let count = 0
  const ancestors = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (++count > limits.values) throw new Unreadable({ message: `${name}: more than ${limits.values} values` })
    if (typeof value !== "object" || value === null) return
    if (ancestors.has(value)) throw new Unreadable({ message: `${name}: an alias contains itself` })
    if (ancestors.size >= limits.depth) throw new Unreadable({ message: `${name}: more than ${limits.depth} levels` })
    ancestors.add(value)
    for (const child of Object.values(value)) visit(child)
    ancestors.delete(value)
  }
  visit(value)
}

/** Refuses what is not OpenAPI 3. */
const checkVersion = (root: JsonObject, name: string): void => {
  const { openapi, swagger } = root
  // 3.0 without quotes is the number 3
  if (openapi === 3 || /^3\.[012](?:\.|$)/.test(String(openapi))) return
  const message =
    openapi === undefined && swagger !== undefined
      ? `swagger: ${JSON.stringify(swagger)}; convert it first: npx swagger2openapi ${name} --outfile openapi.json`
      : `openapi: ${JSON.stringify(openapi)}; OpenAPI 3.0, 3.1 and 3.2 can be read`
  throw new Unreadable({ message: `${name}: ${message}` })
}

/** The root file of a document, and where its others come from. */
export interface Loaded {
  /** The name of the root: a path, a URL, or `-`. */
  readonly name: string
  readonly content: string
  /** Whether files of the document may be fetched; those of the disk never leave the folder of the root. */
  readonly fetched?: ReadonlyMap<string, string>
}

const localFile = (root: string, file: string): string => {
  const folder = realpathSync(dirname(root === "-" ? resolve("-") : root))
  const real = realpathSync(file)
  const path = relative(folder, real)
  if (path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path))
    throw new Error("it is outside the document's folder")
  if (statSync(real).size > limits.bytes) throw new Error("it is too large")
  return readFileSync(real, "utf8")
}

/** A schema to which references inside it can be relative. */
interface Base {
  readonly value: JsonObject
  readonly uri: string
}

/** Reads a document and the files it refers to, each once. */
export const read = (source: Loaded): JsonObject => {
  const root = parse(source.content, source.name)
  if (!isObject(root)) throw new Unreadable({ message: `${source.name}: not an OpenAPI document, which is an object` })
  check(root, source.name)
  checkVersion(root, source.name)
  const files = new Map<string, { readonly key: string; readonly value: unknown }>()
  const failures = new Map<string, string>()
  const load = (file: string): string | undefined => {
    const known = files.get(file)
    if (known !== undefined) return known.key
    if (failures.has(file)) return undefined
    try {
      if (files.size >= limits.files) throw new Error(`the document has more than ${limits.files} files`)
      const content = source.fetched?.get(file) ?? localFile(source.name, file)
      const value = parse(content, file)
      check(value, file)
      const isFetched = source.fetched?.has(file) === true
      const key = isFetched ? file : relative(dirname(source.name), file).replaceAll("\\", "/")
      files.set(file, { key, value })
      queue.push({ file, key })
      return key
    } catch (error) {
      failures.set(file, error instanceof Error ? error.message : String(error))
      return undefined
    }
  }
  const anchors = new Map<string, ReadonlyMap<unknown, string>>()
  const anchorsOf = (file: string, key: string | undefined) => {
    const known = anchors.get(file) ?? Anchors.read(key === undefined ? root : files.get(file)?.value)
    anchors.set(file, known)
    return known
  }
  /** The reference to a schema of a file that has a name or a mark. */
  const named = (anchor: unknown, file: string, key: string | undefined): string =>
    within(key, anchorsOf(file, key).get(anchor) ?? `${key === undefined ? "" : "#"}${String(anchor)}`)
  /** The value itself where nothing changes: large documents are not copied. */
  const rewrite = (
    value: unknown,
    file: string,
    key: string | undefined,
    outer?: object,
    around: ReadonlyArray<Base> = []
  ): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => rewrite(item, file, key, outer, around))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    if (!isObject(value)) return value
    // JSON Schema 2019-09 §8.2.4: the schema around it that says so
    const scope = value["$recursiveAnchor"] === true ? value : outer
    // the nearest one first
    const bases = Anchors.isBase(value)
      ? [{ value, uri: Anchors.uriOf(value, around[0]?.uri ?? "") }, ...around]
      : around
    let isSame = true
    const entries = Object.entries(value).map(([name, child]): [string, unknown] => {
      const isRecursive = name === "$recursiveRef" && scope !== undefined
      const isReference = (name === "$ref" || name === "$dynamicRef") && Predicate.isString(child)
      // of a discriminator: names of schemas, or references to them
      const isMapping = name === "mapping" && isObject(child) && text(value, "propertyName") !== undefined
      const next = isMapping
        ? mapping(child, file, key)
        : isRecursive
          ? named(scope, file, key)
          : isReference
            ? (relativeTo(bases, child, file, key) ?? target(child, file, key))
            : rewrite(child, file, key, scope, bases)
      isSame &&= next === child && name !== "$dynamicRef"
      return [isReference || isRecursive ? "$ref" : name, next]
    })
    return isSame ? value : Object.fromEntries(entries)
  }
  /** The reference that is relative to one of the schemas around it, or leads to one with a URI. */
  const relativeTo = (bases: ReadonlyArray<Base>, reference: string, file: string, key: string | undefined) => {
    const [path = "", fragment = ""] = reference.split("#", 2)
    if (path === "") {
      const keys = keysOf(fragment, decode)
      const isIn = ({ value }: Base) =>
        fragment === "" ? text(value, "$id") !== undefined : fragment.startsWith("/") && look(value, keys) !== undefined
      const base = bases.find(isIn)
      return base === undefined ? undefined : named(base.value, file, key) + fragment
    }
    const known = anchorsOf(file, key).get(`$id ${Anchors.resolve(path, bases[0]?.uri ?? "")}`)
    return known === undefined ? undefined : within(key, known) + fragment
  }
  const mapping = (targets: JsonObject, file: string, key: string | undefined): JsonObject => {
    const rewritten = Object.entries(targets).map(([value, to]): [string, unknown] => [
      value,
      Predicate.isString(to) && /#|\.(?:json|ya?ml)$/.test(to) ? target(to, file, key) : to
    ])
    return rewritten.every(([value, to]) => to === targets[value]) ? targets : Object.fromEntries(rewritten)
  }
  const target = (reference: string, file: string, key: string | undefined): string => {
    const [path = "", fragment = ""] = reference.split("#", 2)
    const to = (file: string, key: string | undefined): string =>
      fragment === "" || fragment.startsWith("/") ? within(key, fragment) : named(fragment, file, key)
    if (path === "") return to(file, key)
    const url = Fetch.absolute(path, file)
    if (
      url === undefined ? /^[a-z][a-z\d+.-]+:/i.test(path) : url !== source.name && source.fetched?.has(url) !== true
    ) {
      return reference
    }
    const other = url ?? join(dirname(file), decode(path))
    if (other === source.name) return to(other, undefined)
    const loaded = load(other)
    return loaded === undefined ? reference : to(other, loaded)
  }
  const queue: Array<{ readonly file: string; readonly key: string }> = []
  const own = rewrite(root, source.name, undefined)
  const others: Array<readonly [string, unknown]> = []
  // grows while it is read
  for (const next of queue) {
    others.push([next.key, rewrite(files.get(next.file)?.value, next.file, next.key)])
  }
  if (!isObject(own)) return root
  return others.length === 0 ? own : { ...own, [outside]: Object.fromEntries(others) }
}

/** The reference to a place of a file, by the key of the file; of the root without one. */
const within = (key: string | undefined, place: string): string =>
  (key === undefined ? "#" : pointer("#", outside, key)) + place

/** Looks values up in a document that was read and patched. */
export const make = (root: JsonObject): Document => {
  const known = new Map<string, unknown>()
  const at = (reference: string, from: string): unknown => {
    const found = known.get(reference)
    if (found !== undefined) return found
    if (!reference.startsWith("#")) {
      const message = `${reference} was not read: it is on the network, outside the document's folder, or missing`
      throw new Refusal({ code: "external-ref", pointer: from, message })
    }
    const value = reference === "#" || reference.startsWith("#/") ? look(root, keysOf(reference, decode)) : undefined
    if (value === undefined) {
      throw new Refusal({ code: "reference", pointer: from, message: `${reference} leads nowhere` })
    }
    known.set(reference, value)
    return value
  }
  const follow = (place: Place): Place => {
    const seen = new Set<string>()
    let found = place
    for (let reference = text(place.node, "$ref"); reference !== undefined; reference = text(found.node, "$ref")) {
      if (seen.has(reference)) {
        throw new Refusal({ code: "reference", pointer: place.pointer, message: `${reference} refers to itself` })
      }
      seen.add(reference)
      found = { node: at(reference, found.pointer), pointer: reference }
    }
    return found
  }
  return {
    root,
    at,
    follow,
    child: (from, ...keys) => keys.reduce((place: Place, key) => follow(inside(place, key)), from)
  }
}
