/**
 * `npm run check oldest`: on the oldest Node.js that the command takes, which npm installs, the tests of the command,
 * against the bundle that is published, with its races, kills and nodes, and those of the service that come near to
 * Node's own server and SQLite.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Stranger from "./release/stranger.ts"

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

const near = ["HttpHost", "SqliteClient"].map((name) => `packages/service/test/${name}.test.ts`)
const suites: ReadonlyArray<readonly [what: string, command: string, args: ReadonlyArray<string>]> = [
  ["the command", Stranger.bin("vitest"), ["run", "--project", "cli"]],
  ["the command under races and kills", Stranger.bin("vitest"), ["run", "checks/crash/", "--project", "checks"]],
  ["HTTP and SQLite", node, ["node_modules/vitest/vitest.mjs", "run", ...near]]
]
for (const [what, command, args] of suites) {
  const { status, stderr, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: Infinity,
    env: { ...process.env, NO_COLOR: "1", COMMAND_NODE: node, COMMAND: "packages/cli/dist/main.js" }
  })
  const passed = /(?<=Tests +)\d+ passed/.exec(stdout)?.[0]
  console.log(status === 0 ? `${what} on Node.js ${found}: ${passed}` : stdout + stderr)
  if (status !== 0) process.exitCode = 1
}
