import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type * as Body from "@cloud-management/client/Body"
import type { Registry } from "@cloud-management/client/Client"
import type { RateLimited, Unauthorized } from "@cloud-management/core/Refusals"
import type * as Operation from "@cloud-management/client/Operation"
import type * as Audit from "./Audit.ts"
import type { ApiKey, Lookup, StoreUnavailable } from "./KeyStore.ts"

/** A request with a valid key that may call the operation. */
export interface Call {
  readonly key: ApiKey
  /** Sends a copy to `Options.audit`, the log of `serve`; the stored record is `entry`. */
  readonly record: (event: Audit.Event, fields: Audit.Fields) => Effect.Effect<void>
  /** The entry that the store records in the same step as the act, with the request's ID and the caller's address. */
  readonly entry: (event: Audit.Event, fields: Audit.Fields) => Audit.Entry
  /** Identifies the call that a request is an attempt of; present if, and only if, the operation requires it. */
  readonly idempotencyKey?: string
  /** Adds headers to a successful response, such as `link` and `etag`. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => Effect.Effect<void>
  /** Checks the key again, and fails as a request that arrives now would. */
  readonly authenticate: Effect.Effect<ApiKey, Unauthorized | RateLimited | StoreUnavailable>
}

/**
 * The service's implementation of an operation: it turns the decoded input into the result, or into a refusal that the
 * operation declares.
 */
export type Act<O extends Operation.Any> = (
  input: Operation.Input<O>,
  call: Call
) => Effect.Effect<Operation.Result<O>, Operation.Refusals<O> | StoreUnavailable>

/**
 * The service's implementation of an operation that only reads: one step of the store finds both the calling key and
 * the requested data.
 *
 * **Details**
 *
 * The result is used only if the key is active and has the right to it.
 */
interface Read<O extends Operation.Any> {
  readonly read: (
    input: Operation.Input<O>,
    caller: ApiKeyId
  ) => Effect.Effect<Lookup<Effect.Effect<Operation.Result<O>, Operation.Refusals<O>>>, StoreUnavailable>
}

/**
 * The handler of an operation.
 *
 * **Details**
 *
 * An operation with a payload has an {@link Act}. The body of a request is read before its handler begins.
 */
export type Handler<O extends Operation.Any> = Act<O> | (O extends { readonly payload: Body.Payload } ? never : Read<O>)

/** Exactly one handler for each operation of a registry. */
export type Handlers<Api extends Registry> = {
  readonly [Group in keyof Api]: { readonly [Name in keyof Api[Group]]: Handler<Api[Group][Name]> }
}
