import * as Data from "effect/Data"

/** Why a request is rejected, whatever it asks for. Its connection ends with the response. */
export class Fault extends Data.TaggedError("Fault")<{ readonly status: number; readonly message: string }> {
  constructor(status: number, message: string) {
    super({ status, message })
  }
}
