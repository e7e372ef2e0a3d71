/**
 * `npm run release -- --dry-run`: goes through a release and publishes nothing. Without the flag, which is for
 * `.github/workflows/release.yml`, it publishes what npm does not have yet. A known vulnerability in what the packages
 * bring stops it, and so does a registry that does not respond, except in a dry run.
 *
 * The tarballs are those that `checks/release/packages.ts` has just packed and checked.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize, resolve } from "node:path"
import { audit, shipped } from "./stranger.ts"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly type?: string
  readonly license?: string
  readonly engines?: Record<string, string>
  readonly repository?: { readonly url: string; readonly directory: string }
  readonly publishConfig?: Record<string, unknown>
}
interface Tarball {
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

const isDry = process.argv.includes("--dry-run")
const problems: Array<string> = []
const expect = (holds: boolean, problem: string) => {
  if (!holds) problems.push(problem)
}
const run = (command: string, args: ReadonlyArray<string>, cwd = ".") => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: Infinity })
  return { ok: status === 0, stdout, output: `${command} ${args.join(" ")}\n${stdout}${stderr}` }
}
const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** What is published, each after what it depends on. */
const folders = ["core", "node", "browser", "promise", "service", "testing", "cli", "generator"].map(
  (name) => `packages/${name}`
)
expect(
  globSync("packages/*").length === folders.length,
  `packages/ holds ${globSync("packages/*").join(", ")}; published are ${folders.join(", ")}`
)

/** The next release in a copy of what changesets look at, so that a mistake in their configuration shows today. */
const rehearse = () => {
  const copy = mkdtempSync(join(tmpdir(), "release-"))
  const workspace = globSync([
    "package.json",
    "pnpm-workspace.yaml",
    "{packages/,checks/,}*/package.json",
    ".changeset/*"
  ])
  for (const file of workspace) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(file, join(copy, file))
  }
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"))
  writeFileSync(join(copy, ".changeset/rehearsal.md"), `---\n"@cloud-management/core": patch\n---\n\nA rehearsal.\n`)
  const { ok, output } = run(resolve("node_modules/.bin/changeset"), ["version"], copy)
  const next = folders.map((folder) => manifest(join(copy, folder)).version)
  const changelogs = globSync("packages/*/CHANGELOG.md", { cwd: copy })
  rmSync(copy, { recursive: true })
  expect(ok, output)
  expect(new Set(next).size === 1, `the next release has several versions: ${next.join(", ")}`)
  expect(next[0] !== manifest("packages/core").version, "a changeset does not change the version")
  expect(changelogs.length === folders.length, `of the changelogs there are ${changelogs.join(", ")} only`)
  console.log(`the next release with a fix in it would be ${next[0]}`)
}

/** What npm would publish of a tarball, file by file. */
const inspect = (folder: string, tarball: string) => {
  const unpacked = mkdtempSync(join(tmpdir(), "release-"))
  const tar = run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"])
  if (!tar.ok) throw new Error(tar.output)
  const { engines, license, name, publishConfig, repository, version } = manifest(unpacked)
  const { ok, output, stdout } = run("npm", ["pack", "--dry-run", "--json", tarball])
  if (!ok) throw new Error(output)
  const packed: ReadonlyArray<Tarball> = Object.values(JSON.parse(stdout))
  for (const { files, size, unpackedSize } of packed) {
    console.log(`\n${name} ${version}: ${files.length} files, ${kilobytes(size)}, unpacked ${kilobytes(unpackedSize)}`)
    // a module with what was built from it in one line
    const paths = new Set(files.map(({ path }) => path))
    const modules = Map.groupBy(files, ({ path }) =>
      path.replace(/^(?:dist|src)\/(.+?)(?:\.d)?\.[jt]s(?:\.map)?$/, "$1")
    )
    for (const [module, files] of modules) {
      const sum = files.reduce((sum, { size }) => sum + size, 0)
      console.log(`${kilobytes(sum).padStart(10)}  ${module}${files.length > 1 ? ` (${files.length} files)` : ""}`)
    }
    const limit = paths.has("dist/main.js") ? 2_000_000 : 350_000
    expect(size < limit, `${name} has grown to ${kilobytes(size)}`)
    for (const file of ["AGENTS.md", "CHANGELOG.md", "LICENSE", "README.md"])
      expect(paths.has(file), `${name} lacks ${file}`)
    for (const path of paths) {
      expect(!/(^|\/)(test|node_modules)\/|\.(test|tsbuildinfo)\b/.test(path), `${name} should not hold ${path}`)
      if (!path.endsWith(".map")) continue
      const map: { readonly sources: ReadonlyArray<string> } = JSON.parse(readFileSync(join(unpacked, path), "utf8"))
      for (const source of map.sources) {
        expect(
          paths.has(normalize(join(dirname(path), source))),
          `${name}: ${path} points to ${source}, which is not there`
        )
      }
    }
  }
  rmSync(unpacked, { recursive: true })

  // what npm looks at when it signs where a package comes from
  const { repository: home } = manifest(".")
  expect(repository?.url === home?.url && home !== undefined, `${name}: its repository is not that of the project`)
  expect(repository?.directory === folder, `${name}: its repository does not say ${folder}`)
  expect(publishConfig?.["provenance"] === true, `${name}: is published without provenance`)
  expect(publishConfig?.["access"] === "public", `${name}: is not published to everybody`)
  expect(license === "MIT" && engines?.["node"] !== undefined, `${name}: lacks its license or engines`)
  expect(
    readFileSync(join(folder, "CHANGELOG.md"), "utf8").includes(`\n## ${version}\n`),
    `${folder}/CHANGELOG.md says nothing of ${version}`
  )
}
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

const isPublished = (name: string, version: string) => {
  const { ok, output, stdout } = run("npm", ["view", `${name}@${version}`, "version", "--json"])
  expect(ok || stdout.includes('"E404"'), output)
  return ok && stdout.trim() !== ""
}

if (isDry) rehearse()
const { version } = manifest("packages/core")
const tarballs = folders.map((folder) => {
  const { name, version } = manifest(folder)
  return {
    folder,
    name,
    file: resolve(`node_modules/.cache/tarballs/${name.slice(1).replace("/", "-")}-${version}.tgz`)
  }
})
for (const { file, folder } of tarballs) inspect(folder, file)

const home = manifest(".").repository?.url ?? ""
const here = process.env["GITHUB_REPOSITORY"]
expect(
  isDry || home === `git+https://github.com/${here}.git`,
  `published from ${here}, provenance would not be ${home}`
)

console.log("")
await audit(shipped, isDry).then(
  (said) => console.log(said || "vulnerabilities: not checked, the registry did not respond"),
  ({ message }: Error) => problems.push(message)
)

for (const { file, name } of tarballs) {
  const is = isPublished(name, version)
  if (problems.length > 0) break
  if (is) {
    console.log(`${name} ${version} is already published`)
    continue
  }
  const { ok, output } = run("npm", ["publish", file, ...(isDry ? ["--dry-run"] : [])])
  expect(ok, output)
  if (ok) console.log(`${name} ${version} ${isDry ? "would be" : "is"} published`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
