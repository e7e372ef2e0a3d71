/**
 * `npm run check races`: keys that delete one another at once, through two processes of the service over one database.
 * It catches a deletion that is not one atomic step: every answer has to fit some order of the deletions, which leaves one
 * key at least. `npm run check races SEED` runs the same races again.
 */
import { Effect } from "effect"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Lab from "./lab.ts"
import * as Scenarios from "./scenarios.ts"

const seed = process.argv[2] ?? String(Date.now())

const run = Effect.fnUntraced(function* (engine: string, database: Effect.Effect<string>) {
  const races = engine === "SQLite" ? 500 : 2000
  const report = yield* Scenarios.races(yield* database, races, seed)
  const problems = report.races < races ? [`${races} races were to run`] : []
  Lab.conclude(`${engine}: ${report.races} races`, report, problems)
}, Effect.scoped)

await Effect.runPromise(PostgresServer.onEach(run))
