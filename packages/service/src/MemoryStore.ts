import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { Organization, OrganizationId } from "@cloud-management/core/Organization"
import type { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import { apiKeyOf, seededKeys } from "./internal/seededKeys.ts"
import { isActive, Store, type ApiKey } from "./Store.ts"

/** A store in memory, empty at first. Every step is atomic, since no other fiber runs within one. */
export const layer: Layer.Layer<Store> = Layer.sync(Store, () => {
  const organizations = new Map<OrganizationId, Organization>()
  const apiKeys = new Map<ApiKeyId, ApiKey>()
  const endpoints = new Map<string, ReversePrivateEndpoint>()

  const apiKey = (id: ApiKeyId) => Option.fromUndefinedOr(apiKeys.get(id))
  return Store.of({
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
    reversePrivateEndpoint: (caller, ...path) =>
      Effect.sync(() => ({
        caller: apiKey(caller),
        found: Option.fromUndefinedOr(endpoints.get(path.join("/")))
      })),
    deleteApiKey: (organizationId, id, caller) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const callerKey = apiKeys.get(caller)
          if (callerKey === undefined || !isActive(callerKey, clock.currentTimeMillisUnsafe())) return "caller-inactive"
          if (apiKeys.get(id)?.organizationId !== organizationId) return "not-found"
          apiKeys.delete(id)
          return "deleted"
        })
      ),
    seed: (seed) =>
      Effect.sync(() => {
        if (organizations.size > 0) return false
        for (const key of seededKeys(seed)) apiKeys.set(key.id, apiKeyOf(key))
        for (const { apiKeys: _, services, ...organization } of seed.organizations) {
          organizations.set(organization.id, organization)
          for (const service of services) {
            for (const endpoint of service.reversePrivateEndpoints) {
              const path = [organization.id, service.id, endpoint.id].join("/")
              endpoints.set(path, { ...endpoint, serviceId: service.id })
            }
          }
        }
        return true
      }),
    ping: Effect.void
  })
})
