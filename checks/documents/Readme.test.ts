import { describe, expect, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize, resolve } from "node:path"
import { rows } from "./documents.ts"

interface Manifest {
  readonly name: string
  readonly description?: string
  readonly keywords?: ReadonlyArray<string>
  readonly homepage?: string
  readonly bugs?: { readonly url: string }
  readonly files: ReadonlyArray<string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}

const root = resolve(import.meta.dirname, "../..")
const project = "https://github.com/cloud-management/cloud-management"
const read = (path: string) => readFileSync(join(root, path), "utf8")
const packages = globSync("packages/*", { cwd: root }).map((folder) => {
  const manifest: Manifest = JSON.parse(read(`${folder}/package.json`))
  return { folder, manifest, name: manifest.name, readme: read(`${folder}/README.md`) }
})

const withoutCode = (text: string) => text.replace(/^```[^]*?^```$/gm, "").replace(/^(?: {4}.*\n)+/gm, "")
const links = (text: string) =>
  Array.from(
    withoutCode(text).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/gm),
    ([, inline, named = ""]) => inline ?? named
  )

/** The anchors of a document, as GitHub makes them of its headings. */
const anchors = (text: string) =>
  Array.from(withoutCode(text).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

/** Whether a link leads to a file or folder of the repository, and its anchor to a heading there. */
const leads = (path: string, anchor = "") => {
  const file = join(root, path)
  if (!existsSync(file)) return false
  const document = statSync(file).isDirectory() ? join(path, "README.md") : path
  return anchor === "" || anchor === "readme" || anchors(read(document)).includes(anchor)
}

/** The links of a document that lead nowhere. */
const broken = (file: string, text = read(file)) =>
  links(text).filter((link) => {
    const [target = "", anchor] = link.split("#")
    const [, inProject] = /^(?:\/(?:blob|tree)\/main\/|\/issues$|$)(.*)$/.exec(target.split(project)[1] ?? "none") ?? []
    if (target.startsWith(project)) return inProject === undefined || !leads(inProject, anchor)
    if (target.startsWith("https://")) return false
    return !leads(target === "" ? file : normalize(join(dirname(file), target)), anchor)
  })

describe.each(packages)("the README of $name", ({ folder, manifest, name, readme }) => {
  it("names the package, and installs it with its peers", () => {
    expect(readme.startsWith(`# ${name}\n`)).toBe(true)
    const installed = Array.from(readme.matchAll(/^ {4}npm install ([^#\n]+)/gm), ([, names = ""]) => names).join(" ")
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
      // npm installs the peer of the package whose users never import it
      (peer) => manifest.peerDependenciesMeta?.[peer]?.optional !== true && name !== "@cloud-management/promise"
    )
    expect(installed.split(" ")).toEqual(expect.arrayContaining([name, ...peers]))
  })

  it("links to nothing that its tarball does not have, and to nothing that is not there", () => {
    const outside = links(readme).filter(
      (link) => !/^(?:https:\/\/|#)/.test(link) && !manifest.files.includes(link.split("/")[0] ?? "")
    )
    expect(outside).toEqual([])
    expect(links(readme)).toContain(`${project}#readme`)
    expect(broken(`${folder}/README.md`)).toEqual([])
  })

  it("has a manifest that says what the package is, and where to look and complain", () => {
    const { bugs, description = "", homepage, keywords = [] } = manifest
    expect(description.length).toBeGreaterThan(40)
    expect(keywords).toContain("cloud-management")
    expect({ bugs, homepage }).toEqual({
      bugs: { url: `${project}/issues` },
      homepage: `${project}/tree/main/${folder}#readme`
    })
  })
})

describe("the README of the project", () => {
  const readme = read("README.md")

  it("begins with the commands that need Node and npm only", () => {
    const [, first = ""] = /^```sh\n([^]*?)^```$/m.exec(readme) ?? []
    expect(first.match(/^npm .*?(?=  |$)/gm)).toEqual(["npm run demo", "npm test"])
  })

  it("shows the first of the examples", () => {
    const program = read("examples/first-program.ts")
    expect(readme).toContain(program.slice(program.indexOf("import ")))
  })

  it("has no link whose target is missing, in the table with named ones", () => {
    const targets = new Set(Array.from(readme.matchAll(/^\[([^\]]+)\]: /gm), ([, name]) => name))
    const used = new Set(Array.from(readme.matchAll(/\]\[([^\]]+)\]/g), ([, name]) => name))
    expect(used).toEqual(targets)
    expect(used.size).toBeGreaterThan(5)
  })

  it("links each cell of the comparison to its evidence", () => {
    const table = rows(readme, "## Comparison").flatMap(([, ...cells]) => cells)
    expect(table.filter((cell) => !cell.includes("][") && cell !== "nothing" && cell !== "any API")).toEqual([])
    expect(table.length).toBeGreaterThan(40)
  })

  it("has the sizes and the counts that the documents have", () => {
    const [size = [], storm = []] = ["size in a page", "1,000 calls"].map((name) =>
      rows(readme, "## Comparison").find(([first = ""]) => first.startsWith(name))
    )
    for (const [claim] of size.join(" ").matchAll(/[\d.]+ kB/g)) expect(read("docs/performance.md")).toContain(claim)
    const played = rows(read("docs/comparison.md"), "## Calls under faults").find(([name = ""]) =>
      name.startsWith("1,000 calls")
    )
    const counts = storm.slice(1).map((cell) => /[\d,]+ requests/.exec(cell)?.[0])
    expect(counts).toEqual(played?.slice(1))
  })

  it.each(["README.md", "CONTRIBUTING.md", ...globSync(["docs/*.md", "docs/decisions/*.md"], { cwd: root })])(
    "links to nothing that is not there: %s",
    (file) => {
      expect(broken(file)).toEqual([])
    }
  )

  it("knows a link that leads nowhere", () => {
    const text = `[a](none.md) [b](README.md#none) [c](${project}/blob/main/none.md) [d](${project}/wiki) [e](README.md#packages)`
    expect(broken("README.md", text)).toEqual([
      "none.md",
      "README.md#none",
      `${project}/blob/main/none.md`,
      `${project}/wiki`
    ])
  })
})
