/**
 * Builds, packs and installs the packages as a stranger would: what is in the tarballs, whether their manifests and
 * types resolve, and whether every public module loads outside the workspace.
 */
import { execFile, spawnSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly packageManager?: string
  readonly sideEffects?: boolean
  readonly bin?: Record<string, string>
  readonly exports: { readonly ".": { readonly default?: string } }
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}
const manifest = (text: string): Manifest => JSON.parse(text)

const problems: Array<string> = []
const expect = (holds: boolean, problem: string) => {
  if (!holds) problems.push(problem)
}
const run = (command: string, args: ReadonlyArray<string>, cwd = ".") =>
  new Promise<string>((done) =>
    execFile(command, args, { cwd, maxBuffer: Infinity }, (error, stdout, stderr) => {
      expect(error === null, `${command} ${args.join(" ")}\n${stdout}${stderr}`)
      done(stdout)
    })
  )
const bin = (command: string) => resolve("node_modules/.bin", command)

const tarballs = resolve("node_modules/.cache/tarballs")
const packages = globSync("packages/*").map((folder) => {
  const { name, version } = manifest(readFileSync(`${folder}/package.json`, "utf8"))
  const modules = globSync("**/*.ts", { cwd: `${folder}/src` }).map((file) => file.slice(0, -".ts".length))
  const built = modules.flatMap((module) =>
    [".js", ".js.map", ".d.ts", ".d.ts.map"].map((end) => `dist/${module}${end}`)
  )
  const contents = ["LICENSE", "README.md", "package.json", ...modules.map((module) => `src/${module}.ts`), ...built]
  return {
    folder,
    name,
    modules,
    contents: new Set(contents),
    tarball: join(tarballs, `${name.slice(1).replace("/", "-")}-${version}.tgz`)
  }
})

// tsc leaves behind what it built from a source that has gone since
for (const { contents, folder } of packages) {
  for (const file of globSync("dist/**/*.{js,ts,map}", { cwd: folder })) {
    if (!contents.has(file)) rmSync(`${folder}/${file}`)
  }
}
await run(bin("tsc"), ["-b"])
rmSync(tarballs, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })

// The stranger's project. Nothing is published yet, so the packages' dependencies on each other are overridden as well.
const project = mkdtempSync(join(tmpdir(), "packages-"))
const files = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies: { ...files, effect: "^4.1.0" } }))
writeFileSync(join(project, "pnpm-workspace.yaml"), JSON.stringify({ packages: [], overrides: files }))

// One npx for both, because its start takes longer than either.
const { packageManager = "" } = manifest(readFileSync("package.json", "utf8"))
const pack = `pnpm -r --filter "./packages/*" pack --pack-destination "${tarballs}"`
const install = `pnpm -C "${project}" install --prefer-offline --ignore-scripts`
await run("npx", ["--yes", `--package=${packageManager}`, "-c", `${pack} && ${install}`])

const inspect = async ({ contents, modules, name, tarball }: (typeof packages)[number]) => {
  // what exports maps; main is a command, which an import would run
  const entrypoints = (root: string) =>
    modules
      .filter((module) => !module.startsWith("internal/") && module !== "main")
      .map((module) => (module === "index" ? root : `${root}/${module}`))
  const imports = entrypoints(name).map((specifier) => `import "${specifier}"`)
  const [listing, text] = await Promise.all([
    run("tar", ["-tzf", tarball]),
    run("tar", ["-xzOf", tarball, "package/package.json"]),
    run(bin("publint"), ["run", "--strict", tarball]),
    run(bin("attw"), ["--profile", "esm-only", "--no-emoji", tarball, "--entrypoints", ...entrypoints(".")]),
    run(process.execPath, ["--input-type=module", "--eval", imports.join("\n")], project)
  ])
  const packed = new Set(listing.match(/(?<=^package\/).+$/gm))
  for (const file of contents.difference(packed)) problems.push(`${name} lacks ${file}`)
  for (const file of packed.difference(contents)) problems.push(`${name} should not hold ${file}`)

  const published = manifest(text)
  expect(!/"(workspace|catalog):/.test(text), `${name}: a workspace: or catalog: range is left`)
  expect(published.exports["."].default === "./dist/index.js", `${name}: publishConfig.exports was not applied`)
  expect(published.sideEffects === false, `${name}: sideEffects is not false`)
  expect(published.dependencies?.["effect"] === undefined, `${name}: effect is a dependency`)
  expect(published.peerDependencies?.["effect"] !== undefined, `${name}: effect is no peer dependency`)
  for (const command of Object.keys(published.bin ?? {})) {
    await run(join(project, "node_modules/.bin", command), ["--version"])
  }
}
if (problems.length === 0) await Promise.all(packages.map(inspect))

// A stranger who uses SQLite has no driver of PostgreSQL.
const serve = ["serve", "--database", "postgres://localhost/cloud"]
const { stderr } = spawnSync(join(project, "node_modules/.bin/cloud-management"), serve, { encoding: "utf8" })
expect(stderr.includes("npm install @effect/sql-pg"), `serve does not name the package that it needs:\n${stderr}`)
rmSync(project, { recursive: true })

console.log(problems.length === 0 ? `${packages.length} packages are fit to publish` : problems.join("\n\n"))
process.exitCode = problems.length === 0 ? 0 : 1
