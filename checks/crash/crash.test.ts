import { describe, expect, it } from "../fixtures/vitest.ts"
import { Effect } from "effect"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Child from "../fixtures/Child.ts"
import * as Scenarios from "./scenarios.ts"

const right = { lost: [], wrong: [] }

describe("keys that delete one another through two nodes at once fit some order, and one is left", () => {
  it.live("over a SQLite file", function* () {
    expect(yield* Scenarios.races(`${yield* Child.folder()}/cloud.db`, 30, "test")).toMatchObject(right)
  })

  PostgresServer.suite((version) =>
    it.live(`over ${version}`, () =>
      Effect.gen(function* () {
        const { database } = yield* PostgresServer.PostgresServer
        expect(yield* Scenarios.races(yield* database, 30, "test")).toMatchObject(right)
      }).pipe(Effect.provide(PostgresServer.layer))
    )
  )
})

it.live(
  "what serve acknowledged survives kill -9, and the file opens again",
  function* () {
    const report = yield* Scenarios.kills(3, "test")
    expect(report).toMatchObject(right)
    expect(report.acknowledged).toBeGreaterThan(2)
  },
  180_000
)
