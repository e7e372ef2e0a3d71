import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Child from "../fixtures/Child.ts"
import * as Races from "./run.ts"

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
