/** The cases from a worker: its answer to a request is the results. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import { run } from "../run.ts"

export default {
  fetch: async (_: Request, env: { readonly BASE_URL: string }): Promise<Response> => {
    const results = run(Conformance.cases(env.BASE_URL)).pipe(Effect.provide(FetchTransport.layer))
    return Response.json(await Effect.runPromise(results))
  }
}
