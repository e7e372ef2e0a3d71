/** Writes the pages that come from elsewhere in the repository into the folder that Starlight reads. */
import type { AstroIntegration } from "astro"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { snippets } from "../../checks/documents/markdown.ts"
import * as Command from "./command.ts"
import * as Modules from "./modules.ts"
import { page, root, slugs } from "./pages.ts"
import { scenarios } from "./src/lab/scenario.ts"

const folder = new URL("src/content/docs/", import.meta.url)

const write = (slug: string, text: string) => {
  const file = new URL(`${slug}.md`, folder)
  mkdirSync(new URL(".", file), { recursive: true })
  writeFileSync(file, text)
}

/** Now: later, Vite loads no module for the settings. */
const reference = await Effect.runPromise(Command.reference)
const whole = (file: string, isDrawn?: boolean) =>
  page(file, isDrawn) + (file === "packages/cli/README.md" ? `\n${reference}\n` : "")

const writePage = (file: string) => {
  const slug = slugs.get(file)
  if (slug !== undefined && slug !== "") write(slug, whole(file))
}

/** Writes the programs that the home page shows, so that they run there, and the client that they call. */
const writeHome = () => {
  const home = fileURLToPath(new URL("src/try/home", import.meta.url))
  mkdirSync(home, { recursive: true })
  const shown = snippets(readFileSync(new URL("index.mdx", folder), "utf8"))
  for (const [index, name] of ["effect", "promises"].entries())
    writeFileSync(`${home}/${name}.ts`, `${shown[index]}\nexport {}\n`)
  execFileSync("cloud-management-generate", ["examples/orders.yaml", "--out", `${home}/api`], {
    cwd: root,
    stdio: "pipe"
  })
}

const writeAll = async () => {
  // what TypeDoc writes, it removes itself
  for (const file of globSync("**/*.md", { cwd: folder, exclude: ["api"] })) rmSync(new URL(file, folder))
  for (const file of slugs.keys()) writePage(file)
  writeHome()
  const decisions = [...slugs].filter(([file]) => file.startsWith("docs/decisions/"))
  const list = decisions.map(([file, slug]) => `- [${/"title":"(.*?)"/.exec(page(file))?.[1]}](/${slug}/)`)
  write(
    "decisions/index",
    `---\ntitle: All decisions\nsidebar: { order: 0 }\neditUrl: false\n---\n${list.join("\n")}\n`
  )
}

/** The fault lab for programs that read: what each scenario shows. */
const lab = [
  `---\n${JSON.stringify({ title: "Fault lab", description: "How two policies of the client cope with the same faults, in a page." })}\n---`,
  "The client and the service run in the page `/lab/`, on virtual time. Each scenario is a link:",
  ...Object.entries(scenarios).map(
    ([name, { story, title }]) => `## ${title}\n\n${story}\n\n[Run it](/lab/#scenario=${name})`
  ),
  ""
].join("\n\n")

/** Writes each page as Markdown too, for programs that read, and llms.txt, which lists them. */
const writeMarkdown = (dist: URL) => {
  const originals = new Map([...slugs].map(([file, slug]) => [slug, file]))
  const sources = globSync("**/*.md", { cwd: folder }).map((file) => {
    const slug = file.replace(/(?:\/index)?\.md$/, "")
    const original = originals.get(slug)
    const source = original === undefined ? readFileSync(new URL(file, folder), "utf8") : whole(original, false)
    return [slug.toLowerCase(), source] as const
  })
  const list = [
    ["index", page("README.md", false)] as const,
    ["lab", lab] as const,
    ...sources.toSorted(([one], [other]) => one.localeCompare(other))
  ].map(([slug, source]) => {
    const [, front = "", text = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(source) ?? []
    const field = (name: string): string => {
      const [, value = ""] = new RegExp(`(?:"${name}":|^${name}: )("(?:[^"\\\\]|\\\\.)*"|.*)`, "m").exec(front) ?? []
      return value.startsWith('"') ? JSON.parse(value) : value
    }
    const file = new URL(`${slug}.md`, dist)
    mkdirSync(new URL(".", file), { recursive: true })
    // what runs in a page is of no use without it
    writeFileSync(file, `# ${field("title")}\n${text.replaceAll(/<try-example[^>]*><\/try-example>\n*/g, "")}`)
    return `- [${field("title")}](/${slug}.md): ${Modules.purposes.get(field("title")) ?? field("description")}`
  })
  const about = "A client of your API that knows whether a failed call took effect, for Effect and for promises."
  writeFileSync(new URL("llms.txt", dist), `# Cloud Management\n\n> ${about}\n\n## Pages\n\n${list.join("\n")}\n`)
}

/** Writes them before Starlight reads them, and while the site is served each one that changes. */
export const content: AstroIntegration = {
  name: "content",
  hooks: {
    "astro:config:setup": ({ command }) => (command === "preview" ? undefined : writeAll()),
    // after TypeDoc has written a list of its own
    "astro:config:done": () => write("api/index", Modules.page),
    "astro:build:done": ({ dir }) => writeMarkdown(dir),
    "astro:server:setup": ({ server }) => {
      server.watcher.add([...slugs.keys()].map((file) => fileURLToPath(new URL(file, root))))
      server.watcher.on("change", (path) => writePage(relative(fileURLToPath(root), path)))
    }
  }
}
