import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { InvalidDatabase } from "./invalidDatabase.ts"

/** Fails if the server that a client reaches cannot serve a store. */
export const Check = Context.Reference<Effect.Effect<void, SqlError | InvalidDatabase>>(
  "@cloud-management/service/Check",
  { defaultValue: () => Effect.void }
)
