import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as CloudError from "./CloudError.ts"
import { property } from "./internal/property.ts"
import { refuse } from "./internal/response.ts"
import type * as Operation from "./Operation.ts"

const Text = Schema.optional(Schema.String)
const Millis = Schema.optional(Schema.Number)

/** The JSON of an error; durations are in milliseconds. */
const Wire = Schema.Struct({
  _tag: Schema.tag("CloudError"),
  operation: Schema.String,
  method: Schema.String,
  path: Schema.String,
  baseUrl: Text,
  status: Schema.optional(Schema.Number),
  requestId: Text,
  attempts: Schema.Number,
  outcome: Schema.Literals(["not-sent", "refused", "unknown"]),
  reason: Schema.Struct({
    _tag: Schema.String,
    message: Schema.String,
    requestId: Text,
    retryAfter: Millis,
    limit: Millis,
    transient: Schema.optional(Schema.Boolean),
    code: Text,
    proxy: Text,
    path: Text,
    status: Schema.optional(Schema.Number),
    body: Schema.optional(Schema.Unknown)
  })
})

type Reason = CloudError.ClientReason | CloudError.Refused

/** The reason with its class; none for a refusal that the operation does not declare. */
const decodeReason = (
  {
    _tag,
    body,
    code,
    limit = 0,
    message,
    path = "",
    proxy,
    requestId,
    retryAfter,
    status = 0,
    transient = false
  }: (typeof Wire)["Type"]["reason"],
  errors: Operation.Any["errors"]
): Reason | undefined => {
  const identified = { message, ...(requestId !== undefined && { requestId }) }
  const info = { ...identified, ...(retryAfter !== undefined && { retryAfter: Duration.millis(retryAfter) }) }
  switch (_tag) {
    case "InvalidInput":
      return new CloudError.InvalidInput({ message, path })
    case "UnexpectedStatus":
      return new CloudError.UnexpectedStatus(info)
    case "InvalidResponse":
      return new CloudError.InvalidResponse(identified)
    case "TransportFailed":
      return new CloudError.TransportFailed({
        message,
        transient,
        ...(code !== undefined && { code }),
        ...(proxy !== undefined && { proxy })
      })
    case "Timeout":
      return new CloudError.Timeout({ message, limit: Duration.millis(limit) })
    case "Throttled":
      return new CloudError.Throttled({ message, retryAfter: Duration.millis(retryAfter ?? 0) })
  }
  const refusal = errors.find(({ prototype }) => property(prototype, "name") === _tag)
  if (refusal === undefined) return undefined
  const schema = refusal.rule?.body
  if (schema === undefined) return refuse(refusal, { ...info, status })
  const decoded = Schema.decodeUnknownResult(schema)(body)
  return Result.isFailure(decoded) ? undefined : refuse(refusal, { ...info, status, body: decoded.success })
}

/** The body of a refusal, as the service sent it. */
const encodeBody = (reason: Reason, errors: Operation.Any["errors"]): unknown => {
  const schema = errors.find((refusal) => reason instanceof refusal)?.rule?.body
  return schema && Result.getOrUndefined(Schema.encodeUnknownResult(schema)(property(reason, "body")))
}

const encodeReason = (reason: Reason, errors: Operation.Any["errors"]): (typeof Wire)["Type"]["reason"] => ({
  _tag: reason._tag,
  message: reason.message,
  requestId: "requestId" in reason ? reason.requestId : undefined,
  retryAfter: "retryAfter" in reason && reason.retryAfter ? Duration.toMillis(reason.retryAfter) : undefined,
  limit: "limit" in reason ? Duration.toMillis(reason.limit) : undefined,
  transient: "transient" in reason ? reason.transient : undefined,
  code: "code" in reason ? reason.code : undefined,
  proxy: "proxy" in reason ? reason.proxy : undefined,
  path: "path" in reason ? reason.path : undefined,
  status: "status" in reason ? reason.status : undefined,
  body: encodeBody(reason, errors)
})

/**
 * Creates the schema of the errors of an operation, whose JSON can cross a wire or a thread.
 *
 * **Details**
 *
 * Decoding restores the `CloudError` with the class of its reason, so that `catchReason` and `isRetryable` work. Like the
 * error itself, the JSON holds no credentials. A reason that the operation does not declare does not decode.
 *
 * **Example** (Sending an error to another thread)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as CloudErrorSchema from "@cloud-management/core/CloudErrorSchema"
 * import { deleteApiKey } from "@cloud-management/core/Operations"
 *
 * const DeletionError = CloudErrorSchema.make(deleteApiKey)
 * const encode = Schema.encodeEffect(Schema.toCodecJson(DeletionError))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export function make<O extends Operation.Any>(operation: O): Schema.Codec<Operation.Error<O>, (typeof Wire)["Encoded"]>
export function make({ errors }: Operation.Any): Schema.Codec<CloudError.CloudError<Reason>, (typeof Wire)["Encoded"]> {
  const isError = (error: unknown): error is CloudError.CloudError<Reason> => error instanceof CloudError.CloudError
  return Wire.pipe(
    Schema.decodeTo(
      Schema.declare(isError),
      SchemaTransformation.transformEffect<CloudError.CloudError<Reason>, (typeof Wire)["Type"]>({
        decode: ({ reason: encoded, ...context }) => {
          const reason = decodeReason(encoded, errors)
          return reason === undefined
            ? Effect.fail(new SchemaIssue.InvalidValue({ message: "a reason of the operation" }))
            : Effect.succeed(new CloudError.CloudError({ ...context, reason }))
        },
        encode: ({ attempts, baseUrl, method, operation, outcome, path, reason, requestId, status }) =>
          Effect.succeed({
            _tag: "CloudError",
            operation,
            method,
            path,
            baseUrl,
            status,
            requestId,
            attempts,
            outcome,
            reason: encodeReason(reason, errors)
          })
      })
    )
  )
}
