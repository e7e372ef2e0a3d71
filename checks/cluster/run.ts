import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Chaos from "./chaos.ts"
import * as Cluster from "./Cluster.ts"
import * as Journal from "./Journal.ts"
import * as Load from "./load.ts"
import * as Tenant from "./Tenant.ts"
import * as Verdict from "./Verdict.ts"

/** Races for each second: more than a fast machine gets through. */
const racesPerSecond = 30

/**
 * Three nodes over one PostgreSQL, behind nginx: a load of the client for so many seconds, during which nodes are killed
 * and the database is restarted. Then what was answered is held against the model, the database and every node.
 */
export const run = Effect.fnUntraced(function* (options: { readonly seconds: number; readonly seed: string }) {
  const { seconds, seed } = options
  const { keys, placed } = yield* Random.withSeed(Load.place(racesPerSecond * seconds), `${seed} races`)

  const server = yield* PostgresServer.PostgresServer
  const database = yield* server.database
  const cluster = yield* Cluster.start(database, Tenant.document(Load.tenants, keys))
  const { nodes } = cluster
  const journal = Journal.make()
  const until = performance.now() + seconds * 1000
  const pace = { isOver: () => performance.now() > until, races: 16, pause: 0 }
  const [heard, ended, restarts] = yield* Effect.all(
    [
      Load.races(cluster, journal, placed, pace),
      Random.withSeed(Chaos.restartNodes(nodes, until), `${seed} nodes`),
      Random.withSeed(
        Chaos.restartDatabase(server, Math.max(2, Math.round(seconds / 12)), seconds),
        `${seed} database`
      ),
      Load.readers(cluster, journal, pace)
    ],
    { concurrency: "unbounded" }
  )
  const verdict = yield* Verdict.reach(cluster, journal, placed, heard, database)
  const kills = ended.filter(({ signal }) => signal === "SIGKILL")
  return {
    ...journal.counts,
    ...verdict,
    requests: cluster.requests(),
    errors: journal.errors,
    kills: kills.length,
    stops: ended.length - kills.length,
    restarts: restarts.length,
    recovery: {
      afterKills: kills.map(({ from }) => Journal.recovery(from, journal.served)),
      ofNodes: kills.map(({ from, to }) => to - from),
      ofDatabase: restarts.map(({ from, to }) => to - from),
      silences: restarts.map((outage) => Journal.silence(outage, journal.served))
    }
  }
})
