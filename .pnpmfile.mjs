/** What a packed package says of itself beside its own manifest: where its built modules are, and whose it is. */
import { readFileSync } from "node:fs"
import { basename } from "node:path"

const { license, repository } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"))
const project = repository.url.replace(/^git\+|\.git$/g, "")

/** The targets of exports: `./src/Retry.ts` is built as `./dist/Retry.js`, and its types as `./dist/Retry.d.ts`. */
const built = (target, ending = ".js") =>
  typeof target === "string"
    ? target.replace(/^\.\/src\/(.*)\.ts$/, `./dist/$1${ending}`)
    : Object.fromEntries(
        Object.entries(target).map(([key, inner]) => [key, built(inner, key === "types" ? ".d.ts" : ".js")])
      )

export const hooks = {
  beforePacking: (manifest, folder) => {
    const directory = `packages/${basename(folder)}`
    return {
      ...manifest,
      license,
      homepage: `${project}/tree/main/${directory}#readme`,
      bugs: { url: `${project}/issues` },
      repository: { ...repository, directory },
      exports: built(manifest.exports),
      publishConfig: { access: "public", provenance: true }
    }
  }
}
