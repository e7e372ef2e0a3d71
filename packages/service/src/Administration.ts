import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Collections from "./internal/collections.ts"
import * as Rows from "./internal/rows.ts"
import * as Migrations from "./Migrations.ts"
import type { Seed } from "./Seed.ts"
import type { StoreUnavailable } from "./Store.ts"

export { type Collection, Missing, Taken } from "./internal/collections.ts"

/** An organization, with every field. */
export type Organization = typeof Rows.Organization.Type
/** A service of an organization. */
export type Service = typeof Rows.Service.Type
/** The record of an API key; of its secret only the digest. */
export type ApiKey = typeof Rows.ApiKey.Type
/** A reverse private endpoint; in `details` what only endpoints of its kind have. */
export type ReversePrivateEndpoint = typeof Rows.ReversePrivateEndpoint.Type

/** What others depend on, and so stays. */
type Kept<C> = Omit<C, "remove">

/**
 * What an operator does and the API does not: the content of a database is made, listed and changed. The service keeps
 * nothing in memory, so every change holds from its next request on.
 */
export class Administration extends Context.Service<
  Administration,
  {
    readonly organizations: Kept<Collections.Collection<Organization, never>>
    readonly services: Kept<Collections.Collection<Service, "organizationId">>
    readonly reversePrivateEndpoints: Collections.Collection<ReversePrivateEndpoint, "organizationId" | "serviceId">
    readonly apiKeys: Collections.Collection<ApiKey, "organizationId">
    /** The whole content at one moment, with the digests of secrets in their place: the seed of an equal database. */
    readonly export: Effect.Effect<Seed, StoreUnavailable>
  }
>()("@cloud-management/service/Administration") {}

const organizations = { kind: "organization", name: "organizations", row: Rows.Organization, owners: [] } as const
const services = {
  kind: "service",
  name: "services",
  row: Rows.Service,
  owners: ["organizationId"],
  parent: organizations
} as const
const reversePrivateEndpoints = {
  kind: "endpoint",
  name: "reverse_private_endpoints",
  row: Rows.ReversePrivateEndpoint,
  owners: ["organizationId", "serviceId"],
  parent: services
} as const
const apiKeys = {
  kind: "key",
  name: "api_keys",
  row: Rows.ApiKey,
  owners: ["organizationId"],
  parent: organizations
} as const

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run
  const { all, collection, snapshot } = Collections.make(sql)

  const content = Effect.gen(function* () {
    const everyOrganization = yield* all(organizations)
    const keysOf = Array.groupBy(yield* all(apiKeys), ({ organizationId }) => organizationId)
    const servicesOf = Array.groupBy(yield* all(services), ({ organizationId }) => organizationId)
    const endpointsOf = Array.groupBy(
      yield* all(reversePrivateEndpoints),
      ({ organizationId, serviceId }) => `${organizationId} ${serviceId}`
    )
    return {
      organizations: everyOrganization.map((organization) => ({
        ...organization,
        privateEndpoints: organization.privateEndpoints.map(({ description = "", id }) => ({ id, description })),
        byocConfig: organization.byocConfig.map(({ accountName = "", id }) => ({ id, accountName })),
        apiKeys: (keysOf[organization.id] ?? []).map(({ digest, expiresAt = null, id, name, state }) => ({
          id,
          name,
          state,
          expiresAt,
          digest: Redacted.make(digest, { label: "digest" })
        })),
        services: (servicesOf[organization.id] ?? []).map(({ id, name }) => ({
          id,
          name,
          reversePrivateEndpoints: (endpointsOf[`${organization.id} ${id}`] ?? []).map(({ details, ...endpoint }) => ({
            ...Struct.omit(endpoint, ["organizationId", "serviceId"]),
            ...details
          }))
        }))
      }))
    }
  })

  return Administration.of({
    organizations: collection(organizations),
    services: collection(services),
    reversePrivateEndpoints: collection(reversePrivateEndpoints),
    apiKeys: collection(apiKeys),
    export: snapshot(content)
  })
})

/** Over a SQL database, whose tables it brings up to date when it starts (see `Migrations`). */
export const layer: Layer.Layer<Administration, Migrations.MigrationFailed | SqlError, SqlClient.SqlClient> =
  Layer.effect(Administration, make)
