import type { ClientReason, Outcome } from "@cloud-management/client/CallError"
import * as Operation from "@cloud-management/client/Operation"
import type { Output } from "./Client.ts"

/** The base class of every error of this package. */
export class ClientError extends Error {
  override readonly name: string = "ClientError"
}

/** An option is invalid or missing; nothing was sent. */
export class InvalidOptionError extends ClientError {
  override readonly name = "InvalidOptionError"
  /** Name of the option, such as `baseUrl`; the first one if several are missing. */
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
 * A call that was running may have been applied.
 */
export class ClosedError extends ClientError {
  override readonly name = "ClosedError"
}

/**
 * The call was aborted with a reason that is not an `Error`; `cause` is that reason.
 *
 * **Details**
 *
 * An abort with an `Error`, such as the `DOMException` that `abort()` creates, rejects with that error itself. Both
 * have the name `AbortError` unless you choose another.
 */
export class AbortError extends ClientError {
  override readonly name = "AbortError"
}

/** The name of a failure: one of the client's, or the name of a refusal that the operation declares. */
export type Reason = ClientReason["_tag"] | (string & {})

/** The fields of a {@link CallError}, with those that only some of its classes have. */
export interface Fields
  extends
    Pick<CallError, "message" | "operation" | "method" | "path" | "reason" | "outcome" | "attempts" | "isRetryable">,
    Partial<Pick<CallError, "status" | "requestId" | "retryAfter" | "headers">>,
    Partial<Pick<ConnectionError, "code" | "proxy">>,
    Partial<Pick<TimeoutError, "limit">>,
    Partial<Pick<InvalidInputError, "field">>,
    Partial<Pick<StatusError, "body">> {}

/**
 * A call failed: narrow it by its class or by its `reason`.
 *
 * **Details**
 *
 * It contains no request, response or credentials.
 *
 * **Example** (Distinguishing errors)
 *
 * ```ts
 * import { CallError, NotFoundError, RateLimitedError, type CloudManagement } from "@cloud-management/promise"
 *
 * const remove = async (cloud: CloudManagement, organizationId: string, keyId: string) => {
 *   try {
 *     await cloud.apiKeys.delete({ organizationId, keyId })
 *   } catch (error) {
 *     if (error instanceof NotFoundError) return
 *     if (error instanceof RateLimitedError) console.log(`try again in ${error.retryAfter ?? 1000} ms`)
 *     if (error instanceof CallError && error.reason === "Unauthorized") console.log(`see request ${error.requestId}`)
 *     throw error
 *   }
 * }
 * ```
 *
 * `docs/library/errors.md` says what to do about each reason.
 */
export class CallError extends ClientError {
  override readonly name: string = "CallError"
  /** `group.name` of the operation. */
  declare readonly operation: string
  /** HTTP method. */
  declare readonly method: string
  /** Path template, without ids. */
  declare readonly path: string
  /** The failure, by name. */
  declare readonly reason: Reason
  /** HTTP status, if there was a response. */
  declare readonly status: number | undefined
  /** Identifies the request in the service's logs, if a response has it. */
  declare readonly requestId: string | undefined
  /** How long to wait before the next call, in milliseconds, if the service or the client's own pacing states it. */
  declare readonly retryAfter: number | undefined
  /**
   * Headers of the response; `undefined` without a response. A value that may repeat the credentials is withheld, as are
   * cookies; of a long value, this is the beginning.
   */
  declare readonly headers: Headers | undefined
  /**
   * The known effect: `not-sent` (the request was never sent), `refused` (nothing changed), `unknown` (it
   * may have been applied).
   */
  declare readonly outcome: Outcome
  /** How many requests were made. */
  declare readonly attempts: number
  /** Whether the same call can succeed later without any change; where the `outcome` is unknown, it may be applied twice. */
  declare readonly isRetryable: boolean

  constructor({ body, message, ...fields }: Fields) {
    super(message)
    Object.assign(this, fields)
    // what prints an error does not print its body, in which a service can repeat the credentials
    if (body !== undefined) Object.defineProperty(this, "body", { get: () => body })
  }
}

/**
 * The service responded with an error that the operation declares.
 *
 * **Details**
 *
 * Each common status has its own subclass. Further errors that your own operation declares have this class.
 */
export class StatusError extends CallError {
  override readonly name: string = "StatusError"
  declare readonly status: number
  /**
   * The decoded body, where the operation declares its schema (`Refusal.body`), as the service sent it. Nothing that
   * prints the error shows it.
   */
  declare readonly body: unknown
}

/** The body of a refusal, with dates. */
type BodyOf<Refusal> = Refusal extends { readonly body: infer Body } ? Output<Body> : undefined

/**
 * Whether a call of an operation was refused for a reason that the operation declares. The error then has its body, with the
 * type that the refusal declares.
 *
 * **Example** (Reading the body of a refusal)
 *
 * ```ts
 * import { Client, isRefusal } from "@cloud-management/promise"
 * import * as Body from "@cloud-management/client/Body"
 * import * as CallError from "@cloud-management/client/CallError"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import * as Operation from "@cloud-management/client/Operation"
 * import * as Refusal from "@cloud-management/client/Refusal"
 * import * as Schema from "effect/Schema"
 *
 * class Taken extends CallError.refusal("Taken", 409, Refusal.body(Schema.Struct({ by: Schema.String }))) {}
 *
 * const add = Operation.make({
 *   group: "users",
 *   name: "add",
 *   method: "POST",
 *   path: "/users",
 *   payload: Body.json(Schema.Struct({ name: Schema.String })),
 *   success: Body.empty,
 *   errors: [Taken]
 * })
 *
 * const credentials = Credentials.bearer("my-token")
 * const client = new Client({ operations: { users: { add } }, baseUrl: "https://api.example.com", credentials })
 * await client.users.add({ payload: { name: "ada" } }).catch((error: unknown) => {
 *   if (isRefusal(error, add, "Taken")) console.log(`taken by ${error.body.by}`)
 *   else throw error
 * })
 * ```
 */
export const isRefusal = <O extends Operation.Any, Name extends Operation.Refusals<O>["_tag"]>(
  error: unknown,
  operation: O,
  name: Name
): error is StatusError & {
  readonly reason: Name
  readonly body: BodyOf<Extract<Operation.Refusals<O>, { readonly _tag: Name }>>
} => error instanceof StatusError && error.operation === Operation.nameOf(operation) && error.reason === name

/** 400: the service cannot process the request. */
export class BadRequestError extends StatusError {
  override readonly name = "BadRequestError"
  declare readonly status: 400
}

/** 401: the service does not accept the credentials. */
export class UnauthorizedError extends StatusError {
  override readonly name = "UnauthorizedError"
  declare readonly status: 401
}

/** 403: the credentials do not permit the call. */
export class ForbiddenError extends StatusError {
  override readonly name = "ForbiddenError"
  declare readonly status: 403
}

/**
 * 404: the service reports that the resource does not exist; a gateway's 404 is an {@link UnexpectedStatusError}.
 */
export class NotFoundError extends StatusError {
  override readonly name = "NotFoundError"
  declare readonly status: 404
}

/** 429: the rate limit is used up. */
export class RateLimitedError extends StatusError {
  override readonly name = "RateLimitedError"
  declare readonly status: 429
}

/** 500: the service failed, possibly after it did the work. */
export class InternalServerError extends StatusError {
  override readonly name = "InternalServerError"
  declare readonly status: 500
}

/** 503: the service, or something it depends on, is temporarily unavailable. */
export class ServiceUnavailableError extends StatusError {
  override readonly name = "ServiceUnavailableError"
  declare readonly status: 503
}

/**
 * A status that the operation does not declare, such as a 429 in many documents, or a 404 that no rule recognizes, which
 * may come from a gateway or a wrong base URL. `status` and `retryAfter` say more.
 */
export class UnexpectedStatusError extends CallError {
  override readonly name = "UnexpectedStatusError"
  declare readonly status: number
  declare readonly reason: "UnexpectedStatus"
}

/** A success whose body does not match the operation, is too large, or does not come from the service. */
export class InvalidResponseError extends CallError {
  override readonly name = "InvalidResponseError"
  declare readonly status: number
  declare readonly reason: "InvalidResponse"
}

/** No response, or an incomplete one: the connection failed or broke. */
export class ConnectionError extends CallError {
  override readonly name = "ConnectionError"
  declare readonly reason: "TransportFailed"
  /** The code of the system or the transport, if there is one: `ECONNREFUSED`, `UND_ERR_SOCKET`, … */
  declare readonly code: string | undefined
  /** The proxy that failed before the service was reached: its URL without credentials. */
  declare readonly proxy: string | undefined
}

/** No complete response within `timeout` or `deadline`. */
export class TimeoutError extends CallError {
  override readonly name = "TimeoutError"
  declare readonly reason: "Timeout"
  /** The limit that was exceeded, in milliseconds. */
  declare readonly limit: number
}

/** The client's own pacing would delay the call past its deadline: the attempt was not sent. */
export class ThrottledError extends CallError {
  override readonly name = "ThrottledError"
  declare readonly reason: "Throttled"
  declare readonly retryAfter: number
}

/** The input of the call does not fit the operation: nothing was sent. */
export class InvalidInputError extends CallError {
  override readonly name = "InvalidInputError"
  declare readonly reason: "InvalidInput"
  /** The field that does not fit, such as `payload.tags[0]`. */
  declare readonly field: string
}
