import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Sockets from "./sockets.ts"
import { table } from "./table.ts"
import { tryAll } from "./verdict.ts"

for (const transport of ["undici", "fetch"] as const) {
  it.live.each(table)(`${transport} over sockets: $fault`, (row) =>
    Effect.gen(function* () {
      expect(yield* tryAll(row, 3, Sockets.run(transport))).toEqual([])
    })
  )
}

it.live("undici closes a connection that is being made with its layer", () =>
  Effect.gen(function* () {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { close, cloud } = yield* Sockets.connect("undici", {
      wire: { to: ({ tls }) => tls, connection: () => resolve() },
      isFaulty: () => true,
      options: { deadline: { attempt: Infinity, total: Infinity } }
    })
    yield* Effect.forkChild(cloud.organizations.list())
    yield* Effect.promise(() => promise)
    // the call itself goes on: what it leaves is not asked for
    expect(yield* close(true)).toEqual([])
  })
)
