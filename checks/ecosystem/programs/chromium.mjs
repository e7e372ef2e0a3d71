/** Opens the page in a folder, with another script in place of its own if one is named, from one origin with the service, and prints the title that it takes. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { argv, env } from "node:process"
import { chromium } from "playwright-core"

const [folder, script = "./page.ts"] = argv.slice(2)
const origin = "http://page.localhost"
const browser = await chromium.launch({ executablePath: env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] })
try {
  const page = await browser.newPage()
  page.on("pageerror", (error) => console.error(error))
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith("/v1/")) {
      const response = await route.fetch({ url: `${env.CLOUD_MANAGEMENT_BASE_URL}${pathname}` })
      return route.fulfill({ response })
    }
    if (pathname !== "/") return route.fulfill({ path: join(folder, pathname) })
    const html = await readFile(join(folder, "index.html"), "utf8")
    return route.fulfill({ contentType: "text/html", body: html.replace("./page.ts", script) })
  })
  const { CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET, ENDPOINT, SERVICE, VICTIM } = env
  const settings = { CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET, ENDPOINT, SERVICE, VICTIM }
  await page.goto(`${origin}/?${new URLSearchParams(settings)}`)
  await page.waitForFunction(() => document.title !== "", undefined, { timeout: 30_000 })
  console.error(`Chromium ${browser.version()}`)
  console.log(await page.title())
} finally {
  await browser.close()
}
