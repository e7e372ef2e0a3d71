import { chromium } from "playwright-core"
import { createServer } from "node:http"
import { readFileSync, existsSync } from "node:fs"
const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" }
const server = createServer((req, res) => { let p = "dist" + decodeURIComponent(new URL(req.url, "http://x").pathname); if (p.endsWith("/")) p += "index.html"; if (!existsSync(p)) { res.statusCode = 404; return res.end() } res.setHeader("content-type", types[p.split(".").pop()] ?? "application/octet-stream"); res.end(readFileSync(p)) }).listen(0)
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] })
const page = await browser.newPage()
await page.goto(`http://127.0.0.1:${server.address().port}/lab/`)
await page.waitForSelector("#lab[data-seeds]", { timeout: 60000 })
const cdp = await page.context().newCDPSession(page)
await cdp.send("Profiler.enable"); await cdp.send("Profiler.start")
await page.evaluate(() => document.querySelector("#lab").removeAttribute("data-took"))
await page.selectOption(".lab-chosen select", "brown-out")
await page.waitForSelector("#lab[data-took]", { timeout: 60000 })
console.log(await page.getAttribute("#lab", "data-took"))
const { profile: p } = await cdp.send("Profiler.stop")
const self = new Map(); const byId = new Map(p.nodes.map((n) => [n.id, n]))
p.samples.forEach((s, i) => { const n = byId.get(s); const k = n.callFrame.functionName + " " + n.callFrame.url.split("/").pop() + ":" + n.callFrame.lineNumber + ":" + n.callFrame.columnNumber; self.set(k, (self.get(k) || 0) + p.timeDeltas[i]) })
console.log([...self].sort((a, b) => b[1] - a[1]).slice(0, 25).map(([k, v]) => (v / 1000).toFixed(0) + " ms " + k).join("\n"))
await browser.close(); server.close()
