import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as CallError from "./CallError.ts"
import * as Digits from "./internal/digits.ts"
import { jsonForm } from "./internal/jsonForm.ts"
import { orUndefined, property } from "./internal/property.ts"
import * as OptionRules from "./OptionRules.ts"
import { refusedOf } from "./internal/response.ts"
import type * as Operation from "./Operation.ts"
import { nullishKey } from "./Wire.ts"

const Text = Schema.optional(Schema.String)
const Millis = nullishKey(Schema.DurationFromMillis)

/** A reason, with whatever any of them has. */
const Reason = Schema.Struct({
  _tag: Schema.String,
  message: Schema.String,
  requestId: nullishKey(Schema.String),
  retryAfter: Millis,
  limit: Millis,
  transient: nullishKey(Schema.Boolean),
  code: nullishKey(Schema.String),
  proxy: nullishKey(Schema.String),
  path: nullishKey(Schema.String),
  status: nullishKey(Schema.Number),
  body: Schema.optionalKey(Schema.Unknown),
  /** In place of a body that has integers beyond 2^53: its text. */
  bodyText: nullishKey(Schema.String)
})

/** The JSON of an error; durations are in milliseconds. */
const Wire = Schema.Struct({
  _tag: Schema.tag("CallError"),
  operation: Schema.String,
  method: Schema.String,
  path: Schema.String,
  baseUrl: Text,
  status: Schema.optional(Schema.Number),
  requestId: Text,
  headers: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  attempts: Schema.Number,
  outcome: Schema.Literals(["not-sent", "refused", "unknown"]),
  reason: Reason
})

type Reason = CallError.ClientReason | CallError.Refused

/** The reason with its class; none for a refusal that the operation does not declare. */
const decodeReason = (
  { _tag, body, bodyText, status = 0, ...fields }: (typeof Reason)["Type"],
  errors: Operation.Any["errors"]
): Reason | undefined => {
  switch (_tag) {
    case "InvalidInput":
      return new CallError.InvalidInput({ path: "", ...fields })
    case "UnexpectedStatus":
      return new CallError.UnexpectedStatus(fields)
    case "InvalidResponse":
      return new CallError.InvalidResponse(fields)
    case "TransportFailed":
      return new CallError.TransportFailed({ transient: false, ...fields })
    case "Timeout":
      return new CallError.Timeout({ limit: Duration.zero, ...fields })
    case "Throttled":
      return new CallError.Throttled({ retryAfter: Duration.zero, ...fields })
  }
  const refusal = errors.find(({ prototype }) => property(prototype, "name") === _tag)
  if (refusal === undefined) return undefined
  const schema = refusal.rule?.body
  if (schema === undefined) return refusedOf(refusal, { ...fields, status })
  const json = bodyText === undefined ? body : orUndefined(() => Digits.parse(bodyText))
  const decoded = Schema.decodeUnknownResult(jsonForm(schema))(json)
  return Result.isFailure(decoded) ? undefined : refusedOf(refusal, { ...fields, status, body: decoded.success })
}

/** A refusal has its body as the service sent it. */
const encodeReason = (reason: Reason, errors: Operation.Any["errors"]): (typeof Reason)["Type"] => {
  const { _tag, message } = reason
  const schema = errors.find((refusal) => reason instanceof refusal)?.rule?.body
  const body = schema && Result.getOrUndefined(Schema.encodeUnknownResult(jsonForm(schema))(property(reason, "body")))
  const text = orUndefined(() => Digits.stringify(body))
  const hasLong = text !== undefined && text !== orUndefined(() => JSON.stringify(body))
  // types that are not exact let a reason have what is undefined
  const sent = hasLong ? { body: undefined, bodyText: text } : schema && { body }
  return OptionRules.options(Object.assign({}, reason, { _tag, message }, sent))
}

/**
 * Creates the schema of the errors of an operation, whose JSON can cross a wire or a thread.
 *
 * **Details**
 *
 * Decoding restores the `CallError` with the class of its reason, so that `catchReason` and `isRetryable` work. Like the
 * error itself, the JSON holds no credentials, unless the service repeated them in the body of a refusal. A reason that
 * the operation does not declare does not decode.
 *
 * **Example** (Sending an error to another thread)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as CallErrorSchema from "@cloud-management/client/CallErrorSchema"
 * import type * as Operation from "@cloud-management/client/Operation"
 *
 * const encodeErrorOf = (operation: Operation.Any) =>
 *   Schema.encodeEffect(Schema.toCodecJson(CallErrorSchema.make(operation)))
 * ```
 */
export function make<O extends Operation.Any>(operation: O): Schema.Codec<Operation.Error<O>, (typeof Wire)["Encoded"]>
export function make({ errors }: Operation.Any): Schema.Codec<CallError.CallError<Reason>, (typeof Wire)["Encoded"]> {
  const isError = (error: unknown): error is CallError.CallError<Reason> => error instanceof CallError.CallError
  return Wire.pipe(
    Schema.decodeTo(
      Schema.declare(isError),
      SchemaTransformation.transformEffect<CallError.CallError<Reason>, (typeof Wire)["Type"]>({
        decode: ({ reason: encoded, ...context }) => {
          const reason = decodeReason(encoded, errors)
          return reason === undefined
            ? Effect.fail(new SchemaIssue.InvalidValue({ message: "a reason of the operation" }))
            : Effect.succeed(new CallError.CallError({ ...context, reason }))
        },
        encode: (error) =>
          Effect.succeed(Object.assign({}, error, { _tag: error._tag, reason: encodeReason(error.reason, errors) }))
      })
    )
  )
}
