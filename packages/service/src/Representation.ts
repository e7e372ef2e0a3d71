import * as Schema from "effect/Schema"
import type * as Envelopes from "@cloud-management/core/Envelope"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"

/** Every field of a resource, none forgotten and none besides. */
type Fields<Resource> = { readonly [Name in keyof Resource]-?: Schema.Top }

const text = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotate({ description, examples })
const texts = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.Array(Schema.String).annotate({ description, examples: [examples] })

/** A private endpoint, as this service sends it. */
export const PrivateEndpoint = Schema.Struct({
  id: text("ID at the cloud provider; not a UUID.", "pe-1"),
  description: text("Free text; may be empty.", "office")
} satisfies Fields<Organizations.PrivateEndpoint>).annotate({
  identifier: "PrivateEndpoint",
  description: "A private endpoint of an organization."
})

/** A bring-your-own-cloud configuration, as this service sends it. */
export const ByocConfig = Schema.Struct({
  id: text("ID of the configuration; not a UUID.", "byoc-1"),
  accountName: text("Name of the account at the cloud provider; may be empty.", "acme-aws")
} satisfies Fields<Organizations.ByocConfig>).annotate({
  identifier: "ByocConfig",
  description: "A bring-your-own-cloud configuration of an organization."
})

/** An organization, as this service sends it. */
export const Organization = Schema.Struct({
  id: Organizations.OrganizationId,
  createdAt: Schema.String.annotate({
    description: "When the organization was created, in UTC.",
    format: "date-time",
    examples: ["2026-01-01T00:00:00.000Z"]
  }),
  name: text("Name of the organization, as its owner chose it.", "Acme"),
  privateEndpoints: Schema.Array(PrivateEndpoint).annotate({ description: "Private endpoints of the organization." }),
  byocConfig: Schema.Array(ByocConfig).annotate({ description: "Bring-your-own-cloud configurations." })
} satisfies Fields<Organizations.Organization>).annotate({
  identifier: "Organization",
  description: "The tenant that owns API keys and services."
})

/** A reverse private endpoint, as this service sends it: what one kind of endpoint alone has may be absent. */
export const ReversePrivateEndpoint = Schema.Struct({
  id: Endpoints.ReversePrivateEndpointId,
  serviceId: Endpoints.ServiceId.annotate({ description: "ID of the service that owns the endpoint." }),
  description: text("Free text; may be empty.", "orders"),
  type: Endpoints.Type.annotate({ description: "Kind of endpoint. Further kinds may be added." }),
  vpcEndpointServiceName: Schema.optionalKey(
    text(
      "Name of the VPC endpoint service. For the kind `VPC_ENDPOINT_SERVICE`.",
      "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0"
    )
  ),
  vpcResourceConfigurationId: Schema.optionalKey(
    text("ID of the VPC resource configuration. For the kind `VPC_RESOURCE`.", "rcfg-0123456789abcdef0")
  ),
  vpcResourceShareArn: Schema.optionalKey(
    text(
      "ARN of the resource share. For the kind `VPC_RESOURCE`.",
      "arn:aws:ram:eu-west-1:123456789012:resource-share/12345678-1234-1234-1234-123456789012"
    )
  ),
  mskClusterArn: Schema.optionalKey(
    text(
      "ARN of the streaming cluster. For the kind `MSK_MULTI_VPC`.",
      "arn:aws:kafka:eu-west-1:123456789012:cluster/events/1"
    )
  ),
  mskAuthentication: Schema.optionalKey(
    Endpoints.MskAuthentication.annotate({
      description:
        "Authentication mode towards the streaming cluster. For the kind `MSK_MULTI_VPC`. Further modes may be added."
    })
  ),
  endpointId: Schema.optionalKey(
    text("ID of the created endpoint at the cloud provider; absent until there is one.", "vpce-0123456789abcdef0")
  ),
  dnsNames: texts("DNS names of the endpoint.", "vpce-0123456789abcdef0.example.com"),
  privateDnsNames: texts("Private DNS names of the endpoint.", "orders.internal.example.com"),
  status: Endpoints.Status.annotate({ description: "Current state of the endpoint. Further states may be added." })
} satisfies Fields<Endpoints.ReversePrivateEndpoint>).annotate({
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
})

/** The request ID of the examples. */
export const exampleRequestId = "0b2c1f5e-6d3a-4c7b-9e8f-1a2b3c4d5e6f"

/** A request's ID, in every envelope and in the header `x-request-id`. */
export const RequestId = Schema.String.annotate({
  identifier: "RequestId",
  description: "Identifies the request, in the service's log of failures and in its audit records.",
  format: "uuid",
  examples: [exampleRequestId]
})

const status = Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))

const success = {
  status: status.annotate({ description: "The HTTP status.", examples: [200] }),
  requestId: RequestId
} satisfies Fields<Envelopes.Success>

/** The envelope of the delete operation. */
export const Success = Schema.Struct(success).annotate({
  identifier: "Success",
  description: "The envelope of a success that has no result."
})

/** The envelope of the list operation: exactly one organization. */
export const OrganizationList = Schema.Struct({
  ...success,
  result: Schema.Array(Organization).check(Schema.isBetweenLength(1, 1))
}).annotate({
  identifier: "OrganizationList",
  description: "The envelope of a list that holds exactly one organization: that of the calling key."
})

/** The envelope of the endpoint read. */
export const ReversePrivateEndpointResult = Schema.Struct({ ...success, result: ReversePrivateEndpoint }).annotate({
  identifier: "ReversePrivateEndpointResult",
  description: "The envelope of one reverse private endpoint."
})

/** The envelope of a refusal. */
export const Failure = Schema.Struct({
  status: status.annotate({ description: "The HTTP status.", examples: [404] }),
  error: text("A code for programs, a colon, and a text for people.", "NOT_FOUND: Key is not found"),
  requestId: RequestId
} satisfies Fields<Envelopes.Failure>).annotate({ identifier: "Failure", description: "The envelope of a refusal." })
