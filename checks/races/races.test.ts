import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PostgresServer from "../../packages/service/test/PostgresServer.ts"
import * as Child from "../../packages/cli/test/Child.ts"
import * as Race from "./Race.ts"
import * as Races from "./run.ts"

describe("the answers of a race", () => {
  const both = { keys: 3, deletions: [0, 1].map((caller) => ({ caller, target: 2 })) }
  const chain = { keys: 3, deletions: [...both.deletions, { caller: 2, target: 0 }] }
  it.each<[holds: boolean, race: Race.Race, statuses: ReadonlyArray<number>, left: ReadonlyArray<number>]>([
    [true, Race.ring(2), [200, 401], [0]],
    [true, Race.ring(2), [401, 200], [1]],
    [false, Race.ring(2), [200, 401], [1]],
    [false, Race.ring(2), [200, 200], []],
    [false, Race.ring(2), [200, 200], [0]],
    [false, Race.ring(2), [401, 401], [0, 1]],
    [false, Race.ring(2), [200, 404], [0]],
    [false, Race.ring(2), [200, 503], [0]],
    [true, Race.ring(3), [200, 401, 200], [2]],
    [true, Race.ring(3), [200, 200, 401], [0]],
    [false, Race.ring(3), [200, 401, 401], [0, 2]],
    [false, Race.ring(3), [200, 200, 200], []],
    [true, both, [200, 404], [0, 1]],
    [false, both, [200, 200], [0, 1]],
    [false, both, [404, 404], [0, 1]],
    [true, chain, [401, 200, 200], [1]],
    [true, chain, [200, 404, 401], [0, 1]],
    [false, chain, [200, 404, 200], [1]]
  ])("fit an order: %s, %j, %j, %j", (holds, race, statuses, left) => {
    expect(Race.fits(race, statuses, new Set(left))).toBe(holds)
  })
})

const counts = { pairs: 40, rings: 10, graphs: 10 }

describe("keys that delete one another through two nodes at once fit some order, and one is left", () => {
  it.live("over a SQLite file", () =>
    Effect.gen(function* () {
      const { wrong } = yield* Races.run(`${yield* Child.folder()}/cloud.db`, counts)
      expect(wrong).toEqual([])
    })
  )

  PostgresServer.suite((version) =>
    it.live(`over ${version}`, () =>
      Effect.gen(function* () {
        const { database } = yield* PostgresServer.PostgresServer
        const { wrong } = yield* Races.run(yield* database, counts)
        expect(wrong).toEqual([])
      }).pipe(Effect.provide(PostgresServer.layer))
    )
  )
})
