/** Catches links in documents, and in the packages' READMEs on npm, that lead nowhere. */
import { describe, expect, it } from "@effect/vitest"
import { Advice } from "@cloud-management/core"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")
const project = "https://github.com/cloud-management/cloud-management"
const read = (path: string) => readFileSync(join(root, path), "utf8")

const withoutCode = (text: string) => text.replace(/^```[^]*?^```$/gm, "").replace(/^(?: {4}.*\n)+/gm, "")

/** The targets of a document's links; that of a named link without a definition is `[name]`. */
const links = (text: string) => {
  const prose = withoutCode(text)
  return Array.from(
    prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|\](\[[^\]]+\])/gm),
    ([, inline, defined, named = ""]) => inline ?? defined ?? named
  ).filter((link) => !(link.startsWith("[") && prose.includes(`\n${link}: `)))
}

const anchors = (text: string) =>
  Array.from(withoutCode(text).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

const leads = (path: string, anchor = "") => {
  const file = join(root, path)
  if (!existsSync(file)) return false
  const document = statSync(file).isDirectory() ? join(path, "README.md") : path
  return anchor === "" || anchor === "readme" || anchors(read(document)).includes(anchor)
}

const broken = (file: string) =>
  links(read(file)).filter((link) => {
    const [target = "", anchor] = link.split("#")
    const [, inProject] = /^(?:\/(?:blob|tree)\/main\/|\/issues$|$)(.*)$/.exec(target.split(project)[1] ?? "none") ?? []
    if (target.startsWith(project)) return inProject === undefined || !leads(inProject, anchor)
    if (target.startsWith("https://")) return false
    return !leads(target === "" ? file : normalize(join(dirname(file), target)), anchor)
  })

describe("a link leads somewhere", () => {
  it.each(globSync(["*.md", "docs/{*,library/*,service/*,decisions/*}.md", "packages/*/README.md"], { cwd: root }))(
    "in %s",
    (file) => {
      expect(broken(file)).toEqual([])
    }
  )

  it.each(globSync("packages/*", { cwd: root }))("in the tarball of %s, which lacks the rest", (folder) => {
    const { files }: { readonly files: ReadonlyArray<string> } = JSON.parse(read(`${folder}/package.json`))
    const outside = links(read(`${folder}/README.md`)).filter(
      (link) => !/^(?:https:\/\/|#)/.test(link) && !files.includes(link.split("/")[0] ?? "")
    )
    expect(outside).toEqual([])
  })
})

it("each reason of a call has a heading in errors.md", () => {
  const text = read("docs/library/errors.md")
  const isHeading = (reason: string) => new RegExp(`^### .*${reason}`, "m").test(text)
  expect(Object.keys(Advice.byReason).filter((reason) => !isHeading(reason))).toEqual([])
})
