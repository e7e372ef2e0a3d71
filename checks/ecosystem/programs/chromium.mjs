/** Opens the page in a folder, with another script in place of its own if one is named, served from one origin with the service, and prints the title that it takes. */
import { readFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import { join } from "node:path"
import { argv, env } from "node:process"
import { chromium } from "playwright-core"

const types = { html: "text/html", js: "text/javascript" }
const server = createServer(async (incoming, outgoing) => {
  const { pathname } = new URL(incoming.url, "http://localhost")
  if (pathname.startsWith("/v1/")) {
    const { headers, method, url } = incoming
    const ask = request(new URL(url, env.CLOUD_MANAGEMENT_BASE_URL), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(ask)
  } else {
    const file = join(argv[2], pathname === "/" ? "index.html" : pathname)
    const content = await readFile(file).catch(() => undefined)
    outgoing.writeHead(content === undefined ? 404 : 200, {
      "content-type": types[file.split(".").at(-1)] ?? "text/plain"
    })
    outgoing.end(argv[3] === undefined ? content : content?.toString().replace("./page.ts", argv[3]))
  }
})
await new Promise((listening) => server.listen(0, "127.0.0.1", listening))

const browser = await chromium.launch({ executablePath: env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] })
try {
  const page = await browser.newPage()
  page.on("pageerror", (error) => console.error(error))
  const { CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET, ENDPOINT, SERVICE, VICTIM } = env
  const settings = { CLOUD_MANAGEMENT_KEY_ID, CLOUD_MANAGEMENT_KEY_SECRET, ENDPOINT, SERVICE, VICTIM }
  await page.goto(`http://127.0.0.1:${server.address().port}/?${new URLSearchParams(settings)}`)
  await page.waitForFunction(() => document.title !== "", undefined, { timeout: 30_000 })
  console.error(`Chromium ${browser.version()}`)
  console.log(await page.title())
} finally {
  await browser.close()
  server.close()
}
