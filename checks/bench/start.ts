/** `-- --rounds N` changes how often the command is started. */
import { execFile } from "node:child_process"
import { parseArgs, promisify } from "node:util"
import { Effect } from "effect"
import { Fixtures } from "@cloud-management/testing"
import bundle from "../fixtures/bundle.ts"
import * as Child from "../fixtures/Child.ts"
import * as Figures from "./figures.ts"

/** Most that each may take, of `node -e 0`. */
const most = { "`--version`": 2.5, "`--known key`, for completions": 2.5, "`--help`": 3, "`organizations list`": 5 }

const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } })

await bundle()
const command = process.env["COMMAND"] ?? ""
const rows: Readonly<Record<string, ReadonlyArray<string>>> = {
  "`node -e 0`": ["-e", "0"],
  "`--version`": [command, "--version"],
  "`--known key`, for completions": [command, "--known", "key"],
  "`--help`": [command, "--help"],
  "`organizations list`": [command, "organizations", "list"]
}

const run = Effect.gen(function* () {
  const HOME = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  const { url } = yield* Child.serve("--database", ":memory:", "--seed", `${HOME}/seed.json`)
  const env = {
    HOME,
    CLOUD_MANAGEMENT_BASE_URL: url,
    CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
    CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret
  }
  const time = async (args: ReadonlyArray<string>) => {
    const begin = performance.now()
    await promisify(execFile)(process.execPath, args, { env })
    return performance.now() - begin
  }
  const programs = Object.values(rows).map((args) => () => time(args))
  // the first round fills caches
  return yield* Effect.promise(() => Figures.turns(programs, Number(values.rounds), 1))
}).pipe(Effect.scoped)

const times = await Effect.runPromise(run)
const ratio = (index: number) => Figures.ratio(times[index] ?? [], times[0] ?? [])
const cells = Object.keys(rows).map((name, index) => [
  name,
  ...[0.5, 0].map((share) => Figures.percentile(times[index] ?? [], share).toFixed(0)),
  ratio(index).toFixed(2)
])
Figures.publish("docs/performance.md", [
  ["from the start of the process to its end", "ms", "fastest", "× `node -e 0`"],
  ...cells
])
console.log(`${values.rounds} rounds; Node.js ${process.versions.node}`)
for (const [name, limit] of Object.entries(most)) {
  const index = Object.keys(rows).indexOf(name)
  Figures.hold(`the start of ${name}, of \`node -e 0\``, ratio(index), "at most", limit)
}
