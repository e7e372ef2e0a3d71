import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { allOperations } from "../fixtures/Scripted.ts"
import { grounds } from "./grounds.ts"
import { table } from "./table.ts"
import { policies } from "./verdict.ts"

it.live.each(table)("in memory: $fault", (row) =>
  Effect.gen(function* () {
    const verdicts = yield* grounds["in memory, in virtual time"](row)
    expect(verdicts.filter(({ wrong }) => wrong.length > 0)).toEqual([])
    expect(verdicts).toHaveLength(allOperations.length * policies.length)
  })
)
