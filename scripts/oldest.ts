/**
 * `npm run test:oldest`: the tests of the command, against the bundle that is published and on the oldest Node.js that it
 * takes, which npm installs.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Stranger from "./stranger.ts"

const { engines }: { readonly engines: { readonly node: string } } = JSON.parse(
  readFileSync("packages/cli/package.json", "utf8")
)
const version = `${engines.node.replace(">=", "")}.0`
const house = "node_modules/.cache/oldest"
const node = `${house}/node_modules/.bin/node`
await Promise.all([
  Stranger.run(Stranger.bin("rolldown"), ["-c", "packages/cli/rolldown.config.ts"]),
  Stranger.run("npm", ["install", "--no-save", "--no-package-lock", "--prefix", house, `node@${version}`])
])
const found = (await Stranger.run(node, ["--version"])).trim()
const { status, stderr, stdout } = spawnSync(Stranger.bin("vitest"), ["run", "--project", "cli"], {
  encoding: "utf8",
  maxBuffer: Infinity,
  env: { ...process.env, NO_COLOR: "1", COMMAND_NODE: node, COMMAND: "packages/cli/dist/main.js" }
})
console.log(status === 0 ? `Node.js ${found}: ${/(?<=Tests +)\d+ passed/.exec(stdout)?.[0]}` : stdout + stderr)
process.exitCode = status ?? 1
