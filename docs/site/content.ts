/** Writes the pages that come from elsewhere in the repository into the folder that Starlight reads. */
import * as Effect from "effect/Effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as Command from "./command.ts"
import { page, slugs } from "./pages.ts"

const folder = new URL("src/content/docs/", import.meta.url)

const write = (slug: string, text: string) => {
  const file = new URL(`${slug}.md`, folder)
  mkdirSync(new URL(".", file), { recursive: true })
  writeFileSync(file, text)
}

/** Writes one page anew, when its source has changed. */
export const writePage = (file: string) => {
  const slug = slugs.get(file) ?? ""
  if (slug !== "") write(slug, page(file))
}

/** Writes all of them. */
export const writeAll = async () => {
  for (const name of ["decisions", "packages"]) rmSync(new URL(name, folder), { recursive: true, force: true })
  for (const file of slugs.keys()) writePage(file)
  const decisions = [...slugs].filter(([file]) => file.startsWith("docs/decisions/"))
  const list = decisions.map(([file, slug]) => `- [${/title":"(.*?)"/.exec(page(file))?.[1]}](/${slug}/)`)
  write("decisions/index", `---\ntitle: Decisions\neditUrl: false\n---\n${list.join("\n")}\n`)
  write("command", await Effect.runPromise(Command.page))
}
