import * as Schema from "effect/Schema"
import { Api } from "@cloud-management/core/Contract"
import { listOrganizations, operations } from "@cloud-management/core/Operations"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import { make, type Description } from "../frame/OpenApiDocument.ts"
import { words } from "../frame/wire/representation.ts"
import { describe, type Entry } from "../frame/wire/strict.ts"

const schemas: ReadonlyArray<Entry> = [
  describe(
    Organizations.PrivateEndpoint,
    { description: "A private endpoint of an organization." },
    {
      id: words("ID at the cloud provider; not a UUID.", "pe-1"),
      description: words("Free text; may be empty.", "office")
    }
  ),
  describe(
    Organizations.ByocConfig,
    { description: "A bring-your-own-cloud configuration of an organization." },
    {
      id: words("ID of the configuration; not a UUID.", "byoc-1"),
      accountName: words("Name of the account at the cloud provider; may be empty.", "acme-aws")
    }
  ),
  describe(
    Organizations.Organization,
    { description: "The tenant that owns API keys and services." },
    {
      id: words("Organization ID."),
      createdAt: Schema.String.annotate({
        description: "When the organization was created, in UTC.",
        format: "date-time",
        examples: ["2026-01-01T00:00:00.000Z"]
      }).pipe(Schema.decodeTo(Organizations.Organization.fields.createdAt.strict)),
      name: words("Name of the organization, as its owner chose it.", "Acme"),
      privateEndpoints: words("Private endpoints of the organization."),
      byocConfig: words("Bring-your-own-cloud configurations.")
    }
  ),
  describe(
    Endpoints.ReversePrivateEndpoint,
    {
      description: "A connection from a service of the platform into a customer's own network.",
      examples: [
        {
          id: Endpoints.ReversePrivateEndpointId.make("12345678-1234-1234-1234-123456789012"),
          serviceId: Endpoints.ServiceId.make("22345678-1234-1234-1234-123456789012"),
          description: "orders",
          type: "VPC_ENDPOINT_SERVICE",
          vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
          endpointId: "vpce-0123456789abcdef0",
          dnsNames: ["vpce-0123456789abcdef0.example.com"],
          privateDnsNames: ["orders.internal.example.com"],
          status: "Ready"
        }
      ]
    },
    {
      id: words("Reverse private endpoint ID."),
      serviceId: words("ID of the service that owns the endpoint."),
      description: words("Free text; may be empty.", "orders"),
      type: words("Kind of endpoint. Further kinds may be added.", ...Endpoints.types),
      vpcEndpointServiceName: words(
        "Name of the VPC endpoint service. For the kind `VPC_ENDPOINT_SERVICE`.",
        "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0"
      ),
      vpcResourceConfigurationId: words(
        "ID of the VPC resource configuration. For the kind `VPC_RESOURCE`.",
        "rcfg-0123456789abcdef0"
      ),
      vpcResourceShareArn: words(
        "ARN of the resource share. For the kind `VPC_RESOURCE`.",
        "arn:aws:ram:eu-west-1:123456789012:resource-share/12345678-1234-1234-1234-123456789012"
      ),
      mskClusterArn: words(
        "ARN of the streaming cluster. For the kind `MSK_MULTI_VPC`.",
        "arn:aws:kafka:eu-west-1:123456789012:cluster/events/1"
      ),
      mskAuthentication: words(
        "Authentication mode towards the streaming cluster. For the kind `MSK_MULTI_VPC`. Further modes may be added.",
        ...Endpoints.mskAuthentications
      ),
      endpointId: words(
        "ID of the created endpoint at the cloud provider; absent until there is one.",
        "vpce-0123456789abcdef0"
      ),
      dnsNames: { description: "DNS names of the endpoint.", examples: [["vpce-0123456789abcdef0.example.com"]] },
      privateDnsNames: {
        description: "Private DNS names of the endpoint.",
        examples: [["orders.internal.example.com"]]
      },
      status: words("Current state of the endpoint. Further states may be added.", ...Endpoints.statuses)
    }
  ),
  // exactly one organization
  [
    listOrganizations.success.schema.fields.result.ast,
    (strict) => Schema.Array(strict(Organizations.Organization)).check(Schema.isBetweenLength(1, 1))
  ]
]

export const description: Description = {
  schemas,
  variables: {
    organizationId: "Organization ID.",
    keyId: "API key ID.",
    serviceId: "Service ID.",
    reversePrivateEndpointId: "Reverse private endpoint ID."
  },
  resources: {
    organizations: "Organizations, the tenants of the platform.",
    apiKeys: "The keys that give access to the API.",
    reversePrivateEndpoints: "Connections from a service into a customer's own network."
  },
  operations: {
    "organizations.list": {
      description: "Returns a list with exactly one organization: that of the calling key.",
      success: "The organization of the calling key."
    },
    "apiKeys.delete": {
      description:
        "Deletes one API key of an organization. The next request with the deleted key is refused. The key that authenticates this request cannot be deleted.",
      success: "The key is deleted."
    },
    "reversePrivateEndpoints.get": {
      description: "Returns one reverse private endpoint of a service.",
      success: "The endpoint."
    }
  },
  annotations: Api.annotations
}

/** The OpenAPI 3.1 document of our service. */
export const document = make(operations, description)
