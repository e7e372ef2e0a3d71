import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "./memory.ts"
import { table } from "./table.ts"
import { tryAll } from "./verdict.ts"

it.live.each(table)("in memory: $fault", (row) =>
  Effect.gen(function* () {
    expect(yield* Effect.provide(tryAll(row, 1, Memory.run), TestClock.layer())).toEqual([])
  })
)
