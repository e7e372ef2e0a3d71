/** Cases that can run in any runtime, named by what leaves a process as JSON. */
import { FetchTransport } from "@cloud-management/browser"
import { Client } from "@cloud-management/promise"
import { Conformance } from "@cloud-management/testing"
import { Effect, Schema } from "effect"
import { type HttpClient } from "effect/http"
import * as EffectClient from "../../fixtures/EffectClient.ts"
import { named, run, type Result } from "../run.ts"
import * as Failures from "./failures.ts"
import * as Uploads from "./uploads.ts"

export const Task = Schema.Union([
  /** The conformance cases; through a client on promises; those that only a page can show. Against a service. */
  Schema.Struct({ cases: Schema.Literals(["conformance", "promises", "page"]), at: Schema.String }),
  /** Those of streams. Not every runtime gives a response before the whole request is sent. */
  Schema.Struct({ cases: Schema.Literal("uploads"), at: Schema.String, isEarly: Schema.Boolean }),
  Schema.Struct({ cases: Schema.Literal("failures"), ...Failures.Plan.fields })
])
export type Task = typeof Task.Type
export const parse = Schema.decodeSync(Schema.fromJsonString(Task))

export const perform = (task: Task): Effect.Effect<ReadonlyArray<Result>, never, HttpClient.HttpClient> => {
  switch (task.cases) {
    case "conformance":
      return run(named(Conformance.cases(task.at)))
    case "promises":
      return Effect.scoped(
        Effect.flatMap(EffectClient.make(Client), (make) => run(named(Conformance.cases(task.at, make))))
      )
    case "page":
      return Effect.die("these cases need a page")
    case "uploads":
      return Uploads.results(task.at, task.isEarly)
    case "failures":
      return run(Failures.cases(task))
  }
}

/** The same over `fetch`, whose results are plain data. */
export const results = (json: string): Promise<ReadonlyArray<Result>> =>
  Effect.runPromise(Effect.provide(perform(parse(json)), FetchTransport.layer))
