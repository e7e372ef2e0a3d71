/**
 * The cases from a process: `bun script.ts URL`, `deno run script.ts URL`; with a plan in JSON, those of failures. Prints
 * the results as JSON.
 */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import process from "node:process"
import { run } from "../run.ts"
import * as Failures from "./failures.ts"

const [, , url = "", plan] = process.argv
const results = run(plan === undefined ? Conformance.cases(url) : Failures.cases(Failures.parse(plan))).pipe(
  Effect.provide(FetchTransport.layer)
)
console.log(JSON.stringify(await Effect.runPromise(results)))
