import { Effect, Random } from "effect"
import type { Node } from "./Deployment.ts"
import * as Child from "../fixtures/Child.ts"
import * as Sql from "../fixtures/Sql.ts"
import * as Lab from "./lab.ts"

/**
 * Kills a node so many times, each time once some deletions were acknowledged, and starts it again. Meanwhile it looks at
 * what is left of the database.
 */
const kill = Effect.fnUntraced(function* (
  node: Node,
  times: number,
  deletions: ReadonlyArray<unknown>,
  look: Effect.Effect<unknown>
) {
  for (let n = 0; n < times; n++) {
    const enough = deletions.length + (yield* Random.nextIntBetween(1, 40))
    while (deletions.length < enough) yield* Effect.sleep("2 millis")
    yield* node.stop("SIGKILL")
    yield* look
    yield* node.start
  }
})

/** Two nodes over a database, and nothing ends before all races have run. */
export const races = (database: string, races: number, seed: string) =>
  Lab.run(
    { seed, database, nodes: 2, isBalanced: false, races, atOnce: 2, pause: 0, asks: false },
    ({ races }) => races
  )

export const kills = Effect.fnUntraced(function* (times: number, seed: string) {
  const database = `${yield* Child.folder()}/cloud.db`
  const plan = { seed, database, nodes: 1, isBalanced: false, races: 100 * times, atOnce: 8, pause: 0, asks: false }
  return yield* Lab.run(plan, ({ cluster: { nodes }, journal: { deletions, wrong }, races }) => {
    const look = Effect.map(Sql.values(database, "PRAGMA integrity_check"), (found) =>
      wrong.push(...found.filter((line) => line !== "ok"))
    )
    return Effect.raceFirst(
      Effect.forEach(nodes, (node) => kill(node, times, deletions, look)),
      Effect.andThen(races, Effect.die("all races are over"))
    )
  })
})
