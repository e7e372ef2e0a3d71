import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Child from "../fixtures/Child.ts"
import * as Content from "../fixtures/Content.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Chaos from "./chaos.ts"
import * as Journal from "./Journal.ts"
import * as Lab from "./lab.ts"

/** Two nodes over a database, and nothing ends before all races have run. */
export const races = (database: string, races: number, seed: string) =>
  Lab.run(
    { seed, database, nodes: 2, isBalanced: false, races, atOnce: 2, pause: 0, asks: false },
    ({ races }) => races
  )

/** A node on a SQLite file, which is killed so many times. */
export const kills = Effect.fnUntraced(function* (times: number, seed: string) {
  const database = `${yield* Child.folder()}/cloud.db`
  const plan = { seed, database, nodes: 1, isBalanced: false, races: 100 * times, atOnce: 8, pause: 0, asks: false }
  return yield* Lab.run(plan, ({ cluster: { nodes }, journal: { deletions, wrong }, races }) => {
    const look = Effect.map(Effect.orDie(Content.damage(database)), (damage) => void wrong.push(...damage))
    return Effect.raceFirst(
      Effect.forEach(nodes, (node) => Chaos.kill(node, times, deletions, look)),
      Effect.andThen(races, Effect.die("all races are over"))
    )
  })
})

/** Three nodes over one PostgreSQL, behind nginx, for so many seconds, in which nodes are killed and the database restarts. */
export const cluster = Effect.fnUntraced(function* (seconds: number, seed: string) {
  const server = yield* PostgresServer.PostgresServer
  const database = yield* server.database
  // more races than a fast machine gets through
  const plan = { seed, database, nodes: 3, isBalanced: true, races: 30 * seconds, atOnce: 16, pause: 0, asks: true }
  const { lab, result, ...report } = yield* Lab.run(plan, ({ cluster: { nodes } }) =>
    Effect.all(
      [
        Random.withSeed(Chaos.restartNodes(nodes, performance.now() + seconds * 1000), `${seed} nodes`),
        Random.withSeed(
          Chaos.restartDatabase(server, Math.max(2, Math.round(seconds / 12)), seconds),
          `${seed} database`
        )
      ],
      { concurrency: "unbounded" }
    )
  )
  const [ended, restarts] = result
  const { served } = lab.journal
  const kills = ended.filter(({ signal }) => signal === "SIGKILL")
  return {
    ...report,
    kills: kills.length,
    stops: ended.length - kills.length,
    restarts: restarts.length,
    recovery: {
      afterKills: kills.map(({ from }) => Journal.recovery(from, served)),
      ofNodes: kills.map(({ from, to }) => to - from),
      ofDatabase: restarts.map(({ from, to }) => to - from),
      silences: restarts.map((outage) => Journal.silence(outage, served))
    }
  }
})
