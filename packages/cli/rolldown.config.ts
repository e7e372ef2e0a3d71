/**
 * What is published of the command: all of it in a few files that depend on nothing, the licenses of what is in them, and
 * the manual page.
 * Why: docs/decisions/0013-a-command-in-one-piece.md.
 */
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import { type OutputAsset, type OutputChunk, rolldown, type RolldownOptions } from "rolldown"

import * as Manual from "./src/help/manual.ts"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly repository: { readonly url: string }
}

/** Each package whose code is in a bundle: where it is, and what it says of itself. */
export const parts = (output: ReadonlyArray<OutputAsset | OutputChunk>) => {
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
  const folders = modules.flatMap(
    (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? /^.*(?=\/src\/)/.exec(id) ?? []
  )
  return [...new Set(folders)].map((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return { folder, ...manifest }
  })
}
export type Part = ReturnType<typeof parts>[number]

/** What `effect` holds of others, for the page of the documentation. */
const vendored = (all: ReadonlyArray<Part>) => {
  const { folder = "" } = all.find(({ name }) => name === "effect") ?? {}
  const page = readFileSync(join(folder, "dist/http-api/internal/httpApiSwagger.js"), "utf8")
  const [, version] = /PACKAGE_VERSION:\\?"([\d.]+)/.exec(page) ?? []
  if (version === undefined) throw new Error("the version of swagger-ui within effect is not where it was")
  return { name: "swagger-ui", version, license: "Apache-2.0", repository: "https://github.com/swagger-api/swagger-ui" }
}

/** Each package of others whose code is in the bundle, with its license. */
const licenses = (all: ReadonlyArray<Part>) => {
  const others = all.filter(({ folder }) => folder.includes("/node_modules/"))
  const texts = others.map(({ folder, license, name, repository, version }) => {
    const [file] = globSync("LICEN[CS]E*", { cwd: folder })
    const text = file === undefined ? `Its license is at ${repository.url}` : readFileSync(join(folder, file), "utf8")
    return `${name} ${version}: ${license}\n\n${text.trim()}\n`
  })
  const { license, name, repository, version } = vendored(all)
  const within = `${name} ${version}, within effect: ${license}\n\nIts license is at ${repository}\n`
  return [...texts, within].toSorted().join(`\n${"-".repeat(80)}\n\n`)
}

/**
 * Has a module of Node.js loaded by the first use of what it exports, and an object that takes long to make made by its
 * first use: few commands need them, and all would wait for them. ASCII has a segment for each character. Of undici, only
 * what dispatcher.ts takes is kept: no HTTP/2, for which Node.js loads its module of cryptography as well.
 */
const late = {
  name: "late",
  resolveId: (id: string, _: unknown, { kind }: { readonly kind: string }) =>
    kind === "import-statement" && id.startsWith("node:") && id !== "node:module" ? `\0${id}` : undefined,
  load: async (id: string) => {
    if (!id.startsWith("\0node:")) return undefined
    if (id === "\0node:process") return "export default process"
    const names = Object.keys(await import(id.slice(1)))
    const getters = names.map((name) => `get ${name}() { return load().${name} }`)
    return `let loaded
      const load = () => (loaded ??= process.getBuiltinModule("${id.slice(1)}"))
      module.exports = { ${getters.join(",\n")} }`
  },
  transform: (code: string, id: string) =>
    id.endsWith("/undici/index.js")
      ? `module.exports = {
          Client: require("./lib/dispatcher/client"),
          get FormData() { return require("./lib/web/fetch/formdata").FormData },
          buildConnector: require("./lib/core/connect")
        }`
      : id.endsWith("/undici/lib/dispatcher/client-h2.js")
        ? "module.exports = undefined"
        : code.replace(
            /new Intl\.Segmenter\(([^)]*)\)/g,
            `{ segment(text) {
            return /^[ -~]*$/.test(text)
              ? Array.from(text, (segment, index) => ({ segment, index }))
              : (this.made ??= new Intl.Segmenter($1)).segment(text)
          } }`
          )
}

const input = {
  cwd: import.meta.dirname,
  input: "src/main.ts",
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  plugins: [late],
  onLog: (_, log) => {
    throw new Error(log.message)
  }
} satisfies RolldownOptions

/**
 * The modules that begin a process, a command, one for the API and its call, with all that each loads. They are a file each, since many files
 * take long to find. Only a first bundle tells which modules are used.
 */
const steps = async () => {
  const bundler = await rolldown(input)
  const { output } = await bundler.generate()
  await bundler.close()
  const chunks = output.filter((file) => file.type === "chunk")
  const modules = (found: (chunk: OutputChunk) => boolean): ReadonlyArray<string> =>
    chunks
      .filter(found)
      .flatMap(({ imports, moduleIds }) => [
        ...moduleIds.filter((id) => id !== chunks[0]?.facadeModuleId),
        ...modules(({ fileName }) => imports.includes(fileName))
      ])
  return ["cli/src/main", "cli/src/run", "operations/commands", "connection/client"].map((name) => {
    const all = new Set(modules(({ facadeModuleId }) => facadeModuleId?.endsWith(`${name}.ts`) === true))
    return { name: basename(name), test: (id: string) => all.has(id), includeDependenciesRecursively: false }
  })
}

export default {
  ...input,
  output: {
    dir: "dist",
    cleanDir: true,
    chunkFileNames: "[name].js",
    comments: { jsdoc: false },
    codeSplitting: { groups: await steps() }
  },
  plugins: [
    late,
    {
      name: "ascii",
      // of other text, Node.js makes a string that takes twice the memory, and longer to compile
      generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== "chunk") continue
          file.code = file.code.replace(
            /[^\0-\x7f]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
          )
        }
      }
    },
    {
      name: "licenses",
      generateBundle(_, bundle) {
        const source = licenses(parts(Object.values(bundle)))
        this.emitFile({ type: "asset", fileName: "LICENSES.txt", source })
      }
    },
    {
      name: "manual",
      async generateBundle() {
        this.emitFile({ type: "asset", fileName: "cloud-management.1", source: await Effect.runPromise(Manual.page) })
      }
    }
  ]
} satisfies RolldownOptions
