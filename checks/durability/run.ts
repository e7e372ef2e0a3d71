import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as SqlClient from "effect/sql/SqlClient"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as Database from "../../packages/service/src/node/internal/sqlClient.ts"
import { keyId, withKeys } from "../fixtures/Tenants.ts"
import * as Child from "../fixtures/Child.ts"
import * as Http from "../fixtures/Http.ts"

/** At most so many deletions are acknowledged before a kill. */
const perKill = 150
const inFlight = 8

/** What SQLite itself finds wrong with a file (`ok` is nothing), and the keys in it. */
const inspect = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [found] = yield* sql<{ integrity_check: string }>`PRAGMA integrity_check`
    const rows = yield* sql<{ id: string }>`SELECT id FROM api_keys`
    return { integrity: found?.integrity_check, ids: new Set(rows.map(({ id }) => id)) }
  }).pipe(Effect.provide(Database.layer(database)))

/**
 * Kills `serve` on a SQLite file with SIGKILL so many times while it deletes keys, and starts it again on the file that
 * is left. `lost` are the deletions that were acknowledged and undone, `vanished` the keys that nobody deleted.
 */
export const run = Effect.fnUntraced(function* (kills: number) {
  const count = 1 + kills * (perKill + 2 * inFlight)
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", count)) })
  const database = `${folder}/cloud.db`
  const caller = keyId("a", 0)
  const acknowledged: Array<ApiKeyId> = []
  const lost = new Set<ApiKeyId>()
  const vanished = new Set<ApiKeyId>()
  const damaged: Array<unknown> = []
  let next = 1
  let unanswered = 0

  for (let n = 0; n < kills; n++) {
    const { process, url } = yield* Child.serve("--database", database, "--seed", `${folder}/seed.json`)
    const last = acknowledged.length + (yield* Random.nextIntBetween(1, perKill))
    const worker = Effect.gen(function* () {
      while (!process.killed) {
        const key = keyId("a", next++)
        const answer = yield* Effect.exit(Http.remove(url, key, caller))
        if (Exit.isSuccess(answer) && answer.value === 200) acknowledged.push(key)
        else unanswered++
        yield* Effect.exit(Http.read(url, caller))
        if (acknowledged.length >= last) process.kill("SIGKILL")
      }
    })
    yield* Effect.all(
      Array.from({ length: inFlight }, () => worker),
      { concurrency: "unbounded" }
    )
    const { ids, integrity } = yield* inspect(database)
    if (integrity !== "ok") damaged.push(integrity)
    for (const key of acknowledged) if (ids.has(key)) lost.add(key)
    for (let n = next; n < count; n++) if (!ids.has(keyId("a", n))) vanished.add(keyId("a", n))
  }
  return { acknowledged: acknowledged.length, unanswered, lost, vanished, damaged }
})
