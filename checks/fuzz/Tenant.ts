import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Seed from "@cloud-management/service/Seed"

const id = (tenant: number, kind: string, n: number) =>
  `${String(tenant).padStart(8, "f")}-0000-4000-8${kind}-${String(n).padStart(12, "0")}`

/** A key as its owner has it. */
export interface Key {
  readonly id: ApiKeyId
  readonly secret: string
}

/** One tenant, as the model knows it. */
export interface Tenant {
  /** Stands in everything that only this tenant may see. */
  readonly marker: string
  readonly organization: OrganizationId
  readonly service: ServiceId
  readonly endpoint: ReversePrivateEndpointId
  readonly main: Key
  readonly disabled: Key
  readonly expired: Key
  /** Keys that are there to be deleted; those that are left. */
  readonly spares: Array<Key>
}

const key = (tenant: number, n: number): Key => ({
  id: ApiKeyId.make(id(tenant, "aaa", n)),
  // what Basic must carry: colons, and more than ASCII
  secret: `secret:${tenant}:${n}:✓`
})

/** How many spare keys a tenant starts with. */
const spares = 200

/** The n-th tenant as it starts. */
export const make = (n: number): Tenant => ({
  marker: `marker-of-tenant-${n}-only`,
  organization: OrganizationId.make(id(n, "000", 0)),
  service: ServiceId.make(id(n, "bbb", 0)),
  endpoint: ReversePrivateEndpointId.make(id(n, "ccc", 0)),
  main: key(n, 0),
  disabled: key(n, 1),
  expired: key(n, 2),
  spares: Array.from({ length: spares }, (_, i) => key(n, 3 + i))
})

/** The content of a service with these tenants. */
export const seed = (tenants: ReadonlyArray<Tenant>): Seed.Document => ({
  organizations: tenants.map(({ disabled, endpoint, expired, main, marker, organization, service, spares }) => ({
    id: organization,
    name: marker,
    apiKeys: [
      { ...main, name: marker },
      { ...disabled, name: marker, state: "disabled" },
      { ...expired, name: marker, expiresAt: "2020-01-01T00:00:00.000Z" },
      ...spares.map((key) => ({ ...key, name: marker }))
    ],
    services: [
      {
        id: service,
        name: marker,
        reversePrivateEndpoints: [{ id: endpoint, description: marker, type: "VPC_RESOURCE", status: "Ready" }]
      }
    ]
  }))
})
