import * as Array from "effect/Array"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import type * as Administration from "./Administration.ts"
import * as ApiKeySecret from "../frame/ApiKeySecret.ts"
import type { Seed } from "./Seed.ts"
import type { ApiKey } from "../frame/KeyStore.ts"

// A seed as the records of a store, and back.

export const organizations = (seed: Seed): ReadonlyArray<Administration.Organization> =>
  seed.organizations.map(({ apiKeys: _keys, services: _services, ...organization }) => organization)

export const services = (seed: Seed): ReadonlyArray<Administration.Service> =>
  seed.organizations.flatMap(({ id: organizationId, services }) =>
    services.map(({ id, name }) => ({ organizationId, id, name }))
  )

export const reversePrivateEndpoints = (seed: Seed): ReadonlyArray<Administration.ReversePrivateEndpoint> =>
  seed.organizations.flatMap(({ id: organizationId, services }) =>
    services.flatMap(({ id: serviceId, reversePrivateEndpoints }) =>
      reversePrivateEndpoints.map((endpoint) => ({ ...endpoint, organizationId, serviceId }))
    )
  )

export const seededKeys = ({ organizations }: Seed) =>
  organizations.flatMap(({ apiKeys, id }) => apiKeys.map((key) => ({ ...key, organizationId: id })))

/** The record of such a key, with a digest in place of its secret. A million digests take seconds. */
export const apiKeyOf = ({
  createdAt,
  digest,
  expiresAt,
  lastUsedAt,
  secret = Redacted.make(""),
  ...key
}: ReturnType<typeof seededKeys>[number]): ApiKey => ({
  ...key,
  digest: digest === undefined ? ApiKeySecret.digest(secret) : Redacted.value(digest),
  expiresAt: expiresAt ?? undefined,
  createdAt: createdAt ?? undefined,
  lastUsedAt: lastUsedAt ?? undefined
})

export const toSeed = (content: {
  readonly organizations: ReadonlyArray<Administration.Organization>
  readonly services: ReadonlyArray<Administration.Service>
  readonly reversePrivateEndpoints: ReadonlyArray<Administration.ReversePrivateEndpoint>
  readonly apiKeys: ReadonlyArray<ApiKey>
}): Seed => {
  const keysOf = Array.groupBy(content.apiKeys, ({ organizationId }) => organizationId)
  const servicesOf = Array.groupBy(content.services, ({ organizationId }) => organizationId)
  const endpointsOf = Array.groupBy(
    content.reversePrivateEndpoints,
    ({ organizationId, serviceId }) => `${organizationId} ${serviceId}`
  )
  return {
    organizations: content.organizations.map((organization) => ({
      ...organization,
      privateEndpoints: organization.privateEndpoints.map(({ description = "", id }) => ({ id, description })),
      byocConfig: organization.byocConfig.map(({ accountName = "", id }) => ({ id, accountName })),
      apiKeys: (keysOf[organization.id] ?? []).map(
        ({ createdAt = null, digest, expiresAt = null, lastUsedAt = null, organizationId: _owner, ...key }) => ({
          ...key,
          expiresAt,
          createdAt,
          lastUsedAt,
          digest: Redacted.make(digest, { label: "digest" })
        })
      ),
      services: (servicesOf[organization.id] ?? []).map(({ id, name }) => ({
        id,
        name,
        reversePrivateEndpoints: (endpointsOf[`${organization.id} ${id}`] ?? []).map((endpoint) =>
          Struct.omit(endpoint, ["organizationId", "serviceId"])
        )
      }))
    }))
  }
}
