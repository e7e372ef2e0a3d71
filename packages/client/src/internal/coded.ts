import * as Predicate from "effect/Predicate"
import type { Rule } from "../CallError.ts"
import { property } from "./property.ts"

/** `CODE: message`, which a gateway's `Not Found` is not. */
const coded = /^[A-Z][A-Z\d_]*: /

/**
 * Recognizes a refusal by `Envelope.Failure`, for the classes of an API that says all of its refusals so.
 *
 * **Details**
 *
 * Without it, the status decides, except for a 404, which gateways send too.
 *
 * **Example** (Declaring a refusal in an envelope)
 *
 * ```ts
 * import * as CallError from "@cloud-management/client/CallError"
 * import * as Envelope from "@cloud-management/client/Envelope"
 *
 * class Conflict extends CallError.refusal("Conflict", 409, Envelope.refusal) {}
 * ```
 */
export const refusal: Rule<undefined> = {
  body: undefined,
  isCommon: true,
  // what the schema decodes, which would bring 0.6 kB into a page
  recognize: (body, status) => {
    const message = property(body, "error")
    const requestId = property(body, "requestId") ?? undefined
    return property(body, "status") === status &&
      Predicate.isString(message) &&
      coded.test(message) &&
      (requestId === undefined || Predicate.isString(requestId))
      ? { message, requestId }
      : { message: "no error envelope", isOurs: true }
  }
}
