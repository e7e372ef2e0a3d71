import { Context, Effect, Layer, Result } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { CloudManagement } from "@cloud-management/core"
import { Credentials } from "@cloud-management/client"
import type { AnyCloudError } from "../../packages/cli/src/output/Failure.ts"
import type { Seed } from "@cloud-management/service"
import { endpointId, keyId, organizationId, serviceId, withKeys } from "../fixtures/Tenants.ts"

export interface Address {
  readonly by: string
  readonly url: string
  readonly isFront: boolean
}

export interface Client {
  readonly key: ApiKeyId
  readonly at: Address
  readonly cloud: CloudManagement.CloudManagement["Service"]
}

const CurrentCall = Context.Reference<{ assumed: boolean }>("test/cluster/CurrentCall", {
  defaultValue: () => ({ assumed: false })
})

/** The address that a key calls from: those of a machine would share the limit of failed authentications. */
export const addressOf = (key: ApiKeyId) => {
  const n = Number(key.slice(-6))
  return `10.${key.charCodeAt(0)}.${n >> 8}.${n & 255}`
}

export const make = (transport: HttpClient.HttpClient, at: Address, key: ApiKeyId) => {
  const placed = HttpClient.mapRequest(transport, HttpClientRequest.setHeader("x-forwarded-for", addressOf(key)))
  return CloudManagement.layer({
    baseUrl: at.url,
    credentials: Credentials.make(key, "secret"),
    log: ({ _tag }) => Effect.map(CurrentCall, (call) => void (call.assumed ||= _tag === "AssumedDeleted"))
  }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, placed)),
    Layer.build,
    Effect.map((context): Client => ({ key, at, cloud: Context.get(context, CloudManagement.CloudManagement) }))
  )
}

export interface Ask {
  readonly name: string
  readonly expected: ReadonlyArray<string>
  readonly perform: (cloud: Client["cloud"]) => Effect.Effect<string, AnyCloudError>
}

const away = ["ServiceUnavailable", "TransportFailed", "Timeout", "UnexpectedStatus 502", "UnexpectedStatus 504"]

const failed = ({ reason, status }: AnyCloudError) =>
  reason._tag === "UnexpectedStatus" ? `${reason._tag} ${status}` : reason._tag

export const call = Effect.fnUntraced(function* ({ cloud }: Client, { perform }: Ask) {
  const current = { assumed: false }
  const begun = performance.now()
  const result = yield* Effect.result(Effect.provideService(perform(cloud), CurrentCall, current))
  const ended = performance.now()
  const text = Result.match(result, { onSuccess: (line) => line, onFailure: failed })
  return {
    begun,
    ended,
    text,
    isAway: away.includes(text),
    /** Nothing was left to delete, after an attempt that may have done it. */
    isAssumed: current.assumed,
    isUnknown: Result.isFailure(result) && result.failure.outcome === "unknown"
  }
})
export type Outcome = Effect.Success<ReturnType<typeof call>>

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

/** The requests of a tenant's key that change nothing; other tenants are out of its reach. */
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
