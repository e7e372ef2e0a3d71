/** Cases from a page: `?transport=fetch|xhr&task=JSON`. The promise in `globalThis.results` resolves to the results. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as XhrTransport from "@cloud-management/browser/XhrTransport"
import * as Effect from "effect/Effect"
import { run, type Result } from "../run.ts"
import * as PageCases from "./pageCases.ts"
import * as Task from "./task.ts"

declare global {
  var results: Promise<ReadonlyArray<Result>>
}

const parameters = new URL(location.href).searchParams
const task = Task.parse(parameters.get("task") ?? "")
const transport = parameters.get("transport") === "xhr" ? "xhr" : "fetch"

globalThis.results = (task.cases === "page" ? run(PageCases.cases(transport, task.at)) : Task.perform(task)).pipe(
  Effect.provide(transport === "xhr" ? XhrTransport.layer : FetchTransport.layer),
  Effect.runPromise
)
