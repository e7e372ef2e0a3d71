/**
 * `npm run test:races`: keys that delete one another at once, through two processes of the service over one database.
 * Every answer has to fit some order of the deletions, which leaves one key at least. `npm run test:races -- SEED` runs
 * the same races again.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Child from "../fixtures/Child.ts"
import * as Races from "./run.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"

const seed = process.argv[2] ?? String(Date.now())

const run = Effect.fnUntraced(function* (engine: string, database: string, counts: Races.Counts) {
  const start = performance.now()
  const { deletions, races, wrong } = yield* Random.withSeed(Races.run(database, counts), seed)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`${engine}: ${races} races, ${deletions} deletions, wrong: ${wrong.length} (${seconds} s)`)
  for (const race of wrong.slice(0, 5)) console.log(`  ${race}`)
  return { races, wrong: wrong.length }
}, Effect.scoped)

const sqlite = Effect.gen(function* () {
  const folder = yield* Child.folder()
  return yield* run("SQLite", `${folder}/cloud.db`, { pairs: 300, rings: 100, graphs: 100 })
})
const postgres = Effect.gen(function* () {
  const { database } = yield* PostgresServer.PostgresServer
  return yield* run(PostgresServer.version ?? "", yield* database, { pairs: 1000, rings: 500, graphs: 500 })
}).pipe(Effect.provide(PostgresServer.layer))

const engines = Program.isThere("postgres") ? [postgres, sqlite] : [sqlite]
const results = await Effect.runPromise(Effect.scoped(Effect.all(engines)))
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, n) => total + n, 0)
const wrong = sum(results.map(({ wrong }) => wrong))
console.log(`${sum(results.map(({ races }) => races))} races, wrong: ${wrong} (seed ${seed})`)
if (wrong > 0) process.exitCode = 1
