/** `-- --rounds N` changes how often the command is started. */
import { execFile } from "node:child_process"
import { parseArgs, promisify } from "node:util"
import { Effect } from "effect"
import { Fixtures } from "@cloud-management/testing"
import bundle from "../fixtures/bundle.ts"
import * as Child from "../fixtures/Child.ts"
import * as Figures from "./figures.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } })

await bundle()
const command = process.env["COMMAND"] ?? ""
/** The most that each may take is of `node -e 0`. */
const rows: Readonly<Record<string, { readonly args: ReadonlyArray<string>; readonly most?: number }>> = {
  "`node -e 0`": { args: ["-e", "0"] },
  "`--version`": { args: [command, "--version"], most: 2.5 },
  "`--known key`, for completions": { args: [command, "--known", "key"], most: 2.5 },
  "`--help`": { args: [command, "--help"], most: 3 },
  "`organizations list`": { args: [command, "organizations", "list"], most: 5 }
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
  const programs = Object.values(rows).map(
    ({ args }) =>
      () =>
        time(args)
  )
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
for (const [index, [name, { most }]] of Object.entries(rows).entries()) {
  if (most !== undefined) Figures.hold(`the start of ${name}, of \`node -e 0\``, ratio(index), "at most", most)
}
