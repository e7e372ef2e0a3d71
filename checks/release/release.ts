/**
 * `npm run release -- --dry-run` publishes nothing. Without it, for `.github/workflows/release.yml`, this publishes what npm
 * does not have of the tarballs of `packages.ts`. A known vulnerability stops it, and so does a silent registry.
 */
import { cpSync, globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import * as Stranger from "./stranger.ts"

const isDry = process.argv.includes("--dry-run")
const problems: Array<string> = []
const expect = (holds: boolean, problem: string) => {
  if (!holds) problems.push(problem)
}
const manifest = (folder: string) => Stranger.manifest(readFileSync(join(folder, "package.json"), "utf8"))

const order = ["client", "core", "node", "browser", "promise", "service", "testing", "cli", "generator"]
const all = order.flatMap((name) => Stranger.packages.filter(({ folder }) => folder === `packages/${name}`))
expect(
  all.length === Stranger.packages.length,
  `packages/ holds ${Stranger.packages.map(({ folder }) => folder).join(", ")}; published are ${order.join(", ")}`
)

/** The next release in a copy of what changesets look at, so that a mistake in their configuration shows today. */
const rehearse = async () => {
  const copy = mkdtempSync(join(tmpdir(), "release-"))
  const workspace = ["package.json", "pnpm-workspace.yaml", "{packages/,checks/,}*/package.json", ".changeset/*"]
  for (const file of globSync(workspace)) cpSync(file, join(copy, file))
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"))
  writeFileSync(join(copy, ".changeset/rehearsal.md"), `---\n"@cloud-management/core": patch\n---\n\nA rehearsal.\n`)
  await Stranger.run(Stranger.bin("changeset"), ["version"], copy)
  const next = all.map(({ folder }) => manifest(join(copy, folder)).version)
  const changelogs = globSync("packages/*/CHANGELOG.md", { cwd: copy })
  expect(new Set(next).size === 1, `the next release has several versions: ${next.join(", ")}`)
  expect(next[0] !== manifest("packages/core").version, "a changeset does not change the version")
  expect(changelogs.length === all.length, `of the changelogs there are ${changelogs.join(", ")} only`)
  console.log(`the next release with a fix in it would be ${next[0]}`)
}

const packFromClone = async () => {
  const folder = mkdtempSync(join(tmpdir(), "release-"))
  await Stranger.packUnbuilt(folder)
  for (const pack of all) {
    const listing = await Stranger.run("tar", ["-tzf", join(folder, basename(pack.tarball))])
    const lacks = Stranger.contents(pack).difference(new Set(listing.match(/(?<=^package\/).+$/gm)))
    lacks.delete(Stranger.sbom)
    expect(lacks.size === 0, `${pack.name}, packed where nothing is built, lacks ${lacks.size} files`)
  }
}

const isPublished = (name: string, version: string) =>
  Stranger.run("npm", ["view", `${name}@${version}`, "version", "--json"]).then(
    (stdout) => stdout.trim() !== "",
    ({ message }: Error) => {
      expect(message.includes("E404"), message)
      return false
    }
  )

if (isDry) {
  await rehearse()
  await packFromClone()
}

const home = manifest(".").repository?.url ?? ""
const here = process.env["GITHUB_REPOSITORY"]
expect(
  isDry || home === `git+https://github.com/${here}.git`,
  `published from ${here}, provenance would not be ${home}`
)

console.log("")
await Stranger.audit(Stranger.shipped, isDry).then(
  (said) => console.log(said || "vulnerabilities: not checked, the registry did not respond"),
  ({ message }: Error) => problems.push(message)
)

for (const { manifest, name, tarball } of all) {
  const { version } = manifest
  const is = await isPublished(name, version)
  if (problems.length > 0) break
  if (is) {
    console.log(`${name} ${version} is already published`)
    continue
  }
  await Stranger.run("npm", ["publish", tarball, ...(isDry ? ["--dry-run"] : [])])
  console.log(`${name} ${version} ${isDry ? "would be" : "is"} published`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
