import * as Context from "effect/Context"

/**
 * Why a request was rejected before its operation began.
 *
 * **Details**
 *
 * Failed authentications and rate limits have events of their own.
 *
 * - `malformed`: its head or its framing is wrong (400, 417)
 * - `too slow`: it did not arrive in time (408)
 * - `too large`: its target, head or body is (413, 414, 431)
 * - `unknown method` (501), `unknown route` (404), `method not allowed` (405)
 * - `invalid input`: an ID, a parameter or the body does not fit the operation (400)
 * - `foreign organization`: the key belongs to another one (403)
 * - `draining`: the service is about to end (503)
 *
 * @category constants
 * @since 0.1.0
 */
export const rejections = [
  "malformed",
  "too slow",
  "too large",
  "unknown method",
  "unknown route",
  "method not allowed",
  "invalid input",
  "foreign organization",
  "draining"
] as const

/**
 * One of {@link rejections}.
 *
 * @category models
 * @since 0.1.0
 */
export type Rejection = (typeof rejections)[number]

/**
 * Why a request has no valid credentials: for the audit record and metrics, never for the caller.
 *
 * @category constants
 * @since 0.1.0
 */
export const unauthenticated = [
  "no credentials",
  "malformed credentials",
  "unknown key",
  "wrong secret",
  "disabled key",
  "expired key"
] as const

/**
 * One of {@link unauthenticated}.
 *
 * @category models
 * @since 0.1.0
 */
export type Unauthenticated = (typeof unauthenticated)[number]

/**
 * The kinds of limits: on the requests of a key, or on the failed authentications of an address, alone or with one key
 * ID.
 *
 * @category constants
 * @since 0.1.0
 */
export const limits = ["key", "address", "address and key"] as const

/**
 * One of {@link limits}.
 *
 * @category models
 * @since 0.1.0
 */
export type Limit = (typeof limits)[number]

/**
 * How a deletion of a key ended.
 *
 * **Details**
 *
 * `unconfirmed`: the store failed before it confirmed whether the key was deleted. A deletion that was certainly undone
 * is not among them.
 *
 * @category constants
 * @since 0.1.0
 */
export const deletions = ["deleted", "not-found", "caller-inactive", "unconfirmed"] as const

/**
 * One of {@link deletions}.
 *
 * @category models
 * @since 0.1.0
 */
export type Deletion = (typeof deletions)[number]

/**
 * Method and route of a request, both from fixed sets: a caller cannot add a value.
 *
 * @category models
 * @since 0.1.0
 */
export interface Target {
  /** A method of RFC 9110 or RFC 5789, otherwise `_OTHER`. */
  readonly method: string
  /** The template of the route, as in `/v1/organizations/{organizationId}/keys/{keyId}`; `/*` if there is none. */
  readonly route: string
}

/**
 * An event in a service.
 *
 * **Details**
 *
 * It contains no IDs, addresses or secrets.
 *
 * @category models
 * @since 0.1.0
 */
export type Event =
  | { readonly _tag: "RequestStarted"; readonly target: Target }
  /** `status` is absent if the caller disconnected before there was a response. */
  | {
      readonly _tag: "RequestEnded"
      readonly target: Target
      readonly status: number | undefined
      readonly seconds: number
    }
  | { readonly _tag: "RequestRejected"; readonly reason: Rejection }
  /** Rejected with 401; rejections with 429 are `RateLimited`. */
  | { readonly _tag: "AuthenticationFailed"; readonly reason: Unauthenticated }
  | { readonly _tag: "RateLimited"; readonly limit: Limit }
  /** One call of the store. `errorType` is the kind of the failure, if it failed. */
  | {
      readonly _tag: "StoreCallEnded"
      readonly operation: string
      readonly seconds: number
      readonly errorType: string | undefined
    }
  | { readonly _tag: "DeletionEnded"; readonly outcome: Deletion }
  /** A pool of database connections opened; the functions return its current state. */
  | {
      readonly _tag: "PoolOpened"
      readonly pool: string
      readonly max: number
      /** Connections in use. */
      readonly used: () => number
      /** Requests waiting for a connection. */
      readonly waiting: () => number
    }

/**
 * Receives the events of a service.
 *
 * **Gotchas**
 *
 * It runs several times in each request, so it must return at once and must not throw. For the same reason it returns no
 * Effect, unlike the listener of a client, for which a call waits.
 *
 * @category models
 * @since 0.1.0
 */
export type Listener = (event: Event) => void

/**
 * The listener for the services, stores and pools built where it is provided, such as by `Metrics.layer`.
 *
 * **Details**
 *
 * Default: none.
 *
 * @category references
 * @since 0.1.0
 */
export const Listener = Context.Reference<Listener | undefined>("@cloud-management/service/Event/Listener", {
  defaultValue: () => undefined
})
