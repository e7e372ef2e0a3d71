import type * as Core from "@cloud-management/client/CallError"
import * as Duration from "effect/Duration"
import * as CallError from "../CallError.ts"
import * as Dates from "./dates.ts"
import { toHeaders } from "./headers.ts"

export type Failure = Core.CallError<Core.ClientReason | Core.Refused>

type Class = new (fields: CallError.Fields) => CallError.CallError

const byStatus: Readonly<Record<number, Class>> = {
  400: CallError.BadRequestError,
  401: CallError.UnauthorizedError,
  403: CallError.ForbiddenError,
  404: CallError.NotFoundError,
  429: CallError.RateLimitedError,
  500: CallError.InternalServerError,
  503: CallError.ServiceUnavailableError
}

const byReason: Readonly<Record<Core.ClientReason["_tag"], Class>> = {
  InvalidInput: CallError.InvalidInputError,
  UnexpectedStatus: CallError.UnexpectedStatusError,
  InvalidResponse: CallError.InvalidResponseError,
  TransportFailed: CallError.ConnectionError,
  Timeout: CallError.TimeoutError,
  Throttled: CallError.ThrottledError
}

export const toError = (failure: Failure): CallError.CallError => {
  const { reason, retryAfter } = failure
  const Class = "status" in reason ? (byStatus[reason.status] ?? CallError.StatusError) : byReason[reason._tag]
  return new Class({
    message: failure.message,
    operation: failure.operation,
    method: failure.method,
    path: failure.path,
    reason: reason._tag,
    ...(failure.status !== undefined && { status: failure.status, headers: toHeaders(failure.headers) }),
    ...(failure.requestId !== undefined && { requestId: failure.requestId }),
    ...(retryAfter !== undefined && { retryAfter: Duration.toMillis(retryAfter) }),
    outcome: failure.outcome,
    attempts: failure.attempts,
    isRetryable: failure.isRetryable,
    ...("path" in reason && { field: reason.path }),
    ...("body" in reason && { body: Dates.toDates(reason.body) }),
    ...("code" in reason && { code: reason.code }),
    ...("proxy" in reason && { proxy: reason.proxy }),
    ...("limit" in reason && { limit: Duration.toMillis(reason.limit) })
  })
}
