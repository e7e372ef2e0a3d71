import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Operation from "../Operation.ts"

const segment = (name: string, value: string | undefined): string => {
  // the last: a lone surrogate, which UTF-8 cannot carry
  if (value === undefined || value === "" || value === "." || value === ".." || /\p{Surrogate}/u.test(value)) {
    throw new TypeError(`${name}: ${JSON.stringify(value)} cannot stand in a path`)
  }
  return encodeURIComponent(value)
}

/**
 * The path of a request. Parameters that break their type, which only plain JavaScript or a cast can bring about, are
 * a defect: they must never become another path, least of all of a deletion.
 */
export const path = <O extends Operation.Any>(operation: O, params: Operation.Params<O>): Effect.Effect<string> =>
  Effect.sync(() => {
    const encoded = Schema.encodeUnknownResult(operation.params)(params)
    if (Result.isFailure(encoded)) {
      throw new TypeError(`${operation.group}.${operation.name}: invalid parameters: ${encoded.failure.message}`)
    }
    return operation.path.replace(/:(\w+)/g, (_, name: string) => segment(name, encoded.success[name]))
  })
