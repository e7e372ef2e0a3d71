/** Presses the buttons: what an example prints in the page is what it prints in a terminal, and fits into the page. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as Links from "./links.ts"
import { visit, type Site } from "./Site.ts"

const examples = () =>
  Links.pages().flatMap(({ html, path }) =>
    Array.from(html.matchAll(/<try-example file="([^"]+)"/g), ([, file = ""]) => ({ path, file }))
  )

const order = "DELETE /v1/orders/0b0e8a3e-1f7c-4a53-9d0c-3a7d1c6f2b11"
const cancelled = `${order}: done, but its response is lost\n${order}: 404\ncancelled\n`
/** Of programs that need a service, which only the page has. */
const inPage: Readonly<Record<string, string>> = {
  "examples/first-program.ts": "This key belongs to Acme\n",
  "docs/site/src/try/home/effect.ts": cancelled,
  "docs/site/src/try/home/promises.ts": cancelled
}

const inTerminal = async (file: string) => {
  if (inPage[file] !== undefined) return inPage[file]
  const url = new URL(`../../../${file}`, import.meta.url)
  return (await promisify(execFile)(process.execPath, [url.pathname])).stdout
}

export const run = async (site: Site): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { file, path } of examples()) {
    const expected = await inTerminal(file)
    await visit(site, path, {}, async (page) => {
      const host = page.locator(`try-example[file="${file}"]`)
      const tab = host.locator("xpath=ancestor::*[@role='tabpanel']")
      if ((await tab.count()) > 0) await page.locator(`#${await tab.getAttribute("aria-labelledby")}`).click()
      await host.getByRole("button").click()
      await host
        .getByRole("status")
        .getByText(/^(?:Done|Failed)/)
        .waitFor()
      const printed = await host.locator("pre").textContent()
      if (printed !== expected) found.push(`${path}: ${file} printed ${printed}, not ${expected}`)
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const wide = await host.evaluate((host) =>
          [document.documentElement, ...host.querySelectorAll("*")]
            .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
            .map(({ tagName }) => tagName)
        )
        if (wide.length > 0) found.push(`${path}: ${wide.join(", ")} overflows in a window of ${width} px`)
      }
    })
  }
  return found
}
