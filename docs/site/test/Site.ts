/** The built site, served to a browser of this machine. */
import { preview } from "astro"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core"
import * as Program from "../../../checks/fixtures/Program.ts"

export const root = fileURLToPath(new URL("..", import.meta.url))

export interface Site {
  readonly url: string
  readonly browser: Browser
}

export const withSite = async <A>(use: (site: Site) => Promise<A>): Promise<A> => {
  const server = await preview({ root, logLevel: "error", server: { host: "127.0.0.1", port: 0 } })
  const browser = await chromium.launch({
    executablePath: Program.find("chromium") ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
  })
  try {
    return await use({ url: `http://127.0.0.1:${server.port}`, browser })
  } finally {
    await browser.close()
    await server.stop()
  }
}

export const open = async (page: Page, url: string): Promise<void> => {
  const response = await page.goto(url)
  if (response?.ok() !== true && !url.endsWith("/404.html"))
    throw new Error(`${url} responds with ${response?.status()}`)
}

/** In a context of its own. What its Content-Security-Policy blocks is an error. */
export const visit = async <A>(
  { browser, url }: Site,
  path: string,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<A>
): Promise<A> => {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options })
  try {
    // what hangs ends; what is slow may share its machine
    context.setDefaultTimeout(120_000)
    const page = await context.newPage()
    const blocked: Array<string> = []
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) blocked.push(`${page.url()}: ${message.text()}`)
    })
    await open(page, url + path)
    const result = await use(page)
    if (blocked.length > 0) throw new Error(blocked.join("\n"))
    return result
  } finally {
    await context.close()
  }
}

/** With all that the page has loaded, after gzip, in kB (1000 bytes). */
export const weigh = async ({ url }: Site, page: Page): Promise<number> => {
  const names = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name))
  const sizes = [...new Set([page.url().replace(/#.*/, ""), ...names])]
    .filter((name) => name.startsWith(url))
    .map(async (name) => gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length / 1000)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
