import { chromium } from "playwright-core"
import { createServer } from "node:http"
import { readFileSync, existsSync } from "node:fs"
const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" }
const server = createServer((req, res) => { let p = "dist" + decodeURIComponent(new URL(req.url, "http://x").pathname); if (p.endsWith("/")) p += "index.html"; if (!existsSync(p)) { res.statusCode = 404; return res.end() } res.setHeader("content-type", types[p.split(".").pop()] ?? "application/octet-stream"); res.end(readFileSync(p)) }).listen(0)
const url = `http://127.0.0.1:${server.address().port}/lab/`
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] })
const page = await browser.newPage({ viewport: { width: Number(process.env.W ?? 1440), height: 1000 }, colorScheme: process.env.SCHEME ?? "light" })
page.on("console", (m) => console.log("console", m.type(), m.text())); page.on("pageerror", (e) => console.log("pageerror", e))
await page.goto(url)
await page.waitForSelector("#lab[data-seeds]", { timeout: 60000 })
console.log("first", await page.getAttribute("#lab", "data-took"))
for (const name of (process.argv[2] ?? "lost-response,node-dies,gateway-html,rate-limit,brown-out,stalled-body,script,cassette").split(",")) {
  await page.evaluate(() => { const l = document.querySelector("#lab"); l.removeAttribute("data-took"); l.removeAttribute("data-seeds") })
  await page.selectOption(".lab-chosen select", name)
  if (name !== "cassette") await page.waitForSelector("#lab[data-took]", { timeout: 60000 })
  console.log(name, await page.getAttribute("#lab", "data-took"))
  if (name !== "cassette") await page.waitForSelector("#lab[data-seeds]", { timeout: 120000 })
  await page.screenshot({ path: `/tmp/lab/shots/${name}${process.env.W ?? ""}${process.env.SCHEME ?? ""}.png`, fullPage: true })
}
await browser.close(); server.close()
