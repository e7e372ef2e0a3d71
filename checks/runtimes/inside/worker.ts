/** The cases from a worker, those of failures with a plan in JSON: its answer to a request is the results. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import { run } from "../run.ts"
import * as Failures from "./failures.ts"

export default {
  fetch: async (_: Request, env: { readonly BASE_URL: string } | { readonly PLAN: string }): Promise<Response> => {
    const cases = "PLAN" in env ? Failures.cases(Failures.parse(env.PLAN)) : Conformance.cases(env.BASE_URL)
    return Response.json(await Effect.runPromise(Effect.provide(run(cases), FetchTransport.layer)))
  }
}
