/**
 * Builds, packs and installs the packages as a stranger would: what is in the tarballs, whether their manifests and
 * types resolve, whether their SBOMs are complete, and whether every public module loads outside the workspace.
 * It catches a package that cannot be published.
 */
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

const inspect = async (pack: (typeof Stranger.packages)[number]) => {
  const { manifest, modules, name, tarball } = pack
  const paths = Object.keys(manifest.exports).filter((key) => !key.endsWith(".json"))
  const imports = paths.map((path) => `import "${name}${path.slice(1)}"`)
  const isLibrary = modules.length > 0
  const [listing, text, sbom] = await Promise.all([
    run("tar", ["-tzf", tarball]),
    run("tar", ["-xzOf", tarball, "package/package.json"]),
    run("tar", ["-xzOf", tarball, `package/${Stranger.sbom}`]),
    run(Stranger.bin("publint"), ["run", "--strict", tarball]),
    paths.length > 0 &&
      run(Stranger.bin("attw"), ["--profile", "esm-only", "--no-emoji", tarball, "--entrypoints", ...paths]),
    run(process.execPath, ["--input-type=module", "--eval", imports.join("\n")], project)
  ])
  const packed = new Set(listing.match(/(?<=^package\/).+$/gm))
  const expected = Stranger.contents(pack)
  for (const file of expected.difference(packed)) problems.push(`${name} lacks ${file}`)
  for (const file of packed.difference(expected)) problems.push(`${name} should not contain ${file}`)

  const published = Stranger.manifest(text)
  for (const other of Object.keys({ ...published.dependencies, ...published.peerDependencies })) {
    expect(sbom.includes(`"pkg:npm/${other.replace("@", "%40")}@`), `${name}: its SBOM lacks ${other}`)
  }
  expect(!/"(workspace|catalog):/.test(text), `${name}: a workspace: or catalog: range is left`)
  expect(!JSON.stringify([published.exports, published.bin]).includes("/src/"), `${name}: src is what is loaded`)
  expect(published.dependencies?.["effect"] === undefined, `${name}: effect is a dependency`)
  if (isLibrary) {
    expect(published.sideEffects === false, `${name}: sideEffects is not false`)
    expect(published.peerDependencies?.["effect"] !== undefined, `${name}: effect is no peer dependency`)
  } else {
    expect(published.dependencies === undefined, `${name}: depends on what it holds`)
    expect(published.peerDependencies === undefined, `${name}: asks for what it holds`)
  }
  for (const command of Object.keys(published.bin ?? {})) {
    await run(join(project, "node_modules/.bin", command), ["--version"])
  }
}
await Promise.all(Stranger.packages.map(inspect))

const [, missing] = await Stranger.run(
  "npx",
  ["--no-install", "cloud-management-generate", "verify", "no.json", "no"],
  project
).then(
  () => ["", ""],
  (error: Error) => error.message.split("\n", 2)
)
expect(
  missing?.startsWith("error: no.json: ENOENT") === true,
  `the command takes a problem that verify has found for a defect: ${missing}`
)

console.log(
  problems.length === 0
    ? `${Stranger.packages.length} packages are fit to publish, each with its SBOM. In a project of your own:
npm install ${Stranger.tarballs}/*-{browser,client,core,node,promise}-*.tgz effect
npm install --save-dev ${Stranger.tarballs}/*-{cli,generator,service,testing}-*.tgz`
    : problems.join("\n\n")
)
process.exitCode = problems.length === 0 ? 0 : 1
