import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { ReversePrivateEndpoint } from "@cloud-management/service/Administration"
import * as Confirm from "../confirm.ts"
import { rows } from "../endpoints/command.ts"
import * as Format from "../Format.ts"
import * as Known from "../known.ts"
import * as Table from "../table.ts"
import * as Arguments from "./arguments.ts"
import * as Session from "./session.ts"

const show = (endpoint: ReversePrivateEndpoint) =>
  Format.print({
    json: Effect.succeed(endpoint),
    table: (width) => Table.record([...rows(endpoint), ["Organization ID", endpoint.organizationId]], width).join("\n")
  })

/** What only endpoints of one kind have; an empty text takes it away. */
const details = {
  vpcEndpointServiceName: Arguments.text("vpc-endpoint-service-name", "Name of the VPC endpoint service"),
  vpcResourceConfigurationId: Arguments.text("vpc-resource-configuration-id", "ID of the VPC resource configuration"),
  vpcResourceShareArn: Arguments.text("vpc-resource-share-arn", "ARN of the resource share"),
  mskClusterArn: Arguments.text("msk-cluster-arn", "ARN of the streaming cluster"),
  mskAuthentication: Arguments.text("msk-authentication", "SASL_IAM or SASL_SCRAM"),
  endpointId: Arguments.text("endpoint-id", "ID assigned by the cloud provider")
}
const detailNames = Struct.keys(details)
const names = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.atLeast(0), Flag.withMetavar("name"), Flag.withDescription(description))
const fields = {
  description: Arguments.text("description", "Free text"),
  dnsNames: names("dns-name", "DNS name; can be repeated"),
  privateDnsNames: names("private-dns-name", "Private DNS name; can be repeated"),
  ...details
}

const notEmpty = Flag.filter(
  (text: string) => text !== "",
  () => "non-empty text"
)

/** An empty name takes all away. */
const withoutEmpty = (names: ReadonlyArray<string>) => names.filter((name) => name !== "")

type Details = { readonly [Name in keyof typeof details]: Option.Option<string> }

const withDetails = (current: Readonly<Record<string, string | undefined>>, given: Details) =>
  Record.filter(
    { ...current, ...Record.getSomes(given) },
    (value): value is string => value !== undefined && value !== ""
  )

const list = Command.make(
  "list",
  { organizationId: Arguments.organizationId, serviceId: Arguments.serviceId },
  Effect.fnUntraced(function* (owner) {
    const endpoints = yield* Session.read(({ reversePrivateEndpoints }) => reversePrivateEndpoints.list(owner))
    yield* Format.print({
      json: Effect.succeed(endpoints),
      table: (width) =>
        Table.columns(
          [
            ["ID", "Type", "Status", "Description"],
            ...endpoints.map(({ description, id, status, type }) => [id, type, status, description])
          ],
          width
        ).join("\n")
    })
  })
).pipe(
  Command.withDescription("Show the endpoints of a service"),
  Command.withExamples([
    { command: "cloud-management admin endpoints list ORGANIZATION_ID SERVICE_ID --database cloud.db" }
  ])
)

const create = Command.make(
  "create",
  {
    organizationId: Arguments.organizationId,
    serviceId: Arguments.serviceId,
    id: Arguments.newId(Arguments.ids.endpoint),
    type: Flag.String("type").pipe(
      notEmpty,
      Flag.withMetavar("type"),
      Flag.withDescription("Type, such as VPC_ENDPOINT_SERVICE")
    ),
    status: Flag.String("status").pipe(
      notEmpty,
      Flag.withDefault("Provisioning"),
      Flag.withMetavar("status"),
      Flag.withDescription("Status [default: Provisioning]")
    ),
    anyStatus: Known.any,
    ...fields
  },
  Effect.fnUntraced(function* ({
    anyStatus,
    description,
    dnsNames,
    id,
    organizationId,
    privateDnsNames,
    serviceId,
    status,
    type,
    ...given
  }) {
    const endpoint = {
      organizationId,
      serviceId,
      type: yield* Known.resolve("type", type, anyStatus),
      status: yield* Known.resolve("status", status, anyStatus),
      dnsNames: withoutEmpty(dnsNames),
      privateDnsNames: withoutEmpty(privateDnsNames),
      id: yield* Arguments.orGenerated(Arguments.ids.endpoint, id),
      description: Arguments.or(description, ""),
      ...withDetails({}, given)
    }
    yield* Session.change(
      "endpoint.created",
      { organizationId, serviceId, reversePrivateEndpointId: endpoint.id },
      ({ reversePrivateEndpoints }, entry) => reversePrivateEndpoints.create(endpoint, entry)
    )
    yield* show(endpoint)
  })
).pipe(
  Command.withDescription("Create an endpoint of a service"),
  Command.withExamples([
    {
      command:
        "cloud-management admin endpoints create ORGANIZATION_ID SERVICE_ID --type VPC_RESOURCE --database cloud.db"
    }
  ])
)

const update = Command.make(
  "update",
  {
    organizationId: Arguments.organizationId,
    serviceId: Arguments.serviceId,
    reversePrivateEndpointId: Arguments.reversePrivateEndpointId,
    status: Flag.String("status").pipe(
      notEmpty,
      Flag.optional,
      Flag.withMetavar("status"),
      Flag.withDescription("New status, such as Ready")
    ),
    type: Flag.String("type").pipe(
      notEmpty,
      Flag.optional,
      Flag.withMetavar("type"),
      Flag.withDescription("New type, such as VPC_RESOURCE")
    ),
    anyStatus: Known.any,
    ...fields
  },
  Effect.fnUntraced(function* ({
    anyStatus,
    description,
    dnsNames,
    organizationId,
    privateDnsNames,
    reversePrivateEndpointId,
    serviceId,
    status,
    type,
    ...given
  }) {
    const wanted = {
      status: yield* Effect.transposeOption(Option.map(status, (text) => Known.resolve("status", text, anyStatus))),
      type: yield* Effect.transposeOption(Option.map(type, (text) => Known.resolve("type", text, anyStatus)))
    }
    const names = {
      dnsNames: Option.filter(Option.some(dnsNames), (names) => names.length > 0),
      privateDnsNames: Option.filter(Option.some(privateDnsNames), (names) => names.length > 0)
    }
    const changed = yield* Arguments.given({ status, type, description, ...names, ...given }, "--status, for example")
    const endpoint = yield* Session.change(
      "endpoint.changed",
      { organizationId, serviceId, reversePrivateEndpointId, changed },
      ({ reversePrivateEndpoints }, entry) =>
        reversePrivateEndpoints.update(
          { organizationId, serviceId, id: reversePrivateEndpointId },
          (current) => ({
            ...Struct.omit(current, detailNames),
            ...withDetails(Struct.pick(current, detailNames), given),
            status: Arguments.or(wanted.status, current.status),
            type: Arguments.or(wanted.type, current.type),
            description: Arguments.or(description, current.description),
            dnsNames: Option.match(names.dnsNames, { onNone: () => current.dnsNames, onSome: withoutEmpty }),
            privateDnsNames: Option.match(names.privateDnsNames, {
              onNone: () => current.privateDnsNames,
              onSome: withoutEmpty
            })
          }),
          entry
        )
    )
    yield* show(endpoint)
  })
).pipe(
  Command.withDescription("Change an endpoint, such as its status; an empty value removes a field"),
  Command.withExamples([
    {
      command:
        "cloud-management admin endpoints update ORGANIZATION_ID SERVICE_ID ENDPOINT_ID --status Ready --database cloud.db"
    }
  ])
)

const remove = Command.make(
  "delete",
  {
    organizationId: Arguments.organizationId,
    serviceId: Arguments.serviceId,
    reversePrivateEndpointId: Arguments.reversePrivateEndpointId,
    yes: Confirm.yes
  },
  Effect.fnUntraced(function* ({ reversePrivateEndpointId, yes, ...owner }) {
    if (!yes) yield* Confirm.deletion(`the endpoint ${reversePrivateEndpointId}`)
    yield* Session.change(
      "endpoint.deleted",
      { ...owner, reversePrivateEndpointId },
      ({ reversePrivateEndpoints }, entry) =>
        reversePrivateEndpoints.delete({ ...owner, id: reversePrivateEndpointId }, entry)
    )
    yield* Session.deleted(reversePrivateEndpointId)
  })
).pipe(
  Command.withDescription("Delete an endpoint for good"),
  Command.withExamples([
    { command: "cloud-management admin endpoints delete ORGANIZATION_ID SERVICE_ID ENDPOINT_ID --database cloud.db" }
  ])
)

/** `cloud-management admin endpoints …` */
export const endpoints = Command.make("endpoints").pipe(
  Command.withDescription("Reverse private endpoints of services"),
  Command.withExamples([
    { command: "cloud-management admin endpoints list ORGANIZATION_ID SERVICE_ID --database cloud.db" }
  ]),
  Command.withSubcommands([list, create, update, remove])
)
