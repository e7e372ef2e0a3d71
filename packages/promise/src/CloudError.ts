import type { ClientReason, Outcome } from "@cloud-management/core/CloudError"
import type * as Operation from "@cloud-management/core/Operation"
import type { operations } from "@cloud-management/core/Operations"

/**
 * The base of every error of this package, but for an invalid input, which is a `TypeError`.
 *
 * @category errors
 * @since 0.1.0
 */
export class CloudManagementError extends Error {
  override readonly name: string = "CloudManagementError"
}

/**
 * An option that no client or call can be made with, or that is missing; nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidOptionError extends CloudManagementError {
  override readonly name = "InvalidOptionError"
  /** Name of the option, as in `baseUrl`; the first one where several are missing. */
  readonly option: string

  constructor(option: string, message: string) {
    super(message)
    this.option = option
  }
}

/**
 * The client was closed: before the call, or while it ran.
 *
 * **Gotchas**
 *
 * A call that ran may have been applied.
 *
 * @category errors
 * @since 0.1.0
 */
export class ClosedError extends CloudManagementError {
  override readonly name = "ClosedError"
}

/**
 * The call was aborted with a reason that is not an `Error`; `cause` is that reason.
 *
 * **Details**
 *
 * An abort with an `Error`, such as the `DOMException` that `abort()` makes, rejects with that error itself. Both have
 * the name `AbortError` unless you choose another.
 *
 * @category errors
 * @since 0.1.0
 */
export class AbortError extends CloudManagementError {
  override readonly name = "AbortError"
}

/** The refusals of the operations of the Cloud Management API. */
type Declared = {
  [Group in keyof typeof operations]: {
    [Name in keyof (typeof operations)[Group]]: (typeof operations)[Group][Name] extends infer O extends Operation.Any
      ? Operation.Refusals<O>
      : never
  }[keyof (typeof operations)[Group]]
}[keyof typeof operations]

/** The names of the refusals with a status. A registry of your own can declare others. */
type Refused<Status extends number> = Extract<Declared, { readonly status: Status }>["_tag"] | (string & {})

/**
 * What happened, by name.
 *
 * **Details**
 *
 * The names of the Cloud Management API's operations complete in an editor; a registry of your own can declare others.
 *
 * @category models
 * @since 0.1.0
 */
export type Reason = Declared["_tag"] | ClientReason["_tag"] | (string & {})

/**
 * The fields of a {@link CloudError}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fields {
  readonly message: string
  /** `group.name` of the operation. */
  readonly operation: string
  /** HTTP method. */
  readonly method: string
  /** Path template, without ids. */
  readonly path: string
  /** What happened, by name. */
  readonly reason: string
  /** HTTP status, where there was a response. */
  readonly status?: number
  /** Names the request in the service's logs, where a response has it. */
  readonly requestId?: string
  /** How long to wait before the next call, in milliseconds, where the service or the client's own pacing says. */
  readonly retryAfter?: number
  /**
   * What is known of the effect: `not-sent` (the request never left), `refused` (nothing changed), `unknown` (it may have
   * been applied).
   */
  readonly outcome: Outcome
  /** How many requests were made. */
  readonly attempts: number
  /** Whether the same call can succeed later without any change. */
  readonly isRetryable: boolean
  /** Of a {@link ConnectionError}. */
  readonly code?: string
  /** Of a {@link TimeoutError}. */
  readonly limit?: number
}

/**
 * A call failed: narrow it by its class or by its `reason`.
 *
 * **Details**
 *
 * It holds no request, no response and no credentials.
 *
 * **Example** (Telling errors apart)
 *
 * ```ts
 * import { CloudError, NotFoundError, RateLimitedError, type CloudManagement } from "@cloud-management/promise"
 *
 * const remove = async (cloud: CloudManagement, organizationId: string, keyId: string) => {
 *   try {
 *     await cloud.apiKeys.delete({ organizationId, keyId })
 *   } catch (error) {
 *     if (error instanceof NotFoundError) return
 *     if (error instanceof RateLimitedError) console.log(`try again in ${error.retryAfter ?? 1000} ms`)
 *     if (error instanceof CloudError && error.reason === "Unauthorized") console.log(`see request ${error.requestId}`)
 *     throw error
 *   }
 * }
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class CloudError extends CloudManagementError {
  override readonly name: string = "CloudError"
  /** `group.name` of the operation. */
  declare readonly operation: string
  /** HTTP method. */
  declare readonly method: string
  /** Path template, without ids. */
  declare readonly path: string
  /** What happened, by name. */
  declare readonly reason: Reason
  /** HTTP status, where there was a response. */
  declare readonly status: number | undefined
  /** Names the request in the service's logs, where a response has it. */
  declare readonly requestId: string | undefined
  /** How long to wait before the next call, in milliseconds, where the service or the client's own pacing says. */
  declare readonly retryAfter: number | undefined
  /**
   * What is known of the effect: `not-sent` (the request never left), `refused` (nothing changed), `unknown` (it may have
   * been applied).
   */
  declare readonly outcome: Outcome
  /** How many requests were made. */
  declare readonly attempts: number
  /** Whether the same call can succeed later without any change. */
  declare readonly isRetryable: boolean

  constructor({ message, ...fields }: Fields) {
    super(message)
    Object.assign(this, fields)
  }
}

/**
 * The service answered with an error that the operation declares.
 *
 * **Details**
 *
 * One class per common status follows; an operation of your own can declare further ones, which have this class.
 *
 * @category errors
 * @since 0.1.0
 */
export class StatusError extends CloudError {
  override readonly name: string = "StatusError"
  declare readonly status: number
}

/**
 * 400: the request cannot be served as it is, for example because it would delete the key in use.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadRequestError extends StatusError {
  override readonly name = "BadRequestError"
  declare readonly status: 400
  declare readonly reason: Refused<400>
}

/**
 * 401: the credentials name no active key.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnauthorizedError extends StatusError {
  override readonly name = "UnauthorizedError"
  declare readonly status: 401
  declare readonly reason: Refused<401>
}

/**
 * 403: the key belongs to another organization.
 *
 * @category errors
 * @since 0.1.0
 */
export class ForbiddenError extends StatusError {
  override readonly name = "ForbiddenError"
  declare readonly status: 403
  declare readonly reason: Refused<403>
}

/**
 * 404: the service says that the resource does not exist; the 404 of a gateway is an {@link UnexpectedStatusError}.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFoundError extends StatusError {
  override readonly name = "NotFoundError"
  declare readonly status: 404
  declare readonly reason: Refused<404>
}

/**
 * 429: the key has used up its rate limit.
 *
 * @category errors
 * @since 0.1.0
 */
export class RateLimitedError extends StatusError {
  override readonly name = "RateLimitedError"
  declare readonly status: 429
  declare readonly reason: Refused<429>
}

/**
 * 500: the service failed; it may have done the work before.
 *
 * @category errors
 * @since 0.1.0
 */
export class InternalServerError extends StatusError {
  override readonly name = "InternalServerError"
  declare readonly status: 500
  declare readonly reason: Refused<500>
}

/**
 * 503: the service, or something it depends on, is unavailable for now.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServiceUnavailableError extends StatusError {
  override readonly name = "ServiceUnavailableError"
  declare readonly status: 503
  declare readonly reason: Refused<503>
}

/**
 * A status that the operation does not declare, or a 404 without the service's envelope: a gateway or a wrong base URL.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedStatusError extends CloudError {
  override readonly name = "UnexpectedStatusError"
  declare readonly status: number
  declare readonly reason: "UnexpectedStatus"
}

/**
 * A success whose body does not fit the operation, is too large, or does not come from the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResponseError extends CloudError {
  override readonly name = "InvalidResponseError"
  declare readonly status: number
  declare readonly reason: "InvalidResponse"
}

/**
 * No answer, or not all of it: the connection could not be made, or broke.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectionError extends CloudError {
  override readonly name = "ConnectionError"
  declare readonly reason: "TransportFailed"
  /** The code of the system or the transport, where there is one: `ECONNREFUSED`, `UND_ERR_SOCKET`, … */
  declare readonly code: string | undefined
}

/**
 * No complete answer within `timeout` or `deadline`.
 *
 * @category errors
 * @since 0.1.0
 */
export class TimeoutError extends CloudError {
  override readonly name = "TimeoutError"
  declare readonly reason: "Timeout"
  /** The limit that passed, in milliseconds. */
  declare readonly limit: number
}

/**
 * The client's own pacing would hold the call back past its deadline: the attempt was not sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class ThrottledError extends CloudError {
  override readonly name = "ThrottledError"
  declare readonly reason: "Throttled"
  declare readonly retryAfter: number
}
