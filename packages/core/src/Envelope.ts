import * as Schema from "effect/Schema"
import { absentable } from "./internal/fields.ts"

/** What every envelope carries beside its payload. */
const status = absentable(Schema.Finite)
const requestId = absentable(Schema.String)

/**
 * The envelope of a success that has no result, as of the delete operation.
 *
 * `status` repeats the HTTP status; the HTTP status decides, so any number passes here. `requestId` is a UUID on this
 * project's service and any string, or absent, elsewhere; the client then falls back to the header `x-request-id`. An answer
 * with none of the three does not come from the service, and the client refuses it.
 *
 * Source: specification, section 2.1.
 */
export const Success = Schema.Struct({ status, requestId }).annotate({ identifier: "Success" })
/** The envelope of a success that has no result. */
export interface Success extends Schema.Schema.Type<typeof Success> {}

/**
 * The envelope of a success around a `result`: {@link Success} and the result's own schema.
 *
 * @example
 * import * as Schema from "effect/Schema"
 * import * as Envelope from "@cloud-management/core/Envelope"
 *
 * const Names = Envelope.withResult(Schema.Array(Schema.String))
 */
export const withResult = <Result extends Schema.Constraint>(result: Result) =>
  Schema.Struct({ status, requestId, result })

/**
 * The envelope of a refusal. `error` reads `CODE: message`, for example `NOT_FOUND: Key is not found`; `requestId` may
 * be absent. To the client an error is the service's only if `error` begins with a code in capitals and `status` is the
 * HTTP status.
 *
 * The specification (section 7) leaves errors open: this is the shape that the public clients of an API of this shape
 * read.
 */
export const Failure = Schema.Struct({ status, error: Schema.String, requestId }).annotate({ identifier: "Failure" })
/** The envelope of a refusal. */
export interface Failure extends Schema.Schema.Type<typeof Failure> {}
