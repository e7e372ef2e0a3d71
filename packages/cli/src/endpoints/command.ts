import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import {
  ReversePrivateEndpointId,
  ServiceId,
  ReversePrivateEndpoint
} from "@cloud-management/core/ReversePrivateEndpoint"
import * as Connection from "../Connection.ts"
import * as Duration from "../duration.ts"
import * as Failure from "../Failure.ts"
import * as Format from "../Format.ts"
import * as Id from "../id.ts"
import * as Known from "../known.ts"
import * as Table from "../table.ts"

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

const waiting = {
  status: Flag.String("status").pipe(
    Flag.filter(
      (status) => status !== "",
      () => "a status, such as Ready"
    ),
    Flag.optional,
    Flag.withMetavar("status"),
    Flag.withDescription("Status to wait for [default: Ready]")
  ),
  anyStatus: Known.any,
  every: Duration.flag("every", "Time between two reads [default: 5s]")
}

const get = Command.make(
  "get",
  {
    organizationId: Id.argument("ORGANIZATION_ID", OrganizationId, "Organization that owns the service"),
    serviceId: Id.argument("SERVICE_ID", ServiceId, "Service that owns the endpoint"),
    reversePrivateEndpointId: Id.argument("ENDPOINT_ID", ReversePrivateEndpointId, "Endpoint to show"),
    wait: Flag.Boolean("wait").pipe(
      Flag.withoutNegation,
      Flag.withDefault(false),
      Flag.withDescription("Wait for a status, and report each change on stderr")
    ),
    ...waiting
  },
  Effect.fnUntraced(function* ({ anyStatus, every, status, wait, ...params }) {
    if (wait) {
      const timeout = yield* Connection.Timeout
      const { until } = yield* Effect.promise(() => import("./waiting.ts"))
      const endpoint = yield* until(params, {
        ...(Option.isSome(status) && { status: yield* Known.resolve("status", status.value, anyStatus) }),
        ...(Option.isSome(every) && { every: every.value }),
        ...(Option.isSome(timeout) && { deadline: timeout.value })
      })
      return yield* Format.print({
        json: Effect.orDie(Schema.encodeEffect(ReversePrivateEndpoint)(endpoint)),
        table: (width) => Table.record(rows(endpoint), width).join("\n")
      })
    }
    if (Option.isSome(every) || Option.isSome(status) || anyStatus) {
      return yield* Failure.usage("--status, --any-status and --every need --wait: pass it as well")
    }
    yield* Connection.show(getReversePrivateEndpoint, params, ({ result }) => [rows(result)])
  })
).pipe(
  Command.withDescription("Show a reverse private endpoint of a service (beta)"),
  Command.withExamples([
    { command: "cloud-management endpoints get ORGANIZATION_ID SERVICE_ID ENDPOINT_ID" },
    {
      command: "cloud-management endpoints get ORGANIZATION_ID SERVICE_ID ENDPOINT_ID --wait --timeout 5m",
      description: "Wait up to 5 minutes until it is ready"
    }
  ])
)

/** `cloud-management endpoints …` */
export const endpoints = Command.make("endpoints").pipe(
  Command.withDescription("Reverse private endpoints of services"),
  Command.withExamples([{ command: "cloud-management endpoints get ORGANIZATION_ID SERVICE_ID ENDPOINT_ID" }]),
  Command.withSubcommands([get]),
  Command.withGlobalFlags(Connection.settings)
)
