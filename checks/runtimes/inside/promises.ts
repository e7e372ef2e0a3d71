/** The conformance cases through a client on promises, over the transport that it has in this runtime. */
import { CloudManagement } from "@cloud-management/promise"
import * as Conformance from "@cloud-management/testing/Conformance"
import * as Effect from "effect/Effect"
import * as EffectClient from "../../fixtures/EffectClient.ts"
import { run } from "../run.ts"

export const results = (url: string) =>
  Effect.scoped(
    Effect.flatMap(EffectClient.make(CloudManagement), (makeClient) => run(Conformance.cases(url, makeClient)))
  )
