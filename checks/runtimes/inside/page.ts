/**
 * The cases from a page: `?transport=fetch|xhr&cases=conformance|page&at=ORIGIN`, or those of failures with
 * `?transport=…&plan=JSON`. The results are what the promise in `globalThis.results` resolves to.
 */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as XhrTransport from "@cloud-management/browser/XhrTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import { run, type Result } from "../run.ts"
import * as Failures from "./failures.ts"
import * as PageCases from "./pageCases.ts"

declare global {
  var results: Promise<ReadonlyArray<Result>>
}

const parameters = new URL(location.href).searchParams
const at = parameters.get("at") ?? location.origin
const plan = parameters.get("plan")
const transport = parameters.get("transport") === "xhr" ? "xhr" : "fetch"

globalThis.results = run(
  plan !== null
    ? Failures.cases(Failures.parse(plan))
    : parameters.get("cases") === "page"
      ? PageCases.cases(transport, at)
      : Conformance.cases(at)
).pipe(Effect.provide(transport === "xhr" ? XhrTransport.layer : FetchTransport.layer), Effect.runPromise)
