/** The cases from a process: `bun script.ts URL`, `deno run script.ts URL`. Prints the results as JSON. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import process from "node:process"
import { run } from "../run.ts"

const results = run(Conformance.cases(process.argv[2] ?? "")).pipe(Effect.provide(FetchTransport.layer))
console.log(JSON.stringify(await Effect.runPromise(results)))
