/** A document with all its files in one. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { posix } from "node:path"
import * as Anchors from "./Anchors.ts"
import * as Content from "./Content.ts"
import * as Generics from "./Generics.ts"
import { decode, isObject, type JsonObject, keysOf, look, pointer, text } from "./Json.ts"
import { isHttp, type Opened, shown } from "./Location.ts"
import { unusable } from "./Unusable.ts"

/** Opens a file for the one that refers to it, or says why not. */
export type Open = (uri: string, from: string) => Effect.Effect<Opened, string>

/** Limits on hostile documents. */
const limits = { bytes: 100_000_000, files: 10_000, copies: 1_000 }

/** Where the content of other files is in the root. */
const outside = "x-files"

/** The keys of an object are keywords, names that the document chooses, or such beside extensions. */
type Mode = "keywords" | "names" | "extensible"

/** Keywords whose values have names as keys. */
const named = new Set(
  (
    "$defs additionalOperations callbacks content definitions dependencies dependentSchemas encoding headers links mediaTypes " +
    "parameters pathItems paths patternProperties properties requestBodies responses schemas securitySchemes variables webhooks"
  ).split(" ")
)

/** Keywords whose values have extensions too. */
const extensible = new Set("callbacks paths responses".split(" "))

/** Keywords whose values are data, in which nothing is a reference. */
const data = new Set("const dataValue default enum example examples serializedValue value".split(" "))

/** Keywords whose values are read where they stand: OpenAPI has no references there, or only since 3.2. */
const inPlace = new Set("content encoding variables".split(" "))

/** Where OpenAPI has a list, and documents of several files can refer to one. */
const lists = new Set("allOf anyOf oneOf parameters prefixItems required security servers tags".split(" "))

interface Use extends Generics.Use {
  /** Whether what it leads to takes its place: no reader of the document expects a reference there. */
  readonly isWhole: boolean
  /** The same of the names that it leads to. */
  readonly isInPlace: boolean
  /** Whether what stands beside it stays. */
  readonly isBeside: boolean
  readonly mode: Mode
}

/** The reference to a place of a file, or to a name that the file does not have; it is a URI. */
const within = ({ file: { key }, pointer: at }: Anchors.Target): string =>
  ((key === undefined ? "#" : pointer("#", outside, key)) + at).replaceAll("%", "%25")

const inPath = /^(?:get|put|post|delete|options|head|patch|trace|query|additionalOperations)$/

/** Whether a reference is a path's that says more itself. */
const isPath = (node: JsonObject) =>
  "$ref" in node && (Array.isArray(node["parameters"]) || Object.keys(node).some((key) => inPath.test(key)))

const isMapped = (to: unknown): to is string =>
  Predicate.isString(to) && /#|^\.{1,2}\/|:\/\/|\.(?:json|ya?ml)$/.test(to)

/** Why a document is not OpenAPI 3. */
const checkVersion = (root: JsonObject, name: string): string | undefined => {
  const { openapi, swagger } = root
  // 3.0 without quotes is the number 3
  if (openapi === 3 || /^3\.[012](?:\.|$)/.test(String(openapi))) return undefined
  return openapi === undefined && swagger !== undefined
    ? `swagger: ${JSON.stringify(swagger)}; convert it first: npx swagger2openapi ${name} --outfile openapi.json`
    : `openapi: ${JSON.stringify(openapi)}; OpenAPI 3.0, 3.1 and 3.2 can be read`
}

const nothing: Open = () => Effect.fail("other files are not read")

const parse = (content: string, name: string) =>
  Effect.try({
    try: () => Content.read(content, name),
    // without the lines of YAML that follow
    catch: (error) => (error instanceof Error ? error.message.split("\n", 1).join("") : String(error))
  })

/**
 * Reads a document and the files that it refers to, each once, as one in which each reference leads to a place of it, or to
 * what was not `unread`, for the reason given there; `name` is what the user calls it.
 */
export const read = Effect.fnUntraced(function* (opened: Opened, name: string, open: Open = nothing) {
  const unreadable = (problem: string) => unusable(`${shown(name)}: ${problem}`)
  const value = yield* Effect.mapError(parse(opened.content, name), unreadable)
  if (!isObject(value)) return yield* unreadable("not an OpenAPI document, which is an object")
  const problem = checkVersion(value, shown(name))
  if (problem !== undefined) return yield* unreadable(problem)
  const root = Anchors.read(value, opened.uri, undefined)

  const files = new Map<string, Anchors.File>([[opened.uri, root]])
  const keys = new Map<string, Anchors.File>()
  const known = new Map<string, Anchors.Target>()
  const failures = new Map<string, string>()
  const unread = new Map<string, string>()
  let bytes = opened.content.length
  const register = (file: Anchors.File) => {
    for (const base of [file.base, ...file.bases.values()]) {
      if (base.uri !== base.outer?.uri && !known.has(base.uri)) known.set(base.uri, Anchors.target(file, base.pointer))
    }
  }
  register(root)

  /** The name of a file in the document: its path from the root's folder, or its URL. */
  const keyOf = (uri: string): string => {
    if (isHttp(uri)) return decode(shown(uri).replace(/\?…$/, ""))
    const folder = posix.dirname(decode(new URL(root.uri).pathname))
    return posix.relative(folder, decode(new URL(uri).pathname))
  }
  const load = Effect.fnUntraced(function* (uri: string, from: string) {
    const found = files.get(uri)
    if (found !== undefined) return found
    const failure = failures.get(uri)
    if (failure !== undefined) return yield* Effect.fail(failure)
    const loading = Effect.gen(function* () {
      if (files.size > limits.files) return yield* Effect.fail(`the document has more than ${limits.files} files`)
      const opened = yield* open(uri, from)
      const same = files.get(opened.uri)
      if (same !== undefined) return same
      bytes += opened.content.length
      if (bytes > limits.bytes) return yield* Effect.fail(`the document has more than ${limits.bytes} bytes`)
      const value = yield* parse(opened.content, new URL(opened.uri).pathname)
      let key = keyOf(opened.uri)
      for (let i = 2; keys.has(key); i++) key = `${keyOf(opened.uri)} ${i}`
      const file = Anchors.read(value, opened.uri, key)
      keys.set(key, file)
      files.set(opened.uri, file)
      register(file)
      return file
    })
    const file = yield* Effect.tapError(loading, (failure) => Effect.sync(() => failures.set(uri, failure)))
    files.set(uri, file)
    return file
  })

  /** The place of a pointer of a file; references on the way are followed. */
  const place = (file: Anchors.File, start: string, fragment: string): Effect.Effect<Anchors.Target, string> => {
    const keys = keysOf(fragment, decode)
    const direct = Anchors.target(file, pointer(start, ...keys))
    if (direct.node !== undefined) return Effect.succeed(direct)
    return Effect.gen(function* () {
      let found = Anchors.target(file, start)
      const seen = new Set<unknown>()
      for (const [i, key] of keys.entries()) {
        for (;;) {
          const { base, file, node } = found
          const reference = text(node, "$ref")
          if (look(node, [key]) !== undefined || reference === undefined || seen.has(node)) break
          seen.add(node)
          found = yield* resolve(reference, file, base)
        }
        // a name that is written as in a URI
        const [literal = key] = look(found.node, [key]) === undefined ? keysOf(fragment).slice(i) : []
        const isLiteral = look(found.node, [literal]) !== undefined
        found = Anchors.target(found.file, pointer(found.pointer, isLiteral ? literal : key))
      }
      return found
    })
  }

  /** The target of a reference, whether or not there is something. */
  const resolve = (
    reference: string,
    file: Anchors.File,
    base: Anchors.Base | undefined
  ): Effect.Effect<Anchors.Target, string> => {
    const [path = "", fragment = ""] = reference.split("#", 2)
    const keys = keysOf(fragment, decode)
    const isPointer = fragment === "" || fragment.startsWith("/")
    const lead = (to: Anchors.File, owner: Anchors.Base) => {
      if (isPointer) return place(to, owner.pointer, fragment)
      const at = owner.names.get(decode(fragment))
      // leads nowhere, and says so
      return Effect.succeed(
        at === undefined
          ? { file: to, pointer: to.key === undefined ? fragment : `#${fragment}`, node: undefined, base: undefined }
          : Anchors.target(to, at)
      )
    }
    if (path === "") {
      for (let owner = base; owner !== undefined; owner = owner.outer) {
        const isIn =
          fragment === ""
            ? text(owner.value, "$id") !== undefined
            : isPointer
              ? look(owner.value, keys) !== undefined
              : owner.names.has(decode(fragment))
        if (isIn) return lead(file, owner)
      }
      return lead(file, file.base)
    }
    for (const from of [base?.uri ?? file.base.uri, file.uri]) {
      const target = known.get(Anchors.resolve(path, from))
      if (target !== undefined) return lead(target.file, target.file.bases.get(target.node) ?? target.file.base)
    }
    if (!URL.canParse(path, file.uri)) return Effect.fail("it is not a URL")
    return Effect.flatMap(load(new URL(path, file.uri).href, file.uri), (other) => lead(other, other.base))
  }

  /** The target of `$recursiveRef`: the nearest schema that says so, if there is one. */
  const recursive = (reference: string, file: Anchors.File, base: Anchors.Base | undefined) => {
    for (let owner = base; owner !== undefined; owner = owner.outer)
      if (Anchors.dynamicOf(owner.value) === "") return Effect.succeed(Anchors.target(file, owner.pointer))
    return resolve(reference, file, base)
  }

  const uses: Array<Use> = []
  const seen = { keywords: new Set<unknown>(), names: new Set<unknown>(), extensible: new Set<unknown>() }
  const seenInPlace = new Set<unknown>()
  /** Finds the references in a place. */
  const walk = ({ base: around, file, node }: Anchors.Target, mode: Mode, isInPlace = false): void => {
    const before = isInPlace && mode === "keywords" ? seenInPlace : seen[mode]
    if (typeof node !== "object" || node === null || before.has(node)) return
    before.add(node)
    const base = file.bases.get(node) ?? around
    const inner = (child: unknown, mode: Mode, isInPlace = false) =>
      walk({ base, file, node: child, pointer: "" }, mode, isInPlace)
    if (!isObject(node)) {
      for (const child of Object.values(node)) inner(child, "keywords")
      return
    }
    const isBeside = mode !== "keywords" || isPath(node)
    const found = { node, mode, file, base, isWhole: isInPlace || isBeside, isInPlace, isBeside }
    for (const [key, child] of Object.entries(node)) {
      if (mode !== "names" && key.startsWith("x-")) continue
      if (Predicate.isString(child)) {
        if (
          key === "defaultMapping" &&
          mode === "keywords" &&
          text(node, "propertyName") !== undefined &&
          isMapped(child)
        )
          uses.push({ ...found, isWhole: false, key, reference: child })
        else if (key === "$ref" || (mode === "keywords" && (key === "$dynamicRef" || key === "$recursiveRef")))
          uses.push({ ...found, key, reference: child })
      } else if (mode !== "keywords") inner(child, "keywords", isInPlace)
      else if (key === "mapping" && isObject(child) && text(node, "propertyName") !== undefined) {
        for (const [name, to] of Object.entries(child))
          if (isMapped(to)) uses.push({ ...found, isWhole: false, node: child, key: name, reference: to })
      } else if (!data.has(key)) {
        const isList = lists.has(key) && isObject(child) && text(child, "$ref") !== undefined
        const names = extensible.has(key) ? "extensible" : "names"
        inner(child, named.has(key) && isObject(child) && !isList ? names : "keywords", isList || inPlace.has(key))
      }
    }
  }
  walk(Anchors.target(root, ""), "keywords")
  const targets = new Map<Use, Anchors.Target>()
  const missing = new Map<Use, string>()
  // grows while it is read
  for (const use of uses) {
    const { base, file, key, reference } = use
    const result = yield* Effect.result(
      key === "$recursiveRef" ? recursive(reference, file, base) : resolve(reference, file, base)
    )
    if (result._tag === "Success") {
      targets.set(use, result.success)
      walk(result.success, use.mode, use.isInPlace)
    } else {
      const [path = "", ...fragment] = reference.split("#")
      const uri = URL.canParse(path, file.uri) ? new URL(path, file.uri).href : path
      const shortened = [uri.startsWith("file:") ? keyOf(uri) : shown(uri), ...fragment].join("#")
      unread.set(shortened, result.failure)
      missing.set(use, shortened)
    }
  }
  const generics = Generics.make(targets, within)
  const usesOf = Map.groupBy(uses, ({ node }) => node)

  const isDynamic = ({ key }: Use) => key === "$dynamicRef" || key === "$recursiveRef"
  /** The reference that takes the place of another. */
  const nextOf = (use: Use, scope?: Generics.Scope): string =>
    missing.get(use) ?? generics.referenceOf(use, scope) ?? use.reference

  /** Makes a value in which references have taken the place of others; a value in which none do is itself: documents are large. */
  const rebuilder = (scope?: Generics.Scope) => {
    const known = new Map<unknown, unknown>()
    const rebuild = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return value
      if (known.has(value)) return known.get(value)
      // a circle of references that stand for what they lead to stays as it is
      known.set(value, value)
      const result = Array.isArray(value) ? ofList(value) : isObject(value) ? ofObject(value) : value
      known.set(value, result)
      return result
    }
    const ofList = (items: ReadonlyArray<unknown>): unknown => {
      const rebuilt = items.map(rebuild)
      return rebuilt.some((item, i) => item !== items[i]) ? rebuilt : items
    }
    const ofObject = (value: JsonObject): unknown => {
      const uses = usesOf.get(value) ?? []
      const whole = uses.find((use) => use.isWhole && targets.has(use))
      const target = whole === undefined ? undefined : targets.get(whole)
      const found = target === undefined ? undefined : rebuild(target.node)
      if (found !== undefined && whole?.isBeside === false) return found
      let isSame = true
      const entries = Object.entries(value).flatMap(([key, child]): ReadonlyArray<[string, unknown]> => {
        const use = uses.find((use) => use.key === key)
        const next = use === undefined ? rebuild(child) : nextOf(use, scope)
        const isRef = use !== undefined && isDynamic(use)
        isSame &&= next === child && !isRef
        return [[isRef ? "$ref" : key, next]]
      })
      if (target === undefined || !isObject(found)) return isSame ? value : Object.fromEntries(entries)
      const others = Object.entries(found).map(
        ([name, child]) =>
          [
            name,
            isObject(child) && whole?.isInPlace !== true ? { $ref: pointer(within(target), name) } : child
          ] as const
      )
      return Object.fromEntries([...others, ...entries.filter(([key]) => key !== "$ref")])
    }
    return rebuild
  }
  const isReplaced = (use: Use) => (use.isWhole && targets.has(use)) || nextOf(use) !== use.reference
  const rebuild = uses.some(isDynamic) || uses.some(isReplaced) ? rebuilder() : <A>(value: A): A => value
  const own = rebuild(value)
  if (!isObject(own)) return yield* unreadable("not an OpenAPI document, which is an object")
  const paths = text(own["paths"], "$ref")
  if (paths !== undefined) return yield* unreadable(`paths: ${paths}: ${unread.get(paths) ?? "leads nowhere"}`)
  const others = Array.from(keys, ([key, { value }]): [string, unknown] => [key, rebuild(value)])
  const copies: Record<string, unknown> = {}
  // grows while it is read
  for (const { name, scope, target } of generics.copies) {
    if (generics.copies.length > limits.copies)
      return yield* unreadable(`$dynamicRef has more than ${limits.copies} meanings`)
    copies[name] = rebuilder(scope)(target.node)
  }
  return {
    root: {
      ...own,
      ...(others.length > 0 && { [outside]: Object.fromEntries(others) }),
      ...(generics.copies.length > 0 && { [Generics.outside]: copies })
    },
    unread
  }
})
