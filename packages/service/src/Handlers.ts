import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { ApiKeyNotFound, type ApiKeyId } from "@cloud-management/core/ApiKey"
import type * as Body from "@cloud-management/client/Body"
import type { Registry } from "@cloud-management/client/Client"
import { BadRequest, type RateLimited, type Unauthorized } from "@cloud-management/core/Refusals"
import type * as Operation from "@cloud-management/client/Operation"
import type { operations } from "@cloud-management/core/Operations"
import { ReversePrivateEndpointNotFound } from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Audit from "./Audit.ts"
import * as Authentication from "./admission/authentication.ts"
import * as Turns from "./admission/turns.ts"
import { Store, type ApiKey, type Lookup, type StoreUnavailable } from "./Store.ts"

/**
 * A request with a valid key that may call the operation.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly key: ApiKey
  /** Sends a copy to `Options.audit`, the log of `serve`; the stored record is `entry`. */
  readonly record: (event: Audit.Event, fields: Audit.Fields) => Effect.Effect<void>
  /** The entry that the store records in the same step as the act, with the request's ID and the caller's address. */
  readonly entry: (event: Audit.Event, fields: Audit.Fields) => Audit.Entry
  /**
   * Identifies the call that a request is an attempt of; always present if the operation requires it, otherwise absent.
   */
  readonly idempotencyKey?: string
  /** Adds headers to a successful response, such as `link` and `etag`. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => Effect.Effect<void>
  /** Checks the key again, and fails as a request that arrives now would. */
  readonly authenticate: Effect.Effect<ApiKey, Unauthorized | RateLimited | StoreUnavailable>
}

/**
 * The service's implementation of an operation: it turns the decoded input into the result, or into a refusal that the
 * operation declares.
 *
 * @category models
 * @since 0.1.0
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
 *
 * @category models
 * @since 0.1.0
 */
export interface Read<O extends Operation.Any> {
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
 *
 * @category models
 * @since 0.1.0
 */
export type Handler<O extends Operation.Any> = Act<O> | (O extends { readonly payload: Body.Payload } ? never : Read<O>)

/**
 * Exactly one handler for each operation of a registry.
 *
 * @category models
 * @since 0.1.0
 */
export type Handlers<Api extends Registry> = {
  readonly [Group in keyof Api]: { readonly [Name in keyof Api[Group]]: Handler<Api[Group][Name]> }
}

const endpointNotFound = new ReversePrivateEndpointNotFound({
  message: "NOT_FOUND: Reverse private endpoint is not found"
})

/** Its type is stated, so that the compiler names a missing handler in a line. */
const handlersOf = (store: Store["Service"]): Handlers<typeof operations> => {
  const inTurn = Turns.make()
  return {
    organizations: {
      list: {
        read: (_, caller) =>
          Effect.map(store.organization(caller), ({ caller, found }) => ({
            caller,
            found: Option.match(found, {
              // a key without its organization is a broken store, which no caller can mend
              onNone: () => Effect.die(new Error("the organization of a key is missing")),
              onSome: (organization) => Effect.succeed([organization] as const)
            })
          }))
      }
    },

    apiKeys: {
      delete: Effect.fnUntraced(function* ({ keyId, organizationId }, { authenticate, entry, key, record }) {
        if (keyId === key.id) return yield* new BadRequest({ message: "BAD_REQUEST: The key in use cannot be deleted" })
        const fields = { actor: `key:${key.id}`, organizationId, keyId }
        const deletion = store.deleteApiKey(organizationId, keyId, key.id, entry("key.deleted", fields)).pipe(
          Effect.tap((outcome) => (outcome === "deleted" ? record("key.deleted", fields) : Effect.void)),
          // the answer to a COMMIT that was lost leaves open whether there was one
          Effect.tapError(({ isUndone }) =>
            isUndone === true ? Effect.void : record("act.unconfirmed", { ...fields, act: "key.deleted" })
          )
        )
        // it goes on when its caller leaves: a deletion has to be recorded
        const outcome = yield* Effect.flatMap(
          Effect.forkDetach(inTurn(key.id, deletion), { startImmediately: true }),
          Fiber.join
        )
        if (outcome === "not-found") return yield* new ApiKeyNotFound({ message: "NOT_FOUND: Key is not found" })
        if (outcome === "caller-inactive") {
          // if the key is active again by now, it was inactive during the deletion: 401
          yield* authenticate
          return yield* Authentication.inactive
        }
      })
    },

    reversePrivateEndpoints: {
      get: {
        read: ({ organizationId, reversePrivateEndpointId, serviceId }, caller) =>
          Effect.map(
            store.reversePrivateEndpoint(caller, organizationId, serviceId, reversePrivateEndpointId),
            ({ caller, found }) => ({
              caller,
              found: Option.match(found, { onNone: () => Effect.fail(endpointNotFound), onSome: Effect.succeed })
            })
          )
      }
    }
  }
}

/**
 * The handlers of our operations, over a store.
 *
 * @category handlers
 * @since 0.1.0
 */
export const make: Effect.Effect<Handlers<typeof operations>, never, Store> = Effect.map(Store, handlersOf)
