import { Effect, Predicate } from "effect"
import * as Body from "@cloud-management/client/Body"
import { refusal } from "@cloud-management/client/CallError"
import { withJson, withoutResult } from "@cloud-management/client/Envelope"
import * as Refusal from "@cloud-management/client/Refusal"
import * as Style from "@cloud-management/client/Style"
import * as Wire from "@cloud-management/client/Wire"
import { existsSync } from "node:fs"
import * as Module from "node:module"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type * as Derived from "../operations/derived.ts"
import * as Failure from "../output/Failure.ts"
import { version } from "../version.ts"
import * as Operation from "./operation.ts"
import * as Schema from "./schema.ts"

/**
 * The modules that a generated folder imports: this command's own copies, since values of another copy of Effect do not fit.
 * Of modules that every command loads, only what generated code takes: the rest would be loaded with them.
 */
export const copies: Readonly<Record<string, object>> = {
  "effect/Schema": Schema,
  "@cloud-management/client/Body": Body,
  "@cloud-management/client/CallError": { refusal },
  "@cloud-management/client/Envelope": { withJson, withoutResult },
  "@cloud-management/client/Operation": Operation,
  "@cloud-management/client/Refusal": Refusal,
  "@cloud-management/client/Style": Style,
  "@cloud-management/client/Wire": Wire
}

/** The scheme of the modules that export a copy, and the global variable in which they find it. */
const scheme = "cloud-management:"

const hooks: Module.RegisterHooksOptions = {
  resolve: (specifier, context, next) => {
    if (Object.hasOwn(copies, specifier)) return { url: scheme + specifier, shortCircuit: true }
    if (/^(effect|@cloud-management)\//.test(`${specifier}/`)) throw new Error(`it imports ${specifier}`)
    const found = next(specifier, context)
    // whatever the package says that the folder is in
    if (/^file:.*\.ts$/.test(found.url)) return { ...found, format: "module-typescript" }
    return /^file:.*\.js$/.test(found.url) ? { ...found, format: "module" } : found
  },
  load: (url, context, next) => {
    if (!url.startsWith(scheme)) return next(url, context)
    const specifier = url.slice(scheme.length)
    const names = Object.keys(copies[specifier] ?? {}).join(", ")
    const source = `export const { ${names} } = globalThis["${scheme}"]["${specifier}"]`
    return { format: "module", source, shortCircuit: true }
  }
}

const isOperation = (value: unknown) =>
  ["group", "name", "path", "success"].every((field) => Predicate.hasProperty(value, field))

const isRegistry = (value: unknown): value is Derived.Registry =>
  Predicate.isObject(value) &&
  Object.values(value).every((group) => Predicate.isObject(group) && Object.values(group).every(isOperation))

/** Reads the operations of a generated folder, which needs no packages of its own. */
export const read = Effect.fnUntraced(function* (folder: string) {
  const unusable = (problem: string) =>
    Failure.usage(
      `--api ${folder}: ${problem}`,
      `Pass a folder that \`cloud-management-generate\` of version ${version} has written.`
    )
  // an empty path, as of a variable that is not set, would be the current folder, which may hold any code
  const names = folder === "" ? [] : ["index.ts", "index.js"]
  const index = names.map((name) => resolve(folder, name)).find((path) => existsSync(path))
  if (index === undefined) return yield* unusable("there is no index.ts or index.js")
  // Node.js 23 has it from 23.5 on
  if (typeof Module.registerHooks !== "function") return yield* unusable("it needs Node.js 22.19, 24 or later")
  const module: unknown = yield* Effect.tryPromise({
    try: async () => {
      const registered = Module.registerHooks(hooks)
      Object.assign(globalThis, { [scheme]: copies })
      try {
        const loaded: unknown = await import(pathToFileURL(index).href)
        return loaded
      } finally {
        registered.deregister()
        Reflect.deleteProperty(globalThis, scheme)
      }
    },
    catch: (error) => unusable(`it cannot be loaded: ${Predicate.isError(error) ? error.message : String(error)}`)
  }).pipe(
    // an `await` of its own may never end
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => unusable("it cannot be loaded: it is not done after 10s")
    })
  )
  const operations = Predicate.hasProperty(module, "operations") ? module.operations : undefined
  return isRegistry(operations) && Object.keys(operations).length > 0
    ? operations
    : yield* unusable("its index exports no operations")
})
