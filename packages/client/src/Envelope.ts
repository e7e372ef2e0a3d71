import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Body from "./Body.ts"
import * as Content from "./internal/content.ts"
import { nullishKey } from "./Wire.ts"
import { jsonForm } from "./internal/jsonForm.ts"
import { property } from "./internal/property.ts"

export { refusal } from "./internal/coded.ts"

const status = /* @__PURE__ */ nullishKey(Schema.Finite)
const requestId = /* @__PURE__ */ nullishKey(Schema.String)

/**
 * The envelope of a success without a result, such as that of a deletion.
 *
 * **Details**
 *
 * `status` repeats the HTTP status; because the HTTP status decides, any number is accepted here. `requestId` can be
 * absent; the client then uses the header `x-request-id`. The client rejects a response with none of the three, because
 * it does not come from the service.
 */
export const Success = /* @__PURE__ */ (() =>
  Schema.Struct({ status, requestId }).annotate({ identifier: "Success" }))()
/**
 * The envelope of a success without a result.
 */
export interface Success extends Schema.Schema.Type<typeof Success> {}

const ofId = (requestId: string | undefined) => (requestId === undefined ? {} : { requestId })

/**
 * An envelope says so itself, by a status or a request ID, or the response has the request ID in its head, from where the
 * envelope gets one.
 */
const read: Content.Read = (body, head, sanitize, parse) => {
  // 204 and 205 have no content (RFC 9110 §15.3.5); without a result that is a whole success
  if (head.status === 204 || head.status === 205) return Result.succeed(ofId(head.requestId))
  return Result.flatMap(Content.json(body, head, sanitize, parse), (json) => {
    const own = property(json, "requestId")
    const isSigned = head.requestId || (Predicate.isString(own) && own) || Predicate.isNumber(property(json, "status"))
    if (!isSigned) {
      const what = "has no status and no request ID, as an envelope has (operations without: --envelope none)"
      return Result.fail(`${what}, and begins: ${sanitize(Content.utf8(body))}`)
    }
    return Result.succeed(
      Predicate.isObject(json) && (own ?? undefined) === undefined ? { ...json, ...ofId(head.requestId) } : json
    )
  })
}

const struct = <Result extends Schema.Codec<unknown, unknown>>(result: Result) =>
  Schema.Struct({ status, requestId, result })

const accept = "application/json"

/**
 * A success with a `result` in its envelope: the JSON form of its schema, as in `Body.json`.
 *
 * **Example** (Declaring a list of names as the result)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as Envelope from "@cloud-management/client/Envelope"
 *
 * const Names = Envelope.withResult(Schema.Array(Schema.String))
 * ```
 */
export const withResult = <Result extends Schema.Codec<unknown, unknown>>(
  result: Result
): Body.Envelope<ReturnType<typeof struct<Result>>> => {
  const envelope = withJson(result)
  return { ...envelope, form: jsonForm(envelope.schema) }
}

/**
 * The same for a result whose schema is its own JSON form: a page does without the code that makes one.
 *
 * **Gotchas**
 *
 * Do not use it for a plain `Schema.Union` whose alternatives contain it again: the work can double with each level.
 */
export const withJson = <Result extends Schema.Codec<unknown, unknown>>(
  result: Result
): Body.Envelope<ReturnType<typeof struct<Result>>> => ({
  _tag: "Envelope",
  accept,
  read,
  schema: struct(result),
  unwrap: (envelope: unknown) => property(envelope, "result")
})

/**
 * A success without a result.
 */
export const withoutResult: Body.Envelope<typeof Success> = {
  _tag: "Envelope",
  accept,
  read,
  schema: Success,
  unwrap: () => undefined,
  deletedValue: ofId
}

/**
 * The envelope of a refusal.
 *
 * **Details**
 *
 * `error` has the form `CODE: message`, for example `NOT_FOUND: Key is not found`; `requestId` may be absent. The
 * client treats an error as the service's only if `error` begins with a code in capitals and `status` equals the HTTP
 * status.
 */
export const Failure = /* @__PURE__ */ (() =>
  Schema.Struct({ status, error: Schema.String, requestId }).annotate({ identifier: "Failure" }))()
/**
 * The envelope of a refusal.
 */
export interface Failure extends Schema.Schema.Type<typeof Failure> {}
