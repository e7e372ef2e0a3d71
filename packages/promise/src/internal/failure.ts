import type * as Core from "@cloud-management/core/CloudError"
import * as Duration from "effect/Duration"
import * as CloudError from "../CloudError.ts"
import * as Dates from "./dates.ts"

/** A failure of a call of any operation. */
export type Failure = Core.CloudError<Core.ClientReason | Core.Refused>

type Class = new (fields: CloudError.Fields) => CloudError.CloudError

const byStatus: Readonly<Record<number, Class>> = {
  400: CloudError.BadRequestError,
  401: CloudError.UnauthorizedError,
  403: CloudError.ForbiddenError,
  404: CloudError.NotFoundError,
  429: CloudError.RateLimitedError,
  500: CloudError.InternalServerError,
  503: CloudError.ServiceUnavailableError
}

const byReason: Readonly<Record<Core.ClientReason["_tag"], Class>> = {
  InvalidInput: CloudError.InvalidInputError,
  UnexpectedStatus: CloudError.UnexpectedStatusError,
  InvalidResponse: CloudError.InvalidResponseError,
  TransportFailed: CloudError.ConnectionError,
  Timeout: CloudError.TimeoutError,
  Throttled: CloudError.ThrottledError
}

/** Makes the error that a promise is rejected with of one of the client's. */
export const toError = (failure: Failure): CloudError.CloudError => {
  const { reason, retryAfter } = failure
  const Class = "status" in reason ? (byStatus[reason.status] ?? CloudError.StatusError) : byReason[reason._tag]
  return new Class({
    message: failure.message,
    operation: failure.operation,
    method: failure.method,
    path: failure.path,
    reason: reason._tag,
    ...(failure.status !== undefined && { status: failure.status }),
    ...(failure.requestId !== undefined && { requestId: failure.requestId }),
    ...(retryAfter !== undefined && { retryAfter: Duration.toMillis(retryAfter) }),
    outcome: failure.outcome,
    attempts: failure.attempts,
    isRetryable: failure.isRetryable,
    ...("path" in reason && { field: reason.path }),
    ...("body" in reason && { body: Dates.toDates(reason.body) }),
    ...("code" in reason && { code: reason.code }),
    ...("limit" in reason && { limit: Duration.toMillis(reason.limit) })
  })
}
