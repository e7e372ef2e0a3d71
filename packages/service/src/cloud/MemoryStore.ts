import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { OrganizationId } from "@cloud-management/core/Organization"
import type { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import type { Organization, ReversePrivateEndpoint } from "./Administration.ts"
import * as Time from "../frame/time.ts"
import * as Content from "./content.ts"
import { layerKeys, Store } from "./Store.ts"
import type { ApiKey, KeyStore } from "../frame/KeyStore.ts"
import { isActive } from "../frame/admission/authentication.ts"

/** The records of a store in memory. A change of them applies from the next request on. */
type Records = {
  readonly organizations: Map<OrganizationId, Organization>
  readonly apiKeys: Map<ApiKeyId, ApiKey>
  /** By their {@link pathOf paths}. */
  readonly reversePrivateEndpoints: Map<string, Omit<ReversePrivateEndpoint, "organizationId">>
}

/** The path of an endpoint. */
export const pathOf = (
  organizationId: OrganizationId,
  serviceId: ServiceId,
  reversePrivateEndpointId: ReversePrivateEndpointId
): string => `${organizationId}/${serviceId}/${reversePrivateEndpointId}`

/** Creates the records of an empty store. */
export const empty = (): Records => ({
  organizations: new Map(),
  apiKeys: new Map(),
  reversePrivateEndpoints: new Map()
})

/**
 * A store over its records; every step is atomic, because no other fiber runs during one. It keeps no audit records.
 */
export const make = ({ apiKeys, organizations, reversePrivateEndpoints }: Records): Store["Service"] => {
  let isRecorded = false
  const apiKey = (id: ApiKeyId) => Option.fromUndefinedOr(apiKeys.get(id))
  return {
    apiKey: (id) => Effect.sync(() => apiKey(id)),
    organization: (id) =>
      Effect.sync(() => {
        const caller = apiKey(id)
        return {
          caller,
          found: Option.flatMap(caller, ({ organizationId }) =>
            Option.fromUndefinedOr(organizations.get(organizationId))
          )
        }
      }),
    reversePrivateEndpoint: (id, ...path) =>
      Effect.sync(() => {
        const caller = apiKey(id)
        const own = Option.filter(caller, ({ organizationId }) => organizationId === path[0])
        const found = Option.flatMap(own, () => Option.fromUndefinedOr(reversePrivateEndpoints.get(pathOf(...path))))
        return { caller, found }
      }),
    deleteApiKey: (organizationId, id, callerId) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const caller = apiKeys.get(callerId)
          if (caller === undefined || !isActive(caller, Time.now(clock))) return "caller-inactive"
          return apiKeys.get(id)?.organizationId === organizationId && apiKeys.delete(id) ? "deleted" : "not-found"
        })
      ),
    recordUse: (ids, hour) =>
      Effect.sync(() => {
        for (const key of ids.flatMap((id) => apiKeys.get(id) ?? [])) {
          apiKeys.set(key.id, { ...key, lastUsedAt: DateTime.max(key.lastUsedAt ?? hour, hour) })
        }
      }),
    seed: (seed, entry) =>
      Effect.sync(() => {
        if (organizations.size > 0 || isRecorded) return false
        for (const record of Content.organizations(seed)) organizations.set(record.id, record)
        for (const key of Content.seededKeys(seed)) apiKeys.set(key.id, Content.apiKeyOf(key))
        for (const { organizationId, ...endpoint } of Content.reversePrivateEndpoints(seed)) {
          reversePrivateEndpoints.set(pathOf(organizationId, endpoint.serviceId, endpoint.id), endpoint)
        }
        isRecorded = entry !== undefined
        return true
      }),
    ping: Effect.void
  }
}

/** A store in memory, initially empty, without `Administration`, which `Database.layer(":memory:")` has. */
export const layer: Layer.Layer<Store | KeyStore> = Layer.provideMerge(
  layerKeys,
  Layer.sync(Store, () => make(empty()))
)
