/** Builds, packs and installs the packages as a stranger would. It catches one that cannot be published. */
import { globSync, mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
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
const home = Stranger.manifest(readFileSync("package.json", "utf8")).repository

const project = await Stranger.install()

const inspect = async (pack: (typeof Stranger.packages)[number]) => {
  const { folder, manifest, modules, name, tarball } = pack
  const must = (holds: boolean, problem: string) => expect(holds, `${name}: ${problem}`)
  const paths = Object.keys(manifest.exports).filter((key) => !key.endsWith(".json"))
  const imports = paths.map((path) => `import "${name}${path.slice(1)}"`)
  const unpacked = mkdtempSync(join(tmpdir(), "package-"))
  await Promise.all([
    run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]),
    run(Stranger.bin("publint"), ["run", "--strict", tarball]),
    paths.length > 0 &&
      run(Stranger.bin("attw"), ["--profile", "esm-only", "--no-emoji", tarball, "--entrypoints", ...paths]),
    run(process.execPath, ["--input-type=module", "--eval", imports.join("\n")], project)
  ])
  const read = (file: string) => readFileSync(join(unpacked, file), "utf8")
  const packed = new Set(
    globSync("**", { cwd: unpacked, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1))
  )
  const expected = Stranger.contents(pack)
  for (const file of expected.difference(packed)) must(false, `lacks ${file}`)
  for (const file of packed.difference(expected)) must(false, `should not contain ${file}`)
  for (const path of [...packed].filter((path) => path.endsWith(".map"))) {
    const { sources }: { readonly sources: ReadonlyArray<string> } = JSON.parse(read(path))
    for (const source of sources) must(packed.has(join(dirname(path), source)), `${path} points to ${source}`)
  }
  const { size } = statSync(tarball)
  must(size < (modules.length === 0 ? 2_000_000 : 350_000), `has grown to ${(size / 1000).toFixed(1)} kB`)

  const text = read("package.json")
  const { bin = {}, dependencies, engines, exports, license, peerDependencies, ...published } = Stranger.manifest(text)
  const sbom = read(Stranger.sbom)
  for (const other of Object.keys({ ...dependencies, ...peerDependencies })) {
    must(sbom.includes(`"pkg:npm/${other.replace("@", "%40")}@`), `its SBOM lacks ${other}`)
  }
  must(!/"(workspace|catalog):/.test(text), "a workspace: or catalog: range is left")
  must(!JSON.stringify([exports, bin]).includes("/src/"), "src is what is loaded")
  must(dependencies?.["effect"] === undefined, "effect is a dependency")
  if (modules.length > 0) {
    must(published.sideEffects === false, "sideEffects is not false")
    must(peerDependencies?.["effect"] !== undefined, "effect is no peer dependency")
  } else {
    must(dependencies === undefined, "depends on what it holds")
    must(peerDependencies === undefined, "asks for what it holds")
  }
  for (const command of Object.keys(bin)) await run(join(project, "node_modules/.bin", command), ["--version"])

  // what npm looks at when it signs where a package comes from
  const { publishConfig, repository, version } = published
  must(repository?.url === home?.url && home !== undefined, "its repository is not that of the project")
  must(repository?.directory === folder, `its repository does not say ${folder}`)
  must(publishConfig?.["provenance"] === true, "is published without provenance")
  must(publishConfig?.["access"] === "public", "is not published to everybody")
  must(license === "MIT" && engines?.["node"] !== undefined, "lacks its license or engines")
  must(read("CHANGELOG.md").includes(`\n## ${version}\n`), `its changelog says nothing of ${version}`)
}
await Promise.all(Stranger.packages.map(inspect))

const verify = ["--no-install", "cloud-management-generate", "verify", "no.json", "no"]
const complaint = await Stranger.run("npx", verify, project).catch(({ message }: Error) => message)
expect(
  complaint.split("\n")[1]?.startsWith("error: no.json: ENOENT") === true,
  `the command takes a problem that verify has found for a defect: ${complaint}`
)

console.log(
  problems.length === 0
    ? `${Stranger.packages.length} packages are fit to publish, each with its SBOM. In a project of your own:
npm install ${Stranger.tarballs}/*-{browser,client,core,node,promise}-*.tgz effect
npm install --save-dev ${Stranger.tarballs}/*-{cli,generator,service,testing}-*.tgz`
    : problems.join("\n\n")
)
process.exitCode = problems.length === 0 ? 0 : 1
