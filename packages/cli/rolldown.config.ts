/**
 * What is published of the command: all of it in a few files that depend on nothing, and the licenses of what is in them.
 * Why: docs/decisions/0013-a-command-in-one-piece.md.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig, type OutputBundle } from "rolldown"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly repository: { readonly url: string }
}

/** What `effect` holds of others, for the page of the documentation. */
const swagger = "swagger-ui, within effect: Apache-2.0\n\nIts license is at https://github.com/swagger-api/swagger-ui\n"

/** Each package whose code is in the bundle, with its license. */
const licenses = (bundle: OutputBundle) => {
  const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []))
  const parts = [...folders].map((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const { license, name, repository, version } = manifest
    const [file] = globSync("LICEN[CS]E*", { cwd: folder })
    const text = file === undefined ? `Its license is at ${repository.url}` : readFileSync(join(folder, file), "utf8")
    return `${name} ${version}: ${license}\n\n${text.trim()}\n`
  })
  return [...parts, swagger].toSorted().join(`\n${"-".repeat(80)}\n\n`)
}

export default defineConfig({
  cwd: import.meta.dirname,
  input: "src/main.ts",
  platform: "node",
  output: { dir: "dist", cleanDir: true, chunkFileNames: "[name].js" },
  plugins: [
    {
      name: "licenses",
      generateBundle(_, bundle) {
        this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licenses(bundle) })
      }
    }
  ],
  onLog: (_, log) => {
    throw new Error(log.message)
  }
})
