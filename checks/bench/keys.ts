/**
 * `npm run bench:keys`: what an authenticated read costs with 1,000,000 keys in the store, against 100: the key by its
 * ID with its organization, and its secret compared. No HTTP, which costs the same for both and would hide a difference.
 *
 * Every read is on behalf of another key, chosen by chance. `npm run bench:keys -- 10000` measures with 10,000 keys.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Base64 from "effect/encoding/Base64"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as Database from "@cloud-management/service/node/Database"
import * as Seed from "@cloud-management/service/Seed"
import { Store } from "@cloud-management/service/Store"
import * as Authentication from "../../packages/service/src/admission/authentication.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Sql from "../fixtures/Sql.ts"
import { keyId, withKeys } from "../fixtures/Tenants.ts"
import * as Figures from "./figures.ts"

const few = 100
const many = Number(process.argv[2] ?? 1_000_000)
const inFlight = 16
const rounds = 15
const readsPerRound = 4000

/** A store with so many keys, and how to measure the time of a read from it, in µs. */
const open = Effect.fnUntraced(function* (database: string, keys: number) {
  const context = yield* Layer.build(Layer.fresh(Database.layer(database)))
  const store = Context.get(context, Store)
  const start = performance.now()
  yield* store.seed(yield* Seed.fromDocument(withKeys("a", keys)))
  const seconds = (performance.now() - start) / 1000

  const read = Effect.fnUntraced(function* ({ header, id }: { readonly header: string; readonly id: ApiKeyId }) {
    const { caller } = yield* store.organization(id)
    const credentials = Authentication.read(header)
    yield* Effect.fromResult(Authentication.verify(credentials, Option.getOrUndefined(caller), Date.now()))
  })
  const measure = Effect.suspend(() => {
    const requests = Array.from({ length: readsPerRound }, () => {
      const id = keyId("a", Math.floor(Math.random() * keys))
      return { id, header: `Basic ${Base64.encode(`${id}:secret`)}` }
    })
    const start = performance.now()
    return Effect.map(
      Effect.forEach(requests, read, { concurrency: inFlight, discard: true }),
      () => ((performance.now() - start) * 1000) / readsPerRound
    )
  })
  return { seconds, measure }
})

const sizes = {
  sqlite: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
  postgres: "SELECT pg_database_size(current_database())"
}

const compare = Effect.fnUntraced(function* (engine: string, database: Effect.Effect<string>) {
  const databases = [yield* database, yield* database] as const
  const one = yield* open(databases[0], few)
  const other = yield* open(databases[1], many)
  const measures = [one, other].map(
    ({ measure }) =>
      () =>
        Effect.runPromise(measure)
  )
  const [small = [], large = []] = yield* Effect.promise(() => Figures.turns(measures, rounds, 2))
  const ratio = Figures.ratio(large, small)
  const [first, second] = [small, large].map((times) => Figures.median(times).toFixed(0))
  const bytes = yield* Sql.value(databases[1], engine === "SQLite" ? sizes.sqlite : sizes.postgres)
  console.log(
    `${engine.padEnd(18)} ${few} keys: ${first} µs   ${many} keys: ${second} µs   ` +
      `× ${ratio.toFixed(2)}   (${(Number(bytes) / 2 ** 20).toFixed(0)} MiB, seeded in ${other.seconds.toFixed(0)} s)`
  )
  // the pages that so many keys need cost a read in SQLite some 9 µs, whatever else it takes
  Figures.hold(`${engine}: a read among ${many} keys, of one among ${few}`, ratio, "at most", 2)
}, Effect.scoped)

await Effect.runPromise(PostgresServer.onEach(compare))
