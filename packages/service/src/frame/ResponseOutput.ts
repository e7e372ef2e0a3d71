import * as Schema from "effect/Schema"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Body from "@cloud-management/client/Body"
import type * as CallError from "@cloud-management/client/CallError"
import type * as Operation from "@cloud-management/client/Operation"
import * as Output from "./wire/output.ts"
import * as Responses from "./wire/responses.ts"

/**
 * Encodes the results of an operation, and the refusals that it declares, as the service does.
 *
 * **When to use**
 *
 * For code other than the service that responds to requests, such as a mock.
 *
 * **Details**
 *
 * It throws for an outcome that does not fit its schema.
 *
 * **Example** (Encoding a result)
 *
 * ```ts
 * import { deleteApiKey } from "@cloud-management/core/Operations"
 * import * as ResponseOutput from "@cloud-management/service/ResponseOutput"
 *
 * const response = ResponseOutput.encode(deleteApiKey)(undefined, "request-1")
 * ```
 */
export const encode = (
  operation: Operation.Any
): ((outcome: unknown, requestId: string) => HttpServerResponse.HttpServerResponse) => {
  const encode = Output.compile(operation.success)
  const isRefusal = (outcome: unknown): outcome is CallError.Refused =>
    operation.errors.some((refusal) => outcome instanceof refusal)
  return (outcome, requestId) =>
    isRefusal(outcome) ? Responses.refusal(outcome, requestId) : encode(outcome, requestId)
}

/**
 * An operation whose results may omit what the client can do without: nothing but a struct of core has a strict side.
 */
export const lenient = <O extends Operation.Any>(operation: O): O => {
  const plain = <S extends Exclude<Body.Success, { readonly _tag: "OneOf" }>>(success: S): S => ({
    ...success,
    // a schema of its own: the strict sides of those that are known are kept
    schema: Schema.make<Schema.Top>(success.schema.ast).annotate({})
  })
  const { success } = operation
  return {
    ...operation,
    success: success._tag === "OneOf" ? { ...success, bodies: success.bodies.map(plain) } : plain(success)
  }
}
