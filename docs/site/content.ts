/** Writes the pages that come from elsewhere in the repository into the folder that Starlight reads. */
import type { AstroIntegration } from "astro"
import * as Effect from "effect/Effect"
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import * as Command from "./command.ts"
import { page, root, slugs } from "./pages.ts"

const folder = new URL("src/content/docs/", import.meta.url)

const write = (slug: string, text: string) => {
  const file = new URL(`${slug}.md`, folder)
  mkdirSync(new URL(".", file), { recursive: true })
  writeFileSync(file, text)
}

const writePage = (file: string) => {
  const slug = slugs.get(file)
  if (slug !== undefined && slug !== "") write(slug, page(file))
}

const writeAll = async () => {
  // what TypeDoc writes, it removes itself
  for (const file of globSync("**/*.md", { cwd: folder, exclude: ["api"] })) rmSync(new URL(file, folder))
  for (const file of slugs.keys()) writePage(file)
  const decisions = [...slugs].filter(([file]) => file.startsWith("docs/decisions/"))
  const list = decisions.map(([file, slug]) => `- [${/"title":"(.*?)"/.exec(page(file))?.[1]}](/${slug}/)`)
  write(
    "decisions/index",
    `---\ntitle: All decisions\nsidebar: { order: 0 }\neditUrl: false\n---\n${list.join("\n")}\n`
  )
  write("command", await Effect.runPromise(Command.page))
}

/** Writes them before Starlight reads them, and while the site is served each one that changes. */
export const content: AstroIntegration = {
  name: "content",
  hooks: {
    "astro:config:setup": ({ command }) => (command === "preview" ? undefined : writeAll()),
    "astro:server:setup": ({ server }) => {
      server.watcher.add([...slugs.keys()].map((file) => fileURLToPath(new URL(file, root))))
      server.watcher.on("change", (path) => writePage(relative(fileURLToPath(root), path)))
    }
  }
}
