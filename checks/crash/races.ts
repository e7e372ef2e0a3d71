/**
 * `npm run test:races`: keys that delete one another at once, through two processes of the service over one database.
 * It catches a deletion that is not one atomic step: every answer has to fit some order of the deletions, which leaves one
 * key at least. `npm run test:races -- SEED` runs the same races again.
 */
import * as Effect from "effect/Effect"
import * as Child from "../fixtures/Child.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import * as Lab from "./lab.ts"
import * as Scenarios from "./scenarios.ts"

const seed = process.argv[2] ?? String(Date.now())

const run = Effect.fnUntraced(function* (engine: string, database: string, races: number) {
  const start = performance.now()
  const report = yield* Scenarios.races(database, races, seed)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(
    `${engine}: ${report.races} races, ${report.acknowledged} acknowledged deletes, lost: ${report.lost.length}, ` +
      `wrong: ${report.wrong.length} (${seconds} s, seed ${seed})`
  )
  if (Lab.complain(report) || report.races < races) process.exitCode = 1
}, Effect.scoped)

const sqlite = Effect.gen(function* () {
  yield* run("SQLite", `${yield* Child.folder()}/cloud.db`, 500)
}).pipe(Effect.scoped)
const postgres = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  yield* run(PostgresServer.version ?? "", yield* database, 2000)
}).pipe(Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres")) await Effect.runPromise(postgres)
await Effect.runPromise(sqlite)
