/** A reader needs of every page its width, contrast, names, the keyboard, and nothing from elsewhere. */
import axe from "axe-core"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as Links from "./links.ts"
import { open, visit, weigh, type Site } from "./Site.ts"

export interface Kind {
  readonly path: string
  readonly name: string
  readonly prepare?: (page: Page) => Promise<void>
  /** Whether its picture goes down to its end, and not only to that of the window. */
  readonly isWhole?: boolean
}

export const kinds: ReadonlyArray<Kind> = [
  "/",
  "/404.html",
  "/start/",
  "/reliability/",
  "/operations/",
  "/errors/",
  "/packages/cli/",
  "/architecture/",
  "/packages/core/",
  "/api/",
  "/api/client/callerror/",
  "/openapi/",
  "/openapi/operations/apikeysdelete/",
  "/decisions/",
  "/decisions/0010-postgresql/"
].map((path) => ({ path, name: path.replaceAll("/", "_") }))

/** To look at first, and with them the lab. */
export const firsts: ReadonlyArray<Kind> = [
  { path: "/", name: "home", isWhole: true },
  { path: "/your-api/", name: "guide" },
  { path: "/errors/#transportfailed", name: "error" }
]

/** The violations that axe finds on pages, in both colour schemes, and their excess of width; pictures, where there is a folder. */
export const violations = async (
  site: Site,
  kinds: ReadonlyArray<Kind>,
  folder?: string
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const colorScheme of ["light", "dark"] as const) {
    for (const { isWhole = false, name, path, prepare } of kinds) {
      await visit(site, path, { colorScheme }, async (page) => {
        await prepare?.(page)
        for (const width of [390, 768, 1280]) {
          await page.setViewportSize({ width, height: 900 })
          const wide = await page.evaluate(() => document.documentElement.scrollWidth)
          if (wide > width) found.push(`${name}: ${wide} px wide in a window of ${width}`)
          if (folder === undefined) continue
          // to the heading that the path names, which another width has moved, or to the top
          await page.evaluate(() => {
            const heading = document.getElementById(location.hash.slice(1))
            if (heading === null) window.scrollTo(0, 0)
            else heading.scrollIntoView()
          })
          await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: isWhole })
        }
        await page.evaluate(axe.source)
        // only these leave the page: all that passed takes three times as long
        const violations = await page.evaluate(async () => (await axe.run()).violations)
        for (const { help, id, nodes } of violations) {
          found.push(`${name} (${colorScheme}): ${id}: ${help}: ${nodes[0]?.html.slice(0, 200)}`)
        }
      })
    }
  }
  return found
}

export const heavy = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/", {}, async (page) => {
    await page.waitForLoadState("networkidle")
    const size = await weigh(site, page)
    return size <= 100 ? [] : [`/ weighs ${size.toFixed(0)} kB`]
  })

export const narrow = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/", { viewport: { width: 360, height: 740 } }, async (page) => {
    const found: Array<string> = []
    page.on("request", (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(site.url)) {
        found.push(`${page.url()} asks ${request.url()}`)
      }
    })
    for (const path of Links.paths()) {
      await open(page, site.url + path)
      for (const width of [360, 390, 1280]) {
        await page.setViewportSize({ width, height: 740 })
        const wide = await page.evaluate(() => {
          const tables = Array.from(document.querySelectorAll(".sl-markdown-content table"))
          const over = tables.filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
          return [document.documentElement.scrollWidth, over[0]?.textContent.slice(0, 60)] as const
        })
        if (wide[0] > width) found.push(`${path} is ${wide[0]} px wide, of ${width}`)
        if (wide[1] !== undefined && width > 360)
          found.push(`${path} has a table wider than its column at ${width}: ${wide[1]}`)
      }
    }
    return found
  })

/** The pages without a Content-Security-Policy, and a script that one of them runs although it is not the site's. */
export const unsafe = async ({ browser, url }: Site): Promise<ReadonlyArray<string>> => {
  const page = await browser.newPage()
  try {
    await open(page, `${url}/lab/`)
    const ran = await page.evaluate(() => {
      const script = Object.assign(document.createElement("script"), { textContent: "window.name = 'injected'" })
      document.head.append(script)
      return window.name === "injected"
    })
    const without = Links.pages().filter(
      ({ html }) => !/^[^]{0,200}<meta http-equiv="Content-Security-Policy"/.test(html)
    )
    return [...without.map(({ path }) => `${path} has no policy`), ...(ran ? ["/lab/ ran a script"] : [])]
  } finally {
    await page.close()
  }
}

export const keyboard = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/reliability/", { viewport: { width: 1440, height: 900 } }, async (page) => {
    const found: Array<string> = []
    const expect = (name: string, holds: boolean) => void (holds || found.push(`keyboard: ${name}`))

    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab")
      const invisible = await page.evaluate(() => {
        const { activeElement } = document
        if (activeElement === null || activeElement === document.body) return "nothing"
        const { boxShadow, outlineStyle } = getComputedStyle(activeElement)
        return outlineStyle === "none" && boxShadow === "none" ? activeElement.outerHTML.slice(0, 120) : undefined
      })
      expect(`focus is visible on ${invisible}`, invisible === undefined)
    }

    await page.keyboard.press("Control+k")
    const dialog = page.locator("dialog[open]")
    await dialog.waitFor()
    await page.keyboard.type("deadline")
    await dialog.locator("a", { hasText: "Retries and deadlines" }).or(dialog.locator("a")).first().waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "hidden" })
    return found
  })
