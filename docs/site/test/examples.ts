/** Presses the buttons: what an example prints in the page is what it prints in a terminal, and fits into the page. */
import { Conformance } from "@cloud-management/testing"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { visit, type Site } from "./Site.ts"

/** Where each example is shown, and what it prints if it needs a service, which only the page has. */
const examples = [
  { path: "/start/", file: "examples/first-program.ts", prints: "This key belongs to Acme\n" },
  { path: "/handling-errors/", file: "examples/errors.ts" },
  { path: "/reliability/", file: "examples/lost-response.ts" },
  { path: "/waiting/", file: "examples/waiting.ts" },
  { path: "/own-operations/", file: "examples/own-operation.ts" }
]

const inTerminal = async (file: string) => {
  const url = new URL(`../../../${file}`, import.meta.url)
  return (await promisify(execFile)(process.execPath, [url.pathname])).stdout
}

/** The examples that print something else in the page, or something wider than it. */
export const run = async (site: Site): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { file, path, prints } of examples) {
    const expected = prints ?? (await inTerminal(file))
    await visit(site, path, {}, async (page) => {
      const host = page.locator(`try-example[file="${file}"]`)
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

/** What the page says of the conformance cases, and whether it is what it has to say. */
export const conformance = (site: Site): Promise<{ readonly said: string; readonly ok: boolean }> =>
  visit(site, "/transports/", {}, async (page) => {
    const host = page.locator("conformance-cases")
    await host.getByRole("button").click()
    await host.getByRole("button", { disabled: false }).waitFor()
    const said = (await host.getByRole("status").textContent()) ?? ""
    const total = Conformance.cases("").length
    const rows = await host.locator("tbody tr", { hasText: "passed" }).count()
    return { said, ok: said === `${total} cases, 0 failed` && rows === total }
  })
