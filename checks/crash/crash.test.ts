/** The checks `races` and `durability` run these at length: with `TIMES` as much of everything. `SEED` draws other races. */
import { Child, describe, expect, it, PostgresServer } from "../fixtures/index.ts"
import { Effect, Random } from "effect"
import * as Sql from "../fixtures/Sql.ts"
import type { Node } from "./Deployment.ts"
import * as Lab from "./lab.ts"

const { SEED: seed = "test", TIMES = "1" } = process.env
const times = Number(TIMES)
const timeout = 180_000 * times

const judge = (what: string, report: Parameters<typeof Lab.conclude>[1]) => {
  Lab.conclude(what, report)
  expect(report.wrong).toEqual([])
}

describe("keys that delete one another through two nodes at once fit some order, and one is left", () => {
  const races = Effect.fnUntraced(function* (database: string) {
    const count = 30 * times
    const plan = { seed, database, nodes: 2, isBalanced: false, races: count, atOnce: 2, pause: 0, asks: false }
    const report = yield* Lab.run(plan, ({ races }) => races)
    judge(`${count} races`, report)
    expect(report.races).toBe(count)
  })
  const onFile = Effect.flatMap(Child.folder(), (folder) => races(`${folder}/cloud.db`))
  const onServer = PostgresServer.PostgresServer.use(({ database }) => Effect.flatMap(database, races))

  it.live("over a SQLite file", () => onFile, timeout)
  PostgresServer.suite((version) =>
    it.live(`over ${version}`, () => Effect.provide(onServer, PostgresServer.layer), timeout)
  )
})

/** Kills a node so many times, each time once some deletions were acknowledged, and looks at what is left. */
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

it.live(
  "what serve acknowledged survives kill -9, and the file opens again",
  function* () {
    const kills = 3 * times
    const database = `${yield* Child.folder()}/cloud.db`
    const plan = { seed, database, nodes: 1, isBalanced: false, races: 100 * kills, atOnce: 8, pause: 0, asks: false }
    const report = yield* Lab.run(plan, ({ cluster: { nodes }, journal: { deletions, wrong }, races }) => {
      const look = Effect.map(Sql.values(database, "PRAGMA integrity_check"), (found) =>
        wrong.push(...found.filter((line) => line !== "ok"))
      )
      return Effect.raceFirst(
        Effect.forEach(nodes, (node) => kill(node, kills, deletions, look)),
        Effect.andThen(races, Effect.die("all races are over"))
      )
    })
    judge(`${kills} kills`, report)
    expect(report.acknowledged).toBeGreaterThanOrEqual(kills)
  },
  timeout
)
