/** What holds for each bundle that is published: it is ASCII, and has the licenses of the packages in it. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { OutputAsset, OutputChunk, Plugin } from "rolldown"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly repository: { readonly url: string }
}

type Output = ReadonlyArray<OutputAsset | OutputChunk>

const modulesOf = (output: Output) => output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))

/** Each package whose code is in a bundle: where it is, and what it says of itself. */
export const parts = (output: Output) => {
  const folders = modulesOf(output).flatMap(
    (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? /^.*(?=\/src\/)/.exec(id) ?? []
  )
  return [...new Set(folders)].map((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return { folder, ...manifest }
  })
}

/** What `effect` holds of others, for the page of the documentation. */
const vendored = (output: Output): ReadonlyArray<string> => {
  const page = modulesOf(output).find((id) => id.endsWith("/httpApiSwagger.js"))
  if (page === undefined) return []
  const [, version] = /PACKAGE_VERSION:\\?"([\d.]+)/.exec(readFileSync(page, "utf8")) ?? []
  if (version === undefined) throw new Error("the version of swagger-ui within effect is not where it was")
  return [
    `swagger-ui ${version}, within effect: Apache-2.0\n\nIts license is at https://github.com/swagger-api/swagger-ui\n`
  ]
}

/** Each package of others whose code is in the bundle, with its license. */
const licenses = (output: Output) => {
  const others = parts(output).filter(({ folder }) => folder.includes("/node_modules/"))
  const texts = others.map(({ folder, license, name, repository, version }) => {
    const [file] = globSync("LICEN[CS]E*", { cwd: folder })
    const text = file === undefined ? `Its license is at ${repository.url}` : readFileSync(join(folder, file), "utf8")
    return `${name} ${version}: ${license}\n\n${text.trim()}\n`
  })
  return [...texts, ...vendored(output)].toSorted().join(`\n${"-".repeat(80)}\n\n`)
}

export const plugins: Array<Plugin> = [
  {
    name: "ascii",
    // of other text, Node.js makes a string that takes twice the memory, and longer to compile
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue
        file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      }
    }
  },
  {
    name: "licenses",
    generateBundle(_, bundle) {
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licenses(Object.values(bundle)) })
    }
  }
]
