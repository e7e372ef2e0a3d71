import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import type * as HttpHeaders from "effect/http/Headers"

/**
 * The fields of a refusal, in the client and in the service.
 */
export interface RefusalInfo {
  /** The service's own text; otherwise a description of the body and its start. */
  readonly message: string
  /** Identifies the request in the service's logs. */
  readonly requestId?: string
  /** How long the service asks to wait before the next request. */
  readonly retryAfter?: Duration.Duration
}

/**
 * The statuses that a refusal is declared for: one, a range, or the rest.
 */
export type Status = number | "4XX" | "5XX" | "default"

/**
 * An instance of a class of {@link Refusal}.
 */
export interface Refused extends RefusalInfo {
  readonly _tag: string
  /** The HTTP status. */
  readonly status: number
}

/**
 * Recognizes a refusal of the service by its body, and reads it.
 *
 * @see the module `Refusal`
 */
export interface Rule<out Body extends Schema.Codec<unknown, unknown> | undefined> {
  /** The schema of the response's body. */
  readonly body: Body
  /**
   * Whether the API says all of its refusals so. Then it also reads those that no operation declares, and where it does not
   * recognize one, the status decides, except for a 404, which gateways send too. Default: false.
   */
  readonly isCommon?: boolean
  /** Whether what it recognizes can be the response of a gateway as well. Then a 404 does not prove a deletion. */
  readonly isVague?: boolean
  /**
   * Reads the body, as JSON, if it is that, and as text, and the headers. The result is what the error says, or
   * `undefined` for the response of something else. A mismatch is such a response too, and says why: it begins the message of
   * `UnexpectedStatus`, which quotes it as foreign text unless `isOurs` says that it quotes nothing of the body.
   */
  readonly recognize: (
    json: unknown,
    status: number,
    text: string,
    headers: HttpHeaders.Headers
  ) =>
    | { readonly message: string; readonly requestId?: string | undefined; readonly body?: unknown }
    | { readonly message: string; readonly isOurs: boolean }
    | undefined
}

/**
 * A class that represents one HTTP status, or a range, of one operation.
 */
export interface Refusal<E extends Refused = Refused> {
  // each class takes its own: some a body, some a status
  new (info: never): E
  readonly prototype: E
  readonly status: Status
  /** Recognizes it. Default: by the status alone, except for a 404, which gateways send too. */
  readonly rule?: Rule<Schema.Codec<unknown, unknown> | undefined> | undefined
}

/** The status of an instance, where the class can have several. */
type Open<Value extends Status> = Value extends number ? unknown : { readonly status: number }

/** The body of an instance, where the class declares one. */
type Content<Body> = Body extends { readonly Type: infer Type } ? { readonly body: Type } : unknown

/** The body that the class declares, which has the service's text, or else only the text. */
type Given<Body> = Body extends { readonly Type: unknown }
  ? Omit<RefusalInfo, "message"> & Partial<Pick<RefusalInfo, "message">> & Content<Body>
  : RefusalInfo

/**
 * The failure of a call when the service responds with a refusal of this tag and status. An interface that extends it
 * has a name that an editor shows.
 */
export type RefusalReason<
  Tag extends string,
  Value extends Status,
  Body extends Schema.Codec<unknown, unknown> | undefined = undefined
> = Cause.YieldableError & {
  readonly _tag: Tag
  readonly status: Value extends number ? Value : number
} & RefusalInfo &
  Content<Body>

/**
 * A class created by {@link refusal}.
 */
export interface RefusalClass<
  out Tag extends string,
  out Value extends Status,
  out Body extends Schema.Codec<unknown, unknown> | undefined = undefined,
  out Instance = RefusalReason<Tag, Value, Body>
> {
  new (info: Given<Body> & Open<Value>): Instance
  // without it, that of every function, which is `any`
  readonly prototype: Instance
  readonly status: Value
  readonly rule: Rule<Body> | undefined
}

/**
 * Creates the class of a refusal: the reason of a call to which the service responded with this status.
 *
 * **Details**
 *
 * `4XX`, `5XX` and `default` stand for every status of the range, and for all others; their `status` is a number.
 *
 * `rule` recognizes the response by its body: `Refusal.body` declares the schema of the body, which the error then carries, and
 * nothing that prints the error shows. Without it, the status decides. Of several refusals with one status, it is the first
 * that recognizes the response. A response that none recognizes is an `UnexpectedStatus`.
 *
 * **Example** (Declaring a refusal with status 409)
 *
 * ```ts
 * import * as CallError from "@cloud-management/client/CallError"
 *
 * class Conflict extends CallError.refusal("Conflict", 409) {}
 * ```
 */
export function refusal<
  const Tag extends string,
  const Value extends Status,
  const Body extends Schema.Codec<unknown, unknown> | undefined = undefined
>(tag: Tag, status: Value, rule?: Rule<Body>): RefusalClass<Tag, Value, Body>
export function refusal(tag: string, status: Status, rule?: Rule<Schema.Codec<unknown, unknown> | undefined>): Refusal {
  return class extends Data.TaggedError(tag)<RefusalInfo & { readonly status: number }> {
    static readonly status = status
    static readonly rule = rule
    constructor({ body, ...info }: RefusalInfo & { readonly status?: number; readonly body?: unknown }) {
      super({ ...info, status: typeof status === "number" ? status : (info.status ?? 0) })
      // what prints an error does not print its body, in which a service can repeat the credentials
      if (body !== undefined) Object.defineProperty(this, "body", { get: () => body })
    }
  }
}

/**
 * A status that the operation does not declare, or a 404 that no rule recognizes or whose body is incomplete, which
 * may come from a gateway or a wrong base URL.
 */
export class UnexpectedStatus extends Data.TaggedError("UnexpectedStatus")<RefusalInfo> {}

/**
 * A success whose body does not match the operation, is cut short, is not in its content coding, or is in one that the
 * transport does not decode, exceeds the size limit, or is not the service's: without a status or a request ID, it
 * acknowledges nothing.
 */
export class InvalidResponse extends Data.TaggedError("InvalidResponse")<{
  readonly message: string
  readonly requestId?: string
}> {}

/**
 * No response, or an incomplete one: the connection failed or broke.
 */
export class TransportFailed extends Data.TaggedError("TransportFailed")<{
  readonly message: string
  /**
   * Whether another connection may succeed. `false` if the cause is the URL, the certificate (where the runtime reports
   * it), a runtime or system that does not permit the connection, a refusal by a proxy, or a transport that is closed.
   */
  readonly transient: boolean
  /** The code of the system or the transport, if there is one: `ECONNREFUSED`, `UND_ERR_SOCKET`, … */
  readonly code?: string
  /** The proxy that failed before the service was reached: its URL without credentials. */
  readonly proxy?: string
}> {}

/**
 * No response within the deadline, or only a part of a success.
 */
export class Timeout extends Data.TaggedError("Timeout")<{
  readonly message: string
  /** The limit that was exceeded. */
  readonly limit: Duration.Duration
}> {}

/**
 * The client's own pacing would delay the call past its deadline: this attempt was not sent.
 */
export class Throttled extends Data.TaggedError("Throttled")<{
  readonly message: string
  /** The minimum time that the call would have to wait. */
  readonly retryAfter: Duration.Duration
}> {}

/**
 * The input of the call does not fit the operation: nothing was sent.
 */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  /** The field and its rule, never the value. */
  readonly message: string
  /** The field, such as `payload.tags[0]`; `credentials` if the client has none that the operation needs. */
  readonly path: string
}> {}

/**
 * Reasons that the client itself reports.
 */
export type ClientReason = InvalidInput | UnexpectedStatus | InvalidResponse | TransportFailed | Timeout | Throttled

/**
 * The known effect of a request: `not-sent` (it was never sent), `refused` (a 4xx or a redirect that keeps the method
 * rejected it, nothing changed; one that a gateway puts in place of the service's success looks the same), `unknown` (it may
 * have been applied).
 */
export type Outcome = "not-sent" | "refused" | "unknown"

/** Whether a later attempt can turn the reason into a success, without any change to the call. */
const isTransient = (reason: { readonly _tag: string }, status: number | undefined): boolean => {
  if (reason instanceof TransportFailed) return reason.transient
  if (reason instanceof Timeout || reason instanceof Throttled) return true
  return [408, 429, 500, 502, 503, 504].includes(status ?? 0)
}

type Props = ConstructorParameters<typeof CallError<{ readonly _tag: string; readonly message: string }>>[0]

/** Where a request went that got no response, and what is wrong with that; a wrong base URL is the usual cause. */
const requested = ({ baseUrl, method, path, reason, status = 500 }: Props): string => {
  if (!(reason instanceof UnexpectedStatus || reason instanceof InvalidResponse)) return ""
  if (baseUrl === undefined || status >= 500) return ""
  const first = path.split("/", 2).join("/")
  const repeated = baseUrl.endsWith(first) ? `: the base URL must not end with ${first}` : ""
  return `; requested ${method} ${baseUrl}${path}${repeated}`
}

const describe = (error: Props): string => {
  const note = (name: string, value: string | number | undefined) => (value === undefined ? "" : ` (${name} ${value})`)
  const { operation, reason, requestId, status } = error
  return `${operation}: ${reason._tag}${note("HTTP", status)}: ${reason.message}${note("request", requestId)}${requested(error)}`
}

/**
 * The error of every call: its context, and the exact `reason`.
 *
 * **Details**
 *
 * It contains no request, response or underlying error object, and therefore no credentials. Every string in it was
 * searched for the client's secret, but those in the `body` of a refusal, which is as the service sent it: no log, span or
 * `console.log` of the error shows it.
 *
 * **Example** (Recovering from one reason)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as CallError from "@cloud-management/client/CallError"
 *
 * class NotFound extends CallError.refusal("NotFound", 404) {}
 * declare const remove: Effect.Effect<void, CallError.CallError<NotFound | CallError.ClientReason>>
 *
 * const removeIfPresent = remove.pipe(Effect.catchReason("CallError", "NotFound", () => Effect.void))
 * ```
 *
 * `docs/library/errors.md` says what to do about each reason.
 */
export class CallError<out Reason extends { readonly _tag: string; readonly message: string }> extends Data.TaggedError(
  "CallError"
)<{
  readonly message: string
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly baseUrl: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAfter: Duration.Duration | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly attempts: number
  readonly outcome: Outcome
  readonly reason: { readonly _tag: string; readonly message: string }
}> {
  /** The exact failure. */
  declare readonly reason: Reason

  constructor(props: {
    /** `group.name` of the operation. */
    readonly operation: string
    /** HTTP method. */
    readonly method: string
    /** Path template, without ids. */
    readonly path: string
    /** Where the client sends its requests, without a slash at the end. */
    readonly baseUrl?: string | undefined
    /** HTTP status, if there was a response. */
    readonly status?: number | undefined
    /** Identifies the request in the service's logs, if the reason does not. */
    readonly requestId?: string | undefined
    /**
     * Headers of the response, by their names in lower case; none without a response. A value that may repeat the
     * credentials is withheld, as are cookies; of a long value, this is the beginning.
     */
    readonly headers?: Readonly<Record<string, string>> | undefined
    /** How many requests were made. */
    readonly attempts: number
    readonly outcome: Outcome
    /** If it has a `retryAfter`, the error has the same. */
    readonly reason: Reason
  }) {
    const { requestId = props.requestId, retryAfter }: Partial<RefusalInfo> = props.reason
    // a property of its own, which a copy of the error keeps
    const message = describe({ ...props, requestId })
    super({
      ...props,
      headers: props.headers ?? {},
      baseUrl: props.baseUrl,
      status: props.status,
      requestId,
      retryAfter,
      message
    })
  }

  /** Whether the same call can succeed later without any change; where the `outcome` is unknown, it may be applied twice. */
  get isRetryable(): boolean {
    return isTransient(this.reason, this.status)
  }
}
