import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type * as CallError from "@cloud-management/client/CallError"
import type * as Operation from "@cloud-management/client/Operation"
import { pathOf, type HttpRequest } from "./HttpRequest.ts"
import * as Input from "./wire/input.ts"
import * as Router from "./wire/router.ts"
import * as WellFormed from "./wire/wellFormed.ts"

/**
 * Decodes the input of an operation from a request, or returns `undefined` for a request of another operation.
 *
 * **Details**
 *
 * The effect fails with the service's refusal if the request does not fit the operation.
 */
type Decode<O extends Operation.Any> = (
  request: HttpRequest
) => Effect.Effect<Operation.Input<O>, CallError.Refused> | undefined

/**
 * Recognises the requests of an operation, and decodes their inputs as the service does.
 *
 * **When to use**
 *
 * For code other than the service that examines requests, such as tests.
 *
 * **Example** (Decoding a request)
 *
 * ```ts
 * import { deleteApiKey } from "@cloud-management/core/Operations"
 * import type { HttpRequest } from "@cloud-management/service/HttpRequest"
 * import * as RequestInput from "@cloud-management/service/RequestInput"
 *
 * declare const request: HttpRequest
 * const input = RequestInput.decode(deleteApiKey)(request)
 * ```
 */
export function decode<O extends Operation.Any>(operation: O): Decode<O>
export function decode(operation: Operation.Any): Decode<Operation.Any> {
  const match = Router.make([operation])
  // of the many operations of a mock, a test calls few
  let decode: Input.Decode | undefined
  return (request) => {
    const { headers, method, url } = request
    if (method !== operation.method) return undefined
    const matched = match(method, pathOf(request))
    if (matched._tag !== "Found") return undefined
    const compiled = (decode ??= Input.compile(operation))
    return Effect.flatMap(WellFormed.body(request), (body) =>
      compiled({ params: matched.params, target: url, headers, body })
    )
  }
}

/**
 * Orders operations as the service tries them for a request: a text in a path comes before a variable.
 *
 * **Details**
 *
 * `/a/b` comes before `/a/:id`, if both fit. Two operations that take the same request are equal if their paths differ
 * at most in the names of variables.
 */
export const order: Order.Order<Operation.Any> = Order.mapInput(Router.order, ({ path }) => path)
