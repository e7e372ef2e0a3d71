import * as Data from "effect/Data"

/** Why a request is refused, whatever it asks for. Its connection ends with the answer. */
export class Fault extends Data.TaggedError("Fault")<{ readonly status: number; readonly message: string }> {}
