/** The cases from a worker, through a client on promises, those of uploads, or those of failures with a plan in JSON: its answer to a request is the results. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import { run } from "../run.ts"
import * as Failures from "./failures.ts"
import * as Promises from "./promises.ts"
import * as Uploads from "./uploads.ts"

type Bindings =
  | { readonly BASE_URL: string; readonly PROMISES?: string }
  | { readonly UPLOADS: string }
  | { readonly PLAN: string }

export default {
  fetch: async (_: Request, env: Bindings): Promise<Response> => {
    const results =
      "PLAN" in env
        ? run(Failures.cases(Failures.parse(env.PLAN)))
        : "UPLOADS" in env
          ? Uploads.results(env.UPLOADS, false)
          : "PROMISES" in env
            ? Promises.results(env.BASE_URL)
            : run(Conformance.cases(env.BASE_URL))
    return Response.json(await Effect.runPromise(Effect.provide(results, FetchTransport.layer)))
  }
}
