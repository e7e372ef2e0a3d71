import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { allOperations } from "../fixtures/Scripted.ts"
import * as Memory from "./memory.ts"
import * as Sockets from "./sockets.ts"
import type { Row } from "./table.ts"
import { policies, type Verdict } from "./verdict.ts"

/** Where the table is tried: a transport, and the time it runs in. */
export const grounds = {
  "in memory, in virtual time": (row) => tryAll(row, 1, Memory.run).pipe(Effect.provide(TestClock.layer())),
  "undici over sockets": (row) => tryAll(row, 3, Sockets.run("undici")),
  "fetch over sockets": (row) => tryAll(row, 3, Sockets.run("fetch"))
} satisfies Record<string, (row: Row) => Effect.Effect<ReadonlyArray<Verdict>>>

/** Every operation under every policy. */
const tryAll = (row: Row, concurrency: number, run: typeof Memory.run) =>
  Effect.forEach(
    allOperations.flatMap((operation) => policies.map((policy) => ({ row, operation, policy }))),
    (trial) => Effect.scoped(run(trial)),
    { concurrency }
  ).pipe(
    Effect.map((verdicts) => verdicts.filter((verdict) => verdict !== undefined)),
    Effect.provide(Logger.layer([]))
  )
