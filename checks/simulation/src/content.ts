import { DateTime } from "effect"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import type { Document } from "@cloud-management/service/Seed"
import type { Dice } from "../../fixtures/Dice.ts"
import { epochMillis } from "./virtualTime.ts"

export interface Key {
  /** `1.2`: the second key of the first organization. */
  readonly name: string
  readonly id: ApiKeyId
  readonly organization: Organization
  readonly secret: string
  readonly enabled: boolean
  /** Time of day in milliseconds from which on the key is refused; `Infinity` for most. */
  readonly expiresAt: number
}

/** An organization of the run's content. Every text that the service may show of it holds its `marker`. */
export interface Organization {
  readonly name: string
  readonly marker: string
  readonly id: OrganizationId
  readonly service: ServiceId
  readonly endpoint: ReversePrivateEndpointId
}

/** Ids that show whose they are: `aaaaaaa1-0000-4000-8000-0000000000k2` is the second thing of kind k of the first tenant. */
export const uuid = (organization: number, kind: string, number: number) =>
  `aaaaaaa${organization}-0000-4000-8000-${kind.padEnd(10, "0")}${String(number).padStart(2, "0")}`

export const makeOrganization = (number: number): Organization => ({
  name: String(number),
  marker: `tenant-${number}`,
  id: OrganizationId.make(uuid(number, "0", 0)),
  service: ServiceId.make(uuid(number, "5e", 1)),
  endpoint: ReversePrivateEndpointId.make(uuid(number, "e", 1))
})

export const makeKeys = (dice: Dice, organization: Organization): ReadonlyArray<Key> =>
  Array.from({ length: dice.int(2, 6) }, (_, index) => ({
    name: `${organization.name}.${index + 1}`,
    id: ApiKeyId.make(uuid(Number(organization.name), "c", index + 1)),
    organization,
    // the same in every run, so that the pattern by which a client redacts it is compiled once
    secret: `secret of ${organization.name}.${index + 1}`,
    enabled: !dice.chance(0.05),
    expiresAt: dice.chance(0.1) ? epochMillis + Math.round(dice.between(-1000, 20_000)) : Infinity
  }))

export const makeDocument = (organizations: ReadonlyArray<Organization>, keys: ReadonlyArray<Key>): Document => ({
  organizations: organizations.map((organization) => ({
    id: organization.id,
    name: `Organization of ${organization.marker}`,
    createdAt: "2025-01-01T00:00:00.000Z",
    privateEndpoints: [{ id: `pe-${organization.marker}`, description: organization.marker }],
    byocConfig: [{ id: `byoc-${organization.marker}`, accountName: organization.marker }],
    apiKeys: keys
      .filter((key) => key.organization === organization)
      .map(({ enabled, expiresAt, id, secret }) => ({
        id,
        name: `key of ${organization.marker}`,
        secret,
        state: enabled ? ("enabled" as const) : ("disabled" as const),
        expiresAt: expiresAt === Infinity ? null : DateTime.formatIso(DateTime.makeUnsafe(expiresAt))
      })),
    services: [
      {
        id: organization.service,
        name: `service of ${organization.marker}`,
        reversePrivateEndpoints: [
          {
            id: organization.endpoint,
            description: `endpoint of ${organization.marker}`,
            type: "VPC_ENDPOINT_SERVICE",
            dnsNames: [`${organization.marker}.example.com`],
            status: "Ready"
          }
        ]
      }
    ]
  }))
})
