import { Mismatch, type Case } from "@cloud-management/testing/Conformance"
import { Cause, Effect, Exit } from "effect"
import type { HttpClient } from "effect/http"

/** How a case ended. Plain data, so that it can leave a page, a worker or another process. */
export interface Result {
  readonly name: string
  readonly failure?: string
}

export const equal = (actual: unknown, expected: unknown) => {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  return a === e ? Effect.void : Effect.fail(new Mismatch({ expected: e, actual: a }))
}

export type Cases<R = never> = Readonly<Record<string, Effect.Effect<void, unknown, R>>>
export const named = (cases: ReadonlyArray<Case>): Cases<HttpClient.HttpClient> =>
  Object.fromEntries(cases.map(({ effect, name }) => [name, effect]))

/** Runs cases one after the other, in whatever runtime this is. None may hold up the others. */
export const run = <R>(cases: Cases<R>) =>
  Effect.forEach(Object.entries(cases), ([name, effect]) =>
    Effect.timeout(effect, "1 minute").pipe(
      Effect.exit,
      Effect.map((exit): Result =>
        Exit.isSuccess(exit) ? { name } : { name, failure: Cause.pretty(exit.cause).split("\n    at ")[0] ?? "" }
      )
    )
  )
