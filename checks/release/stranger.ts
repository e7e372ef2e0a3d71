/** A project outside the workspace with the packages in it: built, packed and installed as a stranger would. */
import { execFile } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { build } from "rolldown"
import command from "../../packages/cli/rolldown.config.ts"
import generator from "../../packages/generator/bundle.config.ts"
import { parts } from "../../packages/cli/bundled.ts"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly packageManager?: string
  readonly license?: string
  readonly engines?: Record<string, string>
  readonly repository?: { readonly url: string; readonly directory: string }
  readonly publishConfig?: Record<string, unknown>
  readonly sideEffects?: boolean
  readonly bin?: Record<string, string>
  readonly exports: Record<string, unknown>
  readonly files?: ReadonlyArray<string>
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}
export const manifest = (text: string): Manifest => JSON.parse(text)

export const run = (command: string, args: ReadonlyArray<string>, cwd = ".", env = process.env) =>
  new Promise<string>((done, fail) =>
    execFile(command, args, { cwd, env, maxBuffer: Infinity, timeout: 600_000 }, (error, stdout, stderr) =>
      error === null ? done(stdout) : fail(new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`))
    )
  )
const { packageManager = "" } = manifest(readFileSync("package.json", "utf8"))
const npx = (script: string, cwd?: string, env?: NodeJS.ProcessEnv) =>
  run("npx", ["--yes", `--package=${packageManager}`, "-c", script], cwd, env)
export const bin = (command: string) => resolve("node_modules/.bin", command)

const slug = (name: string) => name.slice(1).replace("/", "-")
export const tarballs = resolve("node_modules/.cache/tarballs")
export const sbom = "dist/sbom.cdx.json"

export const packages = globSync("packages/*").map((folder) => {
  const source = manifest(readFileSync(`${folder}/package.json`, "utf8"))
  const { name, version } = source
  const modules = globSync("**/*.ts", { cwd: `${folder}/src` }).map((file) => file.slice(0, -".ts".length))
  return {
    folder,
    name,
    manifest: source,
    /** None in a command, which is published in one piece. */
    modules: existsSync(`${folder}/rolldown.config.ts`) ? [] : modules,
    tarball: join(tarballs, `${slug(name)}-${version}.tgz`)
  }
})

export const shipped = resolve("node_modules/.cache/shipped")

/**
 * Makes a workspace that depends on what the packages bring, and on nothing else, and writes the SBOM of each there. In our
 * own, pnpm takes peers and the contents of the bundle for tools, since they are dependencies for development.
 */
export const list = async (workspace: string, bundled: Readonly<Record<string, string>>): Promise<void> => {
  rmSync(workspace, { recursive: true, force: true })
  mkdirSync(workspace, { recursive: true })
  writeFileSync(join(workspace, "package.json"), JSON.stringify({ private: true }))
  for (const file of ["pnpm-workspace.yaml", "pnpm-lock.yaml"]) copyFileSync(file, join(workspace, file))
  for (const { folder, manifest, modules, name } of packages) {
    const isCommand = modules.length === 0
    const needed = isCommand ? bundled : { ...manifest.dependencies, ...manifest.peerDependencies }
    const dependencies = Object.fromEntries(
      Object.entries(needed)
        .filter(([other]) => other !== name)
        .map(([other, version]) => {
          const isOurs = packages.some(({ name }) => name === other)
          return [other, isOurs ? "workspace:*" : isCommand ? version : "catalog:"]
        })
    )
    mkdirSync(join(workspace, folder), { recursive: true })
    const alone = { ...manifest, bin: undefined, devDependencies: {}, peerDependencies: {}, dependencies }
    writeFileSync(join(workspace, folder, "package.json"), JSON.stringify(alone))
  }
  const { name = "" } = packages.find(({ modules }) => modules.length === 0) ?? {}
  const split = "sbom --split --sbom-format cyclonedx --out %s.json"
  await npx(
    `pnpm install --prefer-offline --no-frozen-lockfile --ignore-scripts &&
     pnpm --filter "./packages/*" ${split} && pnpm --filter ${name} ${split} --sbom-type application`,
    workspace
  )
}

/** Asks the registry about what is listed: fails if a vulnerability is known, or, except in a dry run, it does not respond. */
export const audit = (workspace: string, isDry: boolean, env?: NodeJS.ProcessEnv): Promise<string> =>
  npx(`pnpm audit${isDry ? " --ignore-registry-errors" : ""}`, workspace, env)

export const contents = ({ folder, manifest, modules }: (typeof packages)[number]) => {
  const hasSources = manifest.files?.includes("src") === true
  // nobody imports what is only a command
  const ends = Object.keys(manifest.exports).length > 1 ? [".js", ".d.ts"] : [".js"]
  const built = modules.flatMap((module) =>
    ends.flatMap((end) => [`dist/${module}${end}`, ...(hasSources ? [`dist/${module}${end}.map`] : [])])
  )
  return new Set([
    "AGENTS.md",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    sbom,
    "package.json",
    ...(hasSources ? modules.map((module) => `src/${module}.ts`) : []),
    ...globSync("dist/command/*", { cwd: folder }),
    ...(modules.length === 0
      ? ["dist/main.js", "dist/LICENSES.txt", "dist/cloud-management.1", ...globSync("dist/{,.}*.js", { cwd: folder })]
      : built)
  ])
}

/** Packs each package as in a new clone, where nothing is built: what one builds would hide that another does not. */
export const packUnbuilt = (destination: string): Promise<string> =>
  npx(
    packages
      .map(({ folder }) => `rm -rf packages/*/dist && pnpm -C ${folder} pack --pack-destination "${destination}"`)
      .join(" && ")
  )

export const install = async (): Promise<string> => {
  // tsc leaves behind what it built from a source that has gone since
  for (const library of packages.filter(({ modules }) => modules.length > 0)) {
    const sources = new Set(library.modules)
    for (const file of globSync("dist/**/*.{js,ts,map}", { cwd: library.folder })) {
      const source = file.replace(/^dist\/|(?:\.d)?\.(?:js|ts)(?:\.map)?$/g, "")
      if (!sources.has(source) && !file.startsWith("dist/command/")) rmSync(`${library.folder}/${file}`)
    }
  }
  const [{ output }] = await Promise.all([
    build(command),
    build(generator),
    run(bin("tsc"), ["-b", ...packages.map(({ folder }) => folder)])
  ])
  await list(shipped, Object.fromEntries(parts(output).map(({ name, version }) => [name, version])))
  for (const { folder, name } of packages) copyFileSync(join(shipped, `${slug(name)}.json`), join(folder, sbom))

  rmSync(tarballs, { recursive: true, force: true })
  mkdirSync(tarballs, { recursive: true })

  // Nothing is published yet, so the packages' dependencies on each other are overridden as well.
  const project = mkdtempSync(join(tmpdir(), "packages-"))
  const files = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  // what the service's README has its users on Node.js install
  const peers = { effect: "^4.1.0", "@effect/platform-node": "~4.1.0" }
  writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies: { ...files, ...peers } }))
  writeFileSync(join(project, "pnpm-workspace.yaml"), JSON.stringify({ packages: [], overrides: files }))

  // One npx for both, because its start takes longer than either. What was built has its SBOM: it is not built again.
  const pack = `pnpm -r --filter "./packages/*" --config.ignore-scripts=true pack --pack-destination "${tarballs}"`
  const add = `pnpm -C "${project}" install --prefer-offline --ignore-scripts`
  await npx(`${pack} && ${add}`)
  return project
}
