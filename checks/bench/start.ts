/**
 * `npm run check bench:start`: how long a process takes from its start to its end: `--version`, `--help` and a list of the
 * command, and programs that make one call with the packed packages, as installed and bundled into one file.
 *
 * The programs call the same server, which has a process of its own. `-- --rounds N` changes how often each is started.
 */
import { execFile, fork } from "node:child_process"
import { once } from "node:events"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { rolldown } from "rolldown"
import { Fixtures } from "@cloud-management/testing"
import * as Stranger from "../release/stranger.ts"
import * as Figures from "./figures.ts"
import * as Process from "./Process.ts"

/** Most that `--version` may take, of `node -e 0`. */
const most = 2.5

const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } })

const project = await Stranger.install()
const command = join(project, "node_modules/@cloud-management/cli/dist/main.js")
const seed = join(project, "seed.json")
writeFileSync(seed, JSON.stringify(Fixtures.seed))
cpSync("checks/bench/starts", project, { recursive: true })

const serve = "serve --port 0 --format json --database :memory: --seed".split(" ")
const { url } = await Process.start("serve", [command, ...serve, seed])
const server = fork(new URL("server.ts", import.meta.url))
const [port] = await once(server, "message")

const env = {
  HOME: project,
  BASE_URL: `http://127.0.0.1:${port}`,
  CLOUD_MANAGEMENT_BASE_URL: url,
  CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
  CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret
}

const bundle = async (file: string) => {
  const bundler = await rolldown({ input: join(project, file), platform: "node", logLevel: "silent" })
  await bundler.write({ file: join(project, `bundled-${file}`), minify: true, codeSplitting: false })
  await bundler.close()
  return `bundled-${file}`
}

const rows: Array<readonly [name: string, args: ReadonlyArray<string>]> = [
  ["`node -e 0`", ["-e", "0"]],
  ["`--version`", [command, "--version"]],
  ["`--help`", [command, "--help"]],
  ["`organizations list`", [command, "organizations", "list"]]
]
for (const [name, file] of [
  ["core and node", "node.js"],
  ["core and fetch", "fetch.js"]
] as const) {
  rows.push([name, [file]], [`${name}, bundled`, [await bundle(file)]])
}

/** Starts a process, waits for its end, and gives the milliseconds between. */
const time = async (args: ReadonlyArray<string>) => {
  const begin = performance.now()
  await promisify(execFile)(process.execPath, args, { cwd: project, env })
  return performance.now() - begin
}

// the first round fills caches
const times = await Figures.turns(
  rows.map(
    ([, args]) =>
      () =>
        time(args)
  ),
  Number(values.rounds),
  1
)

const ratio = (index: number) => Figures.ratio(times[index] ?? [], times[0] ?? [])
console.log(Figures.head("from the start of the process to its end", "ms", "fastest", "× `node -e 0`"))
for (const [index, [name]] of rows.entries()) {
  const cells = [0.5, 0].map((share) => Figures.percentile(times[index] ?? [], share).toFixed(0))
  console.log(Figures.row(name, ...cells, ratio(index).toFixed(2)))
}
console.log(`\n${values.rounds} rounds; Node.js ${process.versions.node}`)
const version = rows.findIndex(([name]) => name === "`--version`")
Figures.hold("the start of `--version`, of `node -e 0`", ratio(version), "at most", most)
// what it started would keep it
process.exit()
