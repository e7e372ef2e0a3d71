import * as Context from "effect/Context"
import type { Connection } from "effect/sql/SqlConnection"

/**
 * Reads the rows of a statement that never changes, by its parameters: of each the values, in the order of the columns.
 */
export type Read = (params: ReadonlyArray<string>) => ReturnType<Connection["execute"]>

/**
 * How a driver reads by a statement that is prepared once, if it has a shorter way than for any other: without a span,
 * and without compiling the statement again.
 */
export const Prepared = Context.Reference<((statement: string) => Read) | undefined>(
  "@cloud-management/service/Prepared",
  { defaultValue: () => undefined }
)
