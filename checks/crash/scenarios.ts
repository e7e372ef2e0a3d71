import { Effect } from "effect"
import * as Child from "../fixtures/Child.ts"
import * as Sql from "../fixtures/Sql.ts"
import * as Chaos from "./chaos.ts"
import * as Lab from "./lab.ts"

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
      Effect.forEach(nodes, (node) => Chaos.kill(node, times, deletions, look)),
      Effect.andThen(races, Effect.die("all races are over"))
    )
  })
})
