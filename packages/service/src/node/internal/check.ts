import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { InvalidDatabase } from "./invalidDatabase.ts"

/** Whether to warn of a role that can change or delete audit records: a service needs neither, an operator may. */
export const IsService = Context.Reference<boolean>("@cloud-management/service/IsService", {
  defaultValue: () => false
})

/** Fails if the server that a client reaches cannot serve a store. */
export const Check = Context.Reference<Effect.Effect<void, SqlError | InvalidDatabase>>(
  "@cloud-management/service/Check",
  { defaultValue: () => Effect.void }
)
