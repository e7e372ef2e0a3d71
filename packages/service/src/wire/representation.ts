import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as Body from "@cloud-management/client/Body"
import * as Envelope from "@cloud-management/client/Envelope"
import { nameOf, type Any } from "@cloud-management/client/Operation"
import { listOrganizations } from "@cloud-management/core/Operations"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import * as Strict from "./strict.ts"

// What this service sends, as its document shows it: the strict side of core's schemas. A schema that is not described
// here is shown as it is.

const { describe } = Strict

const words = (description: string, ...examples: ReadonlyArray<unknown>): Strict.Annotations => ({
  description,
  ...(examples.length > 0 && { examples })
})

/** The request ID of the examples. */
export const exampleRequestId = "0b2c1f5e-6d3a-4c7b-9e8f-1a2b3c4d5e6f"

/** What a request's ID is for. */
export const requestId = "Identifies the request, in the service's log of failures and in its audit records."

/** A request's ID, in every envelope and in the header `x-request-id`. */
export const RequestId = Schema.String.annotate({
  identifier: "RequestId",
  description: requestId,
  format: "uuid",
  examples: [exampleRequestId]
})

const status = (example: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })).annotate({
    description: "The HTTP status.",
    examples: [example]
  })
const success = status(200)

/** The variables of paths, by name. */
export const variables: Readonly<Record<string, string>> = {
  organizationId: "Organization ID.",
  keyId: "API key ID.",
  serviceId: "Service ID.",
  reversePrivateEndpointId: "Reverse private endpoint ID."
}

const descriptions: Strict.Descriptions = new Map<SchemaAST.AST, Strict.Entry>([
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
  describe(
    Envelope.Failure,
    { description: "The envelope of a refusal." },
    {
      status: status(404),
      error: words("A code for programs, a colon, and a text for people.", "NOT_FOUND: Key is not found"),
      requestId: RequestId
    }
  ),
  describe(
    Envelope.Success,
    { description: "The envelope of a success that has no result." },
    { status: success, requestId: RequestId }
  ),
  // of every envelope
  [Envelope.Success.fields.status.ast, () => success],
  [Envelope.Success.fields.requestId.ast, () => RequestId],
  // exactly one organization
  [
    listOrganizations.success.schema.fields.result.ast,
    (strict) => Schema.Array(strict(Organizations.Organization)).check(Schema.isBetweenLength(1, 1))
  ]
])

/** The strict side of a schema, described. */
export const strict = Strict.make(descriptions)

/** The envelope of a refusal. */
export const Failure = strict(Envelope.Failure)

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** What an operation returns. An envelope has the operation's name, as in `OrganizationsList`. */
export const ofSuccess = (operation: Any): Body.Success => {
  const { success } = operation
  if (success._tag === "Stream" || success._tag === "Redirect") return success
  return success._tag === "OneOf"
    ? { ...success, bodies: success.bodies.map((body) => ofBody(operation, body)) }
    : ofBody(operation, success)
}

const ofBody = <B extends Body.SingleSuccess | Body.Alternative>(operation: Any, body: B): B => {
  if (body._tag !== "Json" && body._tag !== "Envelope") return body
  const schema = strict(body.schema)
  if (body._tag === "Json" || Schema.resolveAnnotations(schema)?.identifier !== undefined) return { ...body, schema }
  const identifier = capitalized(operation.group) + capitalized(operation.name)
  return { ...body, schema: schema.annotate({ identifier, description: `The envelope of ${nameOf(operation)}.` }) }
}
