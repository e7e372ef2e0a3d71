import * as Schema from "effect/Schema"
import * as Refusals from "./Refusals.ts"
import { nullishKey, type OpenEnum } from "@cloud-management/client/Wire"
import { identifier, Uuid } from "./internal/uuid.ts"

/**
 * Identifies the service (a database deployment) that owns a reverse private endpoint: a UUID of any version.
 */
export const ServiceId = Uuid.pipe(Schema.brand("ServiceId"), identifier)
/** Identifies the service that owns a reverse private endpoint. */
export type ServiceId = typeof ServiceId.Type

/** Identifies a reverse private endpoint: a UUID of any version. */
export const ReversePrivateEndpointId = Uuid.pipe(Schema.brand("ReversePrivateEndpointId"), identifier)
/** Identifies a reverse private endpoint. */
export type ReversePrivateEndpointId = typeof ReversePrivateEndpointId.Type

/** Kinds of endpoint that this version knows. */
export const types = ["VPC_ENDPOINT_SERVICE", "VPC_RESOURCE", "MSK_MULTI_VPC", "GCP_PSC_SERVICE_ATTACHMENT"] as const

/**
 * Kinds of endpoint.
 *
 * **Details**
 *
 * Open: the specification shows `VPC_ENDPOINT_SERVICE` and says that there are more. The others come from the public
 * documents of an API like this one, and any other string also decodes.
 */
export const Type: OpenEnum<(typeof types)[number]> = Schema.String
/** A kind of endpoint. */
export type Type = typeof Type.Type

/** Authentication modes that this version knows. */
export const mskAuthentications = ["SASL_IAM", "SASL_SCRAM"] as const

/**
 * Modes of authentication to a streaming cluster.
 *
 * **Details**
 *
 * Open, like {@link Type}; the specification shows `SASL_IAM`.
 */
export const MskAuthentication: OpenEnum<(typeof mskAuthentications)[number]> = Schema.String
/** A mode of authentication to a streaming cluster. */
export type MskAuthentication = typeof MskAuthentication.Type

/** States of an endpoint that this version knows. */
export const statuses = [
  "Ready",
  "Unknown",
  "Provisioning",
  "Deleting",
  "Failed",
  "PendingAcceptance",
  "Rejected",
  "Expired"
] as const
/** A state of an endpoint that this version knows. */
export type KnownStatus = (typeof statuses)[number]

/**
 * States of an endpoint.
 *
 * **Details**
 *
 * Open, like {@link Type}; the specification shows `Ready`.
 */
export const Status: OpenEnum<KnownStatus> = Schema.String
/** A state of an endpoint. */
export type Status = typeof Status.Type

/**
 * A reverse private endpoint, through which a service of the platform reaches into a customer's own network.
 *
 * **Details**
 *
 * Source: specification, section 2.3. It does not state which fields are always present, so only `id` is required. An
 * absent field and `null` both decode to an absent key.
 *
 * **Example** (Decoding an endpoint)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
 *
 * const endpoint = Schema.decodeUnknownSync(ReversePrivateEndpoint)({
 *   id: "12345678-1234-1234-1234-123456789012",
 *   type: "VPC_ENDPOINT_SERVICE",
 *   status: "Ready",
 *   dnsNames: ["vpce-1.example.com"]
 * })
 * ```
 */
export class ReversePrivateEndpoint extends Schema.Opaque<ReversePrivateEndpoint>()(
  Schema.Struct({
    /** ID of the reverse private endpoint. */
    id: ReversePrivateEndpointId,
    /** ID of the service that owns the endpoint. */
    serviceId: nullishKey(ServiceId),
    /** Free text. */
    description: nullishKey(Schema.String),
    /** Kind of endpoint. */
    type: nullishKey(Type),
    /** Name of the VPC endpoint service. Set for the kind `VPC_ENDPOINT_SERVICE`. */
    vpcEndpointServiceName: nullishKey(Schema.String, "sometimes"),
    /** ID of the VPC resource configuration. Set for the kind `VPC_RESOURCE`. */
    vpcResourceConfigurationId: nullishKey(Schema.String, "sometimes"),
    /** ARN of the resource share. Set for the kind `VPC_RESOURCE`. */
    vpcResourceShareArn: nullishKey(Schema.String, "sometimes"),
    /** ARN of the streaming cluster. Set for the kind `MSK_MULTI_VPC`. */
    mskClusterArn: nullishKey(Schema.String, "sometimes"),
    /** Authentication mode towards the streaming cluster. Set for the kind `MSK_MULTI_VPC`. */
    mskAuthentication: nullishKey(MskAuthentication, "sometimes"),
    /** ID of the created endpoint, in the form of the cloud provider. */
    endpointId: nullishKey(Schema.String, "sometimes"),
    /** DNS names of the endpoint. */
    dnsNames: nullishKey(Schema.Array(Schema.String)),
    /** Private DNS names of the endpoint. */
    privateDnsNames: nullishKey(Schema.Array(Schema.String)),
    /** Current state of the endpoint. */
    status: nullishKey(Status)
  }).annotate({ identifier: "ReversePrivateEndpoint" })
) {}

/** 404: the service does not exist in the organization, or the endpoint does not exist in the service. */
export class ReversePrivateEndpointNotFound extends Refusals.make("ReversePrivateEndpointNotFound", 404) {}
