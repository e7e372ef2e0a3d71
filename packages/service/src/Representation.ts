import * as Schema from "effect/Schema"
import * as Envelopes from "@cloud-management/core/Envelope"
import { getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import { describe, type Words } from "./internal/strict.ts"

// What this service sends: the strict side of core's schemas, with words for the OpenAPI document.

const words = (description: string, ...examples: ReadonlyArray<unknown>): Words => ({
  description,
  ...(examples.length > 0 && { examples })
})

/** A private endpoint, as this service sends it. */
export const PrivateEndpoint = describe(
  Organizations.PrivateEndpoint,
  { identifier: "PrivateEndpoint", description: "A private endpoint of an organization." },
  {
    id: words("ID at the cloud provider; not a UUID.", "pe-1"),
    description: words("Free text; may be empty.", "office")
  }
)

/** A bring-your-own-cloud configuration, as this service sends it. */
export const ByocConfig = describe(
  Organizations.ByocConfig,
  { identifier: "ByocConfig", description: "A bring-your-own-cloud configuration of an organization." },
  {
    id: words("ID of the configuration; not a UUID.", "byoc-1"),
    accountName: words("Name of the account at the cloud provider; may be empty.", "acme-aws")
  }
)

/** An organization, as this service sends it. */
export const Organization = describe(
  Organizations.Organization,
  { identifier: "Organization", description: "The tenant that owns API keys and services." },
  {
    id: {},
    createdAt: Schema.String.annotate({
      description: "When the organization was created, in UTC.",
      format: "date-time",
      examples: ["2026-01-01T00:00:00.000Z"]
    }).pipe(Schema.decodeTo(Organizations.Organization.fields.createdAt.strict)),
    name: words("Name of the organization, as its owner chose it.", "Acme"),
    privateEndpoints: words("Private endpoints of the organization."),
    byocConfig: words("Bring-your-own-cloud configurations.")
  }
)

/** A reverse private endpoint, as this service sends it: fields of one kind of endpoint may be absent. */
export const ReversePrivateEndpoint = describe(
  Endpoints.ReversePrivateEndpoint,
  {
    identifier: "ReversePrivateEndpoint",
    description: "The way in which a service of the platform reaches into a customer's own network.",
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
    id: {},
    serviceId: words("ID of the service that owns the endpoint."),
    description: words("Free text; may be empty.", "orders"),
    type: words("Kind of endpoint. Further kinds may be added."),
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
      "Authentication mode towards the streaming cluster. For the kind `MSK_MULTI_VPC`. Further modes may be added."
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
    status: words("Current state of the endpoint. Further states may be added.")
  }
)

/** The request ID of the examples. */
export const exampleRequestId = "0b2c1f5e-6d3a-4c7b-9e8f-1a2b3c4d5e6f"

/** A request's ID, in every envelope and in the header `x-request-id`. */
export const RequestId = Schema.String.annotate({
  identifier: "RequestId",
  description: "Identifies the request, in the service's log of failures and in its audit records.",
  format: "uuid",
  examples: [exampleRequestId]
})

const status = (example: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })).annotate({
    description: "The HTTP status.",
    examples: [example]
  })

/** The envelope of a success without a result. */
export const Success = describe(
  Envelopes.Success,
  { identifier: "Success", description: "The envelope of a success that has no result." },
  { status: status(200), requestId: RequestId }
)

/** The envelope of the list operation: exactly one organization. */
export const OrganizationList = describe(
  listOrganizations.success.schema,
  {
    identifier: "OrganizationList",
    description: "The envelope of a list that holds exactly one organization: that of the calling key."
  },
  {
    status: status(200),
    requestId: RequestId,
    result: Schema.Array(Organization).check(Schema.isBetweenLength(1, 1))
  }
)

/** The envelope of the endpoint read. */
export const ReversePrivateEndpointResult = describe(
  getReversePrivateEndpoint.success.schema,
  { identifier: "ReversePrivateEndpointResult", description: "The envelope of one reverse private endpoint." },
  { status: status(200), requestId: RequestId, result: {} }
)

/** The envelope of a refusal. */
export const Failure = describe(
  Envelopes.Failure,
  { identifier: "Failure", description: "The envelope of a refusal." },
  {
    status: status(404),
    error: words("A code for programs, a colon, and a text for people.", "NOT_FOUND: Key is not found"),
    requestId: RequestId
  }
)
