/** A project outside the workspace with the packages in it: built, packed and installed as a stranger would. */
import { execFile } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly packageManager?: string
  readonly sideEffects?: boolean
  readonly bin?: Record<string, string>
  readonly exports: Record<string, unknown>
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}
export const manifest = (text: string): Manifest => JSON.parse(text)

/** What a command writes to its standard output. It fails with all that it wrote. */
export const run = (command: string, args: ReadonlyArray<string>, cwd = ".") =>
  new Promise<string>((done, fail) =>
    execFile(command, args, { cwd, maxBuffer: Infinity }, (error, stdout, stderr) =>
      error === null ? done(stdout) : fail(new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`))
    )
  )
/** A tool of the workspace. */
export const bin = (command: string) => resolve("node_modules/.bin", command)

const tarballs = resolve("node_modules/.cache/tarballs")

/** The packages, with the modules that their users import. */
export const packages = globSync("packages/*").map((folder) => {
  const { exports, name, version } = manifest(readFileSync(`${folder}/package.json`, "utf8"))
  const modules = globSync("**/*.ts", { cwd: `${folder}/src` }).map((file) => file.slice(0, -".ts".length))
  return {
    folder,
    name,
    /** None in a command, which is published in one piece. */
    modules: "." in exports ? modules : [],
    tarball: join(tarballs, `${name.slice(1).replace("/", "-")}-${version}.tgz`)
  }
})

/** What has to be in the tarball of a package, no more and no less. */
export const contents = ({ folder, modules }: (typeof packages)[number]) => {
  const built = modules.flatMap((module) =>
    [".js", ".js.map", ".d.ts", ".d.ts.map"].map((end) => `dist/${module}${end}`)
  )
  return new Set([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "package.json",
    ...modules.map((module) => `src/${module}.ts`),
    ...(modules.length === 0 ? ["dist/main.js", "dist/LICENSES.txt", ...globSync("dist/*.js", { cwd: folder })] : built)
  ])
}

/** The folder of a new project that depends on the packages, and on what else it is given. */
export const install = async (others: Record<string, string> = {}): Promise<string> => {
  // tsc leaves behind what it built from a source that has gone since
  for (const library of packages.filter(({ modules }) => modules.length > 0)) {
    const expected = contents(library)
    for (const file of globSync("dist/**/*.{js,ts,map}", { cwd: library.folder })) {
      if (!expected.has(file)) rmSync(`${library.folder}/${file}`)
    }
  }
  await Promise.all([
    run(bin("tsc"), ["-b", ...packages.map(({ folder }) => folder)]),
    run(bin("rolldown"), ["-c", "packages/cli/rolldown.config.ts"])
  ])
  rmSync(tarballs, { recursive: true, force: true })
  mkdirSync(tarballs, { recursive: true })

  // Nothing is published yet, so the packages' dependencies on each other are overridden as well.
  const project = mkdtempSync(join(tmpdir(), "packages-"))
  const files = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const dependencies = { ...files, effect: "^4.1.0", ...others }
  writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies }))
  writeFileSync(join(project, "pnpm-workspace.yaml"), JSON.stringify({ packages: [], overrides: files }))

  // One npx for both, because its start takes longer than either.
  const { packageManager = "" } = manifest(readFileSync("package.json", "utf8"))
  const pack = `pnpm -r --filter "./packages/*" pack --pack-destination "${tarballs}"`
  const add = `pnpm -C "${project}" install --prefer-offline --ignore-scripts`
  await run("npx", ["--yes", `--package=${packageManager}`, "-c", `${pack} && ${add}`])
  return project
}
