import * as Schema from "effect/Schema"
import { ApiKeyId, ApiKeyNotFound } from "./ApiKey.ts"
import { commonRefusals } from "./Refusals.ts"
import * as Envelope from "@cloud-management/client/Envelope"
import * as Operation from "@cloud-management/client/Operation"
import { version } from "./internal/version.ts"
import { Organization, OrganizationId } from "./Organization.ts"
import {
  ReversePrivateEndpoint,
  ReversePrivateEndpointId,
  ReversePrivateEndpointNotFound,
  ServiceId
} from "./ReversePrivateEndpoint.ts"

/** This API, in telemetry and in the header `user-agent`. */
export const api: Operation.Api = { name: "cloud-management", version }

/**
 * Lists the organization of the calling key: an array with exactly one element.
 *
 * **Details**
 *
 * The client accepts any non-empty array.
 *
 * Source: specification, section 4.1.
 */
export const listOrganizations = Operation.make({
  api,
  group: "organizations",
  name: "list",
  method: "GET",
  path: "/v1/organizations",
  summary: "List the organization of the calling key",
  success: Envelope.withJson(Schema.NonEmptyArray(Organization)),
  errors: commonRefusals,
  annotations: { scope: "key", stability: "stable" }
})

/**
 * Deletes one API key of an organization.
 *
 * **Details**
 *
 * Source: specification, section 4.2.
 *
 * **Gotchas**
 *
 * The key that authenticates the request cannot be deleted.
 */
export const deleteApiKey = Operation.make({
  api,
  group: "apiKeys",
  name: "delete",
  method: "DELETE",
  path: "/v1/organizations/:organizationId/keys/:keyId",
  summary: "Delete an API key that is not the calling key",
  params: Schema.Struct({
    /** ID of the organization that owns the key. */
    organizationId: OrganizationId,
    /** ID of the key to delete. */
    keyId: ApiKeyId
  }),
  success: Envelope.withoutResult,
  errors: [...commonRefusals, ApiKeyNotFound],
  annotations: { scope: "organization", stability: "stable" }
})

/**
 * Reads one reverse private endpoint of a service.
 *
 * **Details**
 *
 * Beta: the contract is declared stable, and no breaking change is expected.
 *
 * Source: specification, sections 4.3 and 9.
 *
 * @beta
 */
export const getReversePrivateEndpoint = Operation.make({
  api,
  group: "reversePrivateEndpoints",
  name: "get",
  method: "GET",
  path: "/v1/organizations/:organizationId/services/:serviceId/pipesReversePrivateEndpoints/:reversePrivateEndpointId",
  summary: "Read a reverse private endpoint of a service",
  params: Schema.Struct({
    /** ID of the organization that owns the service. */
    organizationId: OrganizationId,
    /** ID of the service that owns the endpoint. */
    serviceId: ServiceId,
    /** ID of the endpoint to read. */
    reversePrivateEndpointId: ReversePrivateEndpointId
  }),
  success: Envelope.withJson(ReversePrivateEndpoint),
  errors: [...commonRefusals, ReversePrivateEndpointNotFound],
  annotations: { scope: "organization", stability: "beta" }
})

/**
 * The registry: every operation of the API, by group and name.
 *
 * **Details**
 *
 * Everything in the project that uses operations starts from this registry.
 */
export const operations = {
  organizations: {
    /** Lists the organization of the calling key: exactly one if the service follows the specification. */
    list: listOrganizations
  },
  apiKeys: {
    /** Deletes a key of the organization, except the calling key. */
    delete: deleteApiKey
  },
  reversePrivateEndpoints: {
    /**
     * Reads one reverse private endpoint of a service.
     *
     * @beta The contract is declared stable, and no breaking change is expected (specification, section 9).
     */
    get: getReversePrivateEndpoint
  }
}
