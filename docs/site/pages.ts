/**
 * Which Markdown of the repository is which page, and how one becomes the other: the title leaves the text, a link to
 * another page leads there, and any other link to a file leads to GitHub.
 */
import { renderMermaidSVG } from "beautiful-mermaid"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { posix } from "node:path"

export const root = new URL("../../", import.meta.url)

const read = (file: string) => readFileSync(new URL(file, root), "utf8")

export const repository = /https:.*(?=\.git)/.exec(read("package.json"))?.[0] ?? ""

const slugOf = (file: string) =>
  ({
    "README.md": "",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changes",
    ".github/SECURITY.md": "security"
  })[file] ?? file.replace(/^docs\/(?:(?:library|service)\/(?!README))?/, "").replace(/(\/README)?\.md$/, "")

const files = globSync(
  [
    "docs/{*,library/*,service/*,decisions/*}.md",
    "packages/*/README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ".github/SECURITY.md"
  ],
  { cwd: root }
).sort()

/** README.md is the home page, which is written for the site. */
export const slugs: ReadonlyMap<string, string> = new Map(
  [...files, "README.md"].map((file) => [file, slugOf(file)] as const)
)

/** By all that a link can name: a file, or the folder of a README.md. */
const places = new Map([
  ...[...slugs].flatMap(([file, slug]) =>
    [file, file.replace(/\/README\.md$/, "")].map((path) => [path, slug === "" ? "/" : `/${slug}/`] as const)
  ),
  ["docs/openapi.json", "/openapi/"] as const,
  ["docs/decisions", "/decisions/"] as const
])

/** A path from the root of the repository, or nothing for what is elsewhere. */
const pathOf = (file: string, link: string) => {
  if (link === repository) return "README.md"
  if (link.startsWith(repository)) return /^\/(?:blob|tree)\/main\/(.*)$/.exec(link.slice(repository.length))?.[1]
  return /^[a-z]+:|^$/.test(link) ? undefined : posix.join(posix.dirname(file), link).replace(/\/$/, "")
}

const resolve = (file: string, whole: string) => {
  const [link = "", anchor] = whole.split("#")
  const path = pathOf(file, link)
  if (path === undefined) return whole
  const fragment = anchor === undefined || anchor === "readme" ? "" : `#${anchor}`
  const place = places.get(path)
  if (place !== undefined) return `${place}${fragment}`
  const url = new URL(path, root)
  if (!existsSync(url)) throw new Error(`${file} links to ${whole}, which does not exist`)
  return `${repository}/${statSync(url).isDirectory() ? "tree" : "blob"}/main/${path}${fragment}`
}

const code = /^(```|~~~)[^]*?^\1|(`+)[^`][^]*?\2(?!`)/gm

const outsideCode = (text: string, change: (part: string) => string) => {
  const kept = text.match(code) ?? []
  return text
    .replace(code, "\0")
    .split("\0")
    .map((part, index) => change(part) + (kept[index] ?? ""))
    .join("")
}

/** The targets of links and of link definitions, which may have their beginning in a code before. */
const target = /(?<=\]\()[^)\s]+(?=\))|(?<=^\[[^\]\n]+\]: )\S+/gm

/** A paragraph that is only the link to an example becomes the example, and a program in one file runs in the page. */
const example = /^\[`?(examples\/[\w./-]+\.ts)`?\]\([^)]*\)$/gm

const shown = (_: string, file: string) => {
  const text = read(file)
  const code = `\`\`\`ts title="${file}"\n${text}\`\`\`\n`
  const isProgram = /^examples\/[\w-]+\.ts$/.test(file) && !text.includes("@cloud-management/service/node")
  return isProgram ? `${code}\n<try-example file="${file}"></try-example>\n` : code
}

/** A diagram, which GitHub draws itself. Its accTitle is its name for readers who do not see it. */
const diagram = /^```mermaid\n([^]*?)^```$/gm

const draw = (file: string, code: string) => {
  const [line = "", title] = /^ *accTitle: (.*)\n/m.exec(code) ?? []
  if (title === undefined) throw new Error(`a diagram of ${file} has no accTitle`)
  const svg = renderMermaidSVG(code.replace(line, ""), {
    bg: "var(--sl-color-bg)",
    fg: "var(--sl-color-text)",
    muted: "var(--sl-color-text)",
    transparent: true,
    padding: 4,
    nodeSpacing: 12,
    layerSpacing: 24
  })
  const picture = svg
    .replace("<svg ", `<svg role="img" aria-label=${JSON.stringify(title)} `)
    // a font from elsewhere
    .replace(/@import url.*;/g, "")
    // Markdown would go on after an empty line
    .replace(/\n\s*\n/g, "\n")
  return `<div class="diagram">${picture}</div>`
}

export const page = (file: string, isDrawn = true): string => {
  const [, title = "", text = ""] = /^# (.*)\n([^]*)$/.exec(read(file)) ?? []
  if (title === "") throw new Error(`${file} does not begin with a title`)
  const paragraph = text.split(/\n\n+/).find((block) => /^\s*(?:\*\*|[A-Z[]|`(?!``))/.test(block)) ?? title
  const description = paragraph
    .replace(/\[([^\]]*)\](?:\([^)]*\))?|[`*]/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
  const front = { title, description, editUrl: `${repository}/edit/main/${file}` }
  const drawn = isDrawn ? text.replace(diagram, (_, code: string) => draw(file, code)) : text
  const body = outsideCode(drawn.replace(example, shown), (part) => part.replace(target, (link) => resolve(file, link)))
  return `---\n${JSON.stringify(front)}\n---\n${body}`
}
