/**
 * What is published of the command: all of it in a few files that depend on nothing, the licenses of what is in them, and
 * the manual page.
 * Why: docs/decisions/0013-a-command-in-one-piece.md.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { OutputAsset, OutputChunk, RolldownOptions } from "rolldown"

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

export default {
  cwd: import.meta.dirname,
  input: "src/main.ts",
  platform: "node",
  output: { dir: "dist", cleanDir: true, chunkFileNames: "[name].js" },
  plugins: [
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
  ],
  onLog: (_, log) => {
    throw new Error(log.message)
  }
} satisfies RolldownOptions
