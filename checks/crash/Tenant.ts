import { Effect } from "effect"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { Seed } from "@cloud-management/service"
import { endpointId, keyId, organizationId, serviceId, withKeys } from "../fixtures/Tenants.ts"
import type { Ask } from "./Client.ts"

export const document = (tenants: ReadonlyArray<string>, keys: number): Seed.Document => ({
  organizations: tenants.flatMap((tenant) =>
    withKeys(tenant, keys).organizations.map((organization) => ({
      ...organization,
      services: [
        {
          id: serviceId(tenant, 1),
          reversePrivateEndpoints: [
            { id: endpointId(tenant, 1), type: "VPC_RESOURCE", status: "Ready", description: `endpoint of ${tenant}` }
          ]
        }
      ]
    }))
  )
})

export const list = (tenant: string): Ask => ({
  name: "list",
  expected: [`${organizationId(tenant)} ${tenant}`],
  perform: ({ organizations }) =>
    Effect.map(organizations.list(), (found) => found.map(({ id, name }) => `${id} ${name}`).join())
})

const read = (name: string, organization: string, owner: string, n: number, expected: string): Ask => ({
  name,
  expected: [expected],
  perform: ({ reversePrivateEndpoints }) =>
    Effect.map(
      reversePrivateEndpoints.get({
        organizationId: organizationId(organization),
        serviceId: serviceId(owner, 1),
        reversePrivateEndpointId: endpointId(owner, n)
      }),
      ({ description, id }) => `${id} ${description}`
    )
})

export const remove = (name: string, organization: string, key: ApiKeyId, ...expected: ReadonlyArray<string>): Ask => ({
  name,
  expected,
  perform: ({ apiKeys }) =>
    Effect.as(apiKeys.delete({ organizationId: organizationId(organization), keyId: key }), "deleted")
})

/** What a key of a tenant can ask for without a change to anything; other tenants are out of its reach. */
export const asks = (tenant: string, other: string, caller: ApiKeyId): ReadonlyArray<Ask> => [
  list(tenant),
  read("get", tenant, tenant, 1, `${endpointId(tenant, 1)} endpoint of ${tenant}`),
  read("get what is not there", tenant, tenant, 2, "ReversePrivateEndpointNotFound"),
  read("get another tenant's", tenant, other, 1, "ReversePrivateEndpointNotFound"),
  read("get in another organization", other, other, 1, "Forbidden"),
  remove("delete another tenant's", tenant, keyId(other, 0), "ApiKeyNotFound"),
  remove("delete in another organization", other, keyId(other, 0), "Forbidden"),
  remove("delete the key in use", tenant, caller, "BadRequest")
]
