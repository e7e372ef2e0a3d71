/**
 * What is published of the command: all of it in a few files that depend on nothing, the licenses of what is in them, and
 * the manual page.
 * Why: docs/decisions/0013-a-command-in-one-piece.md.
 */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import { type OutputChunk, rolldown, type RolldownOptions } from "rolldown"
import { plugins } from "./bundled.ts"
import * as Manual from "./src/help/manual.ts"

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
  // a busy machine is slow
  checks: { bundlerTimings: false },
  onLog: (_, log) => {
    throw new Error(log.message)
  }
} satisfies RolldownOptions

/**
 * The modules that begin a process, a command, one for the API and its call, with all that each loads. They are a file each, since many files
 * take long to find. Only a first bundle tells which modules are used: without `--api`, which uses all of some.
 */
const steps = async () => {
  const bundler = await rolldown({ ...input, external: "./api/command.ts" })
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
    ...plugins,
    {
      name: "manual",
      async generateBundle() {
        this.emitFile({ type: "asset", fileName: "cloud-management.1", source: await Effect.runPromise(Manual.page) })
      }
    }
  ]
} satisfies RolldownOptions
