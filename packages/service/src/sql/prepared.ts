import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Reads the one row of a statement that never changes, by its parameters: the values, in the order of the columns. Fails
 * after a while when there is no connection. It may read when it is called: call it where the effect runs.
 */
export type Read = (
  params: ReadonlyArray<string>
) => Effect.Effect<Effect.Success<ReturnType<Connection["execute"]>>[number], SqlError | Cause.TimeoutError>

/** A driver's shorter way, if it has one: without a span, and without compiling the statement again. */
export const Prepared = Context.Reference<((statement: string) => Read) | undefined>(
  "@cloud-management/service/Prepared",
  { defaultValue: () => undefined }
)
