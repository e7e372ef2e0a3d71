/**
 * The cases from a process: `bun script.ts URL`, `deno run script.ts URL`; with `promises`, through a client on promises;
 * with `uploads`, those of streams; with a plan in JSON, those of failures. Prints the results as JSON.
 */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import process from "node:process"
import { run } from "../run.ts"
import * as Failures from "./failures.ts"
import * as Promises from "./promises.ts"
import * as Uploads from "./uploads.ts"

const [, , url = "", plan] = process.argv
const results =
  plan === undefined
    ? run(Conformance.cases(url))
    : plan === "promises"
      ? Promises.results(url)
      : plan === "uploads"
        ? Uploads.results(url, !("Bun" in globalThis))
        : run(Failures.cases(Failures.parse(plan)))
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(results, FetchTransport.layer))))
