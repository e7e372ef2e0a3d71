import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import type { Document } from "@cloud-management/service/Seed"

const key = (id: string, name: string) => ({ id: ApiKeyId.make(id), name, secret: `secret-of-${name}` })

/** The organization of most examples. */
export const acme = OrganizationId.make("a0000000-0000-4000-8000-000000000001")
/** Another tenant. */
export const globex = OrganizationId.make("b0000000-0000-4000-8000-000000000001")

/** The key that the requests use. */
export const deployKey = key("a0000000-0000-4000-8000-00000000000a", "deploy")
/** A second key of the same organization, to delete. */
export const backupKey = key("a0000000-0000-4000-8000-00000000000b", "backup")
/** A disabled key of the same organization. */
export const disabledKey = { ...key("a0000000-0000-4000-8000-00000000000c", "disabled"), state: "disabled" as const }
/** A key of the same organization that expired in 2020. */
export const expiredKey = {
  ...key("a0000000-0000-4000-8000-00000000000d", "expired"),
  expiresAt: "2020-01-01T00:00:00.000Z"
}
/** A key whose secret has a colon and non-ASCII characters (RFC 7617 §2). */
export const unicodeKey = {
  ...key("a0000000-0000-4000-8000-00000000000e", "unicode"),
  secret: "pässwörd:with:colons ✓"
}
/** Keys of the same organization that conformance cases use up, each in one case. */
export const spareKeys = {
  once: key("a0000000-0000-4000-8000-0000000000b1", "spare-once"),
  twice: key("a0000000-0000-4000-8000-0000000000b2", "spare-twice"),
  concurrent: key("a0000000-0000-4000-8000-0000000000b3", "spare-concurrent"),
  caller: key("a0000000-0000-4000-8000-0000000000b4", "spare-caller")
}
/** A key of the other tenant. */
export const globexKey = key("b0000000-0000-4000-8000-00000000000a", "globex")

/** A service of the organization. */
export const analytics = ServiceId.make("a0000000-0000-4000-8000-0000000000a1")
/** A service of the other tenant. */
export const globexService = ServiceId.make("b0000000-0000-4000-8000-0000000000a1")

/** A ready endpoint of {@link analytics}. */
export const readyEndpoint = ReversePrivateEndpointId.make("a0000000-0000-4000-8000-0000000000e1")
/** An endpoint of {@link analytics} that is still being created. */
export const pendingEndpoint = ReversePrivateEndpointId.make("a0000000-0000-4000-8000-0000000000e2")
/** An endpoint of the other tenant. */
export const globexEndpoint = ReversePrivateEndpointId.make("b0000000-0000-4000-8000-0000000000e1")

/** The path of {@link readyEndpoint}: the parameters to read it. */
export const endpoint = { organizationId: acme, serviceId: analytics, reversePrivateEndpointId: readyEndpoint }

/**
 * Two tenants, keys in every state, endpoints of two kinds: the content that conformance cases and examples assume.
 */
export const seed: Document = {
  organizations: [
    {
      id: acme,
      name: "Acme",
      createdAt: "2026-01-01T00:00:00.000Z",
      privateEndpoints: [{ id: "pe-1", description: "office" }],
      byocConfig: [{ id: "byoc-1", accountName: "acme-aws" }],
      apiKeys: [deployKey, backupKey, disabledKey, expiredKey, unicodeKey, ...Object.values(spareKeys)],
      services: [
        {
          id: analytics,
          name: "analytics",
          reversePrivateEndpoints: [
            {
              id: readyEndpoint,
              description: "orders",
              type: "VPC_ENDPOINT_SERVICE",
              vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
              endpointId: "vpce-0123456789abcdef0",
              dnsNames: ["vpce-0123456789abcdef0.example.com"],
              privateDnsNames: ["orders.internal.example.com"],
              status: "Ready"
            },
            {
              id: pendingEndpoint,
              description: "events",
              type: "MSK_MULTI_VPC",
              mskClusterArn: "arn:aws:kafka:eu-west-1:123456789012:cluster/events/1",
              mskAuthentication: "SASL_IAM",
              status: "PendingAcceptance"
            }
          ]
        }
      ]
    },
    {
      id: globex,
      name: "Globex",
      createdAt: "2026-02-01T00:00:00.000Z",
      apiKeys: [globexKey],
      services: [
        {
          id: globexService,
          name: "billing",
          reversePrivateEndpoints: [{ id: globexEndpoint, type: "VPC_RESOURCE", status: "Ready" }]
        }
      ]
    }
  ]
}
