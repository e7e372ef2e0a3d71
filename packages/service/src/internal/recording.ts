import * as Effect from "effect/Effect"
import type * as Audit from "../Audit.ts"
import * as CallerAddress from "./callerAddress.ts"
import type { Exchange } from "./exchange.ts"

/** Writes an audit record of a request. */
export type Record = (exchange: Exchange, event: Audit.Event, fields: Audit.Fields) => Effect.Effect<void>

/** The fields of an audit record of a request: its ID and the caller's address beside those that are given. */
export const fieldsOf = ({ request, requestId }: Exchange, fields: Audit.Fields): Audit.Fields => ({
  ...fields,
  requestId,
  address: CallerAddress.of(request)
})

export const make =
  (audit: Audit.Recorder): Record =>
  (exchange, event, fields) =>
    Effect.suspend(() => audit(event, fieldsOf(exchange, fields)))
