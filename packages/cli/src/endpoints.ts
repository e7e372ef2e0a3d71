import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import { getReversePrivateEndpoint } from "@cloud-management/core/operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import {
  ReversePrivateEndpointId,
  ServiceId,
  type ReversePrivateEndpoint
} from "@cloud-management/core/ReversePrivateEndpoint"
import * as Connection from "./Connection.ts"
import * as Format from "./Format.ts"
import * as Id from "./id.ts"
import * as Table from "./table.ts"

/** A reverse private endpoint as rows. */
export const rows = (endpoint: ReversePrivateEndpoint): ReadonlyArray<Table.Row> => [
  ["ID", endpoint.id],
  ["Service ID", endpoint.serviceId],
  ["Description", endpoint.description],
  ["Type", endpoint.type],
  ["Status", endpoint.status],
  ["VPC endpoint service", endpoint.vpcEndpointServiceName],
  ["VPC resource configuration", endpoint.vpcResourceConfigurationId],
  ["VPC resource share", endpoint.vpcResourceShareArn],
  ["MSK cluster", endpoint.mskClusterArn],
  ["MSK authentication", endpoint.mskAuthentication],
  ["Endpoint ID", endpoint.endpointId],
  ["DNS names", endpoint.dnsNames],
  ["Private DNS names", endpoint.privateDnsNames]
]

const get = Command.make(
  "get",
  {
    organizationId: Id.argument("ORGANIZATION_ID", OrganizationId, "Organization that owns the service"),
    serviceId: Id.argument("SERVICE_ID", ServiceId, "Service that owns the endpoint"),
    reversePrivateEndpointId: Id.argument("ENDPOINT_ID", ReversePrivateEndpointId, "Endpoint to show")
  },
  Effect.fnUntraced(function* (params) {
    const envelope = yield* Connection.execute(getReversePrivateEndpoint, params)
    yield* Format.print({
      json: Effect.map(
        Effect.orDie(Schema.encodeEffect(getReversePrivateEndpoint.success)(envelope)),
        ({ result }) => result
      ),
      table: () =>
        [...Table.record(rows(envelope.result)), "", ...Table.record([["Request ID", envelope.requestId]])].join("\n")
    })
  })
).pipe(Command.withDescription("Show a reverse private endpoint of a service (beta)"))

/** `cloud-management endpoints …` */
export const endpoints = Command.make("endpoints").pipe(
  Command.withDescription("Reverse private endpoints of services"),
  Command.withSubcommands([get]),
  Command.withGlobalFlags(Connection.settings)
)
