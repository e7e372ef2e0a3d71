import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import { ApiKeySecret, Seed } from "@cloud-management/service"

export const make = Effect.gen(function* () {
  const uuid = SecureRandom.SecureRandom.use((random) => random.uuidV4())
  const organizationId = OrganizationId.make(yield* uuid)
  const foreignOrganizationId = OrganizationId.make(yield* uuid)
  const serviceId = ServiceId.make(yield* uuid)
  const reversePrivateEndpointId = ReversePrivateEndpointId.make(yield* uuid)
  const key = { id: ApiKeyId.make(yield* uuid), secret: yield* ApiKeySecret.generate }
  const oldKey = { id: ApiKeyId.make(yield* uuid), secret: yield* ApiKeySecret.generate }

  const seed = yield* Seed.fromDocument({
    organizations: [
      {
        id: organizationId,
        name: "Acme",
        createdAt: "2026-01-01T00:00:00.000Z",
        privateEndpoints: [{ id: "pe-1", description: "office" }],
        byocConfig: [{ id: "byoc-1", accountName: "acme-aws" }],
        apiKeys: [
          { id: key.id, name: "deploy", secret: Redacted.value(key.secret) },
          { id: oldKey.id, name: "old laptop", secret: Redacted.value(oldKey.secret) }
        ],
        services: [
          {
            id: serviceId,
            name: "analytics",
            reversePrivateEndpoints: [
              {
                id: reversePrivateEndpointId,
                description: "orders",
                type: "VPC_ENDPOINT_SERVICE",
                status: "Ready",
                vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
                endpointId: "vpce-0123456789abcdef0",
                dnsNames: ["vpce-0123456789abcdef0.example.com"],
                privateDnsNames: ["orders.internal.example.com"]
              }
            ]
          }
        ]
      },
      { id: foreignOrganizationId, name: "Globex", createdAt: "2026-02-01T00:00:00.000Z" }
    ]
  })
  return { seed, key, oldKey, organizationId, foreignOrganizationId, serviceId, reversePrivateEndpointId }
})
