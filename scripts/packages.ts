/**
 * Builds, packs and installs the packages as a stranger would: what is in the tarballs, whether their manifests and
 * types resolve, and whether every public module loads outside the workspace.
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import * as Stranger from "./stranger.ts"

const problems: Array<string> = []
const expect = (holds: boolean, problem: string) => {
  if (!holds) problems.push(problem)
}
const run: typeof Stranger.run = (...command) =>
  Stranger.run(...command).catch((error: Error) => {
    problems.push(error.message)
    return ""
  })

const project = await Stranger.install()

const inspect = async ({ contents, modules, name, tarball }: (typeof Stranger.packages)[number]) => {
  // what exports maps; main is a command, which an import would run
  const entrypoints = (root: string) =>
    modules
      .filter((module) => !module.startsWith("internal/") && module !== "main")
      .map((module) => (module === "index" ? root : `${root}/${module}`))
  const imports = entrypoints(name).map((specifier) => `import "${specifier}"`)
  const [listing, text] = await Promise.all([
    run("tar", ["-tzf", tarball]),
    run("tar", ["-xzOf", tarball, "package/package.json"]),
    run(Stranger.bin("publint"), ["run", "--strict", tarball]),
    run(Stranger.bin("attw"), ["--profile", "esm-only", "--no-emoji", tarball, "--entrypoints", ...entrypoints(".")]),
    run(process.execPath, ["--input-type=module", "--eval", imports.join("\n")], project)
  ])
  const packed = new Set(listing.match(/(?<=^package\/).+$/gm))
  for (const file of contents.difference(packed)) problems.push(`${name} lacks ${file}`)
  for (const file of packed.difference(contents)) problems.push(`${name} should not hold ${file}`)

  const published = Stranger.manifest(text)
  expect(!/"(workspace|catalog):/.test(text), `${name}: a workspace: or catalog: range is left`)
  expect(published.exports["."].default === "./dist/index.js", `${name}: publishConfig.exports was not applied`)
  expect(published.sideEffects === false, `${name}: sideEffects is not false`)
  expect(published.dependencies?.["effect"] === undefined, `${name}: effect is a dependency`)
  expect(published.peerDependencies?.["effect"] !== undefined, `${name}: effect is no peer dependency`)
  for (const command of Object.keys(published.bin ?? {})) {
    await run(join(project, "node_modules/.bin", command), ["--version"])
  }
}
await Promise.all(Stranger.packages.map(inspect))

// A stranger who uses SQLite has no driver of PostgreSQL.
const serve = ["serve", "--database", "postgres://localhost/cloud"]
const { stderr } = spawnSync(join(project, "node_modules/.bin/cloud-management"), serve, { encoding: "utf8" })
expect(stderr.includes("npm install @effect/sql-pg"), `serve does not name the package that it needs:\n${stderr}`)
rmSync(project, { recursive: true })

console.log(problems.length === 0 ? `${Stranger.packages.length} packages are fit to publish` : problems.join("\n\n"))
process.exitCode = problems.length === 0 ? 0 : 1
