import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { Organization, OrganizationId } from "@cloud-management/core/Organization"
import type {
  ReversePrivateEndpoint,
  ReversePrivateEndpointId,
  ServiceId
} from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Audit from "../frame/Audit.ts"
import { KeyStore, type Lookup, type StoreUnavailable } from "../frame/KeyStore.ts"
import type { Seed } from "./Seed.ts"

/**
 * The storage of the service.
 *
 * **Gotchas**
 *
 * IDs are compared in lower case; pass them in lower case.
 *
 * Every result must reflect all acknowledged changes: an implementation that caches keys would accept deleted keys.
 */
export class Store extends Context.Service<
  Store,
  KeyStore["Service"] & {
    /** The organization of a key. */
    readonly organization: (caller: ApiKeyId) => Effect.Effect<Lookup<Option.Option<Organization>>, StoreUnavailable>
    /**
     * An endpoint, found only by its whole path: the organization owns the service, and the service owns the endpoint.
     * It is found only for a key of that organization: whether another one has it must not show, not even in the time
     * that this takes. The service decides whether the caller may read it.
     */
    readonly reversePrivateEndpoint: (
      caller: ApiKeyId,
      organizationId: OrganizationId,
      serviceId: ServiceId,
      id: ReversePrivateEndpointId
    ) => Effect.Effect<Lookup<Option.Option<ReversePrivateEndpoint>>, StoreUnavailable>
    /**
     * Deletes a key of an organization on behalf of another key, in one atomic step. If the caller has been deleted or
     * disabled, or has expired, the result is `caller-inactive` and nothing is deleted. If two keys delete each other
     * at once, exactly one is left. Only a successful deletion is recorded by the entry, in the same step.
     */
    readonly deleteApiKey: (
      organizationId: OrganizationId,
      id: ApiKeyId,
      caller: ApiKeyId,
      entry: Audit.Entry
    ) => Effect.Effect<"deleted" | "not-found" | "caller-inactive", StoreUnavailable>
    /**
     * Fills an empty store, and records this by the entry if there is one. If the store already has an organization or
     * an audit record, it changes nothing and returns `false`: deleted keys must not come back.
     */
    readonly seed: (seed: Seed, entry?: Audit.Entry) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("@cloud-management/service/Store") {}

/** The keys of a store, which a service of any registry needs. */
export const layerKeys: Layer.Layer<KeyStore, never, Store> = Layer.effect(KeyStore, Store)
