/** Prints what the page, the route and the action of a Next.js server respond with, which was built without settings. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

const { ENDPOINT, SERVICE, VICTIM } = process.env
const read = (name) => JSON.parse(readFileSync(`.next/${name}.json`, "utf8"))
const prerendered = Object.keys(read("prerender-manifest").routes).filter((route) => !route.startsWith("/_"))
if (prerendered.join() !== "/unseen") throw new Error(`prerendered: ${prerendered.join()}`)

const originOf = async ({ stdout }) => {
  for await (const line of createInterface(stdout)) {
    const [origin] = /http:\/\/localhost:\d+/.exec(line) ?? []
    if (origin !== undefined) return origin
  }
}
const server = spawn(process.execPath, ["node_modules/next/dist/bin/next", "start", "--port", "0"])
try {
  const origin = await originOf(server)
  const html = await (await fetch(origin)).text()
  const { status } = await (await fetch(`${origin}/status/${SERVICE}/${ENDPOINT}`)).json()
  // as a browser sends the form before its JavaScript has loaded
  const remove = async () => {
    const form = new FormData()
    for (const [input] of html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
      const [, name] = /name="([^"]*)"/.exec(input)
      form.set(name, (/value="([^"]*)"/.exec(input)?.[1] ?? "").replaceAll("&quot;", '"'))
    }
    form.set("keyId", VICTIM)
    const page = await (await fetch(origin, { method: "POST", body: form })).text()
    return /<output>(\w*)<\/output>/.exec(page)?.[1]
  }
  const first = await remove()
  if (first !== "Deleted") throw new Error(`the action responds with ${first}`)
  console.log(/<h1>(\w+)/.exec(html)?.[1], status, await remove())
} finally {
  server.kill()
}
