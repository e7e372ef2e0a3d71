/** Cases from a page: `?task=JSON`. The promise in `globalThis.results` resolves to the results. */
import { FetchTransport } from "@cloud-management/browser"
import { Effect } from "effect"
import { run, type Result } from "../run.ts"
import * as PageCases from "./pageCases.ts"
import * as Task from "./task.ts"

declare global {
  var results: Promise<ReadonlyArray<Result>>
}

const task = Task.parse(new URL(location.href).searchParams.get("task") ?? "")

globalThis.results = (task.cases === "page" ? run(PageCases.cases(task.at)) : Task.perform(task)).pipe(
  Effect.provide(FetchTransport.layer),
  Effect.runPromise
)
