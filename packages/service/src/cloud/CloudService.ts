import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import { ApiKeyNotFound } from "@cloud-management/core/ApiKey"
import { operations } from "@cloud-management/core/Operations"
import { BadRequest } from "@cloud-management/core/Refusals"
import { ReversePrivateEndpointNotFound } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Authentication from "../frame/admission/authentication.ts"
import type { Handlers } from "../frame/Handlers.ts"
import { KeyStore } from "../frame/KeyStore.ts"
import * as Service from "../frame/Service.ts"
import { Measures } from "../frame/telemetry/measures.ts"
import * as Observed from "../frame/telemetry/observed.ts"
import { Store } from "./Store.ts"
import * as Turns from "./turns.ts"

const endpointNotFound = new ReversePrivateEndpointNotFound({
  message: "NOT_FOUND: Reverse private endpoint is not found"
})

/** The handlers of our operations, over a store. The scope ends once a deletion that has begun has ended. */
export const handlers = Effect.gen(function* () {
  const measures = yield* Measures
  const store = Observed.store(yield* Store, measures)
  const inTurn = yield* Turns.make

  /** Its type is stated, so that the compiler names a missing handler in a line. */
  const ours: Handlers<typeof operations> = {
    organizations: {
      list: {
        read: (_, caller) =>
          Effect.map(store.organization(caller), ({ caller, found }) => {
            // a key without its organization is a broken store, which no caller can mend
            const missing = Effect.die(new Error("the organization of a key is missing"))
            return { caller, found: Option.isNone(found) ? missing : Effect.succeed([found.value] as const) }
          })
      }
    },

    apiKeys: {
      delete: Effect.fnUntraced(function* ({ keyId, organizationId }, { authenticate, entry, key, record }) {
        if (keyId === key.id) return yield* new BadRequest({ message: "BAD_REQUEST: The key in use cannot be deleted" })
        const fields = { actor: `key:${key.id}`, organizationId, keyId }
        const deletion = Effect.onExit(
          store.deleteApiKey(organizationId, keyId, key.id, entry("key.deleted", fields)),
          (exit) => {
            const failure = Observed.failureOf(exit)
            if (failure?.isUndone === true) return Effect.void
            const ended = Exit.isSuccess(exit) ? exit.value : "unconfirmed"
            measures?.deletionEnded(ended)
            if (ended === "deleted") return record("key.deleted", fields)
            // a result of a COMMIT that was lost leaves open whether there was one
            return failure === undefined ? Effect.void : record("act.unconfirmed", { ...fields, act: "key.deleted" })
          }
        )
        const outcome = yield* inTurn(key.id, deletion)
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
            ({ caller, found }) => ({ caller, found: Effect.fromOption(found, () => endpointNotFound) })
          )
      }
    }
  }
  return ours
})

/**
 * The service of our API over a store.
 *
 * **Details**
 *
 * It counts requests in the `RateLimitStore`, by default in the memory of this process, so each node counts alone.
 *
 * Throws a `RangeError` that names the option if one is invalid or does not exist.
 */
export const layer = (
  options: Service.Options = {}
): Layer.Layer<Service.Service, never, Store | SecureRandom.SecureRandom> => {
  Service.check(options)
  return Layer.effect(
    Service.Service,
    Effect.gen(function* () {
      const service = Service.make(operations, yield* handlers, options, () => import("./description.ts"))
      return yield* Effect.provideService(service, KeyStore, yield* Store)
    })
  )
}
