import { Effect, Option, Record, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import type { ReversePrivateEndpoint } from "@cloud-management/service/Administration"
import * as Commands from "../commands.ts"
import * as Confirm from "../terminal/confirm.ts"
import * as Flags from "../input/flag.ts"
import * as Known from "../input/known.ts"
import * as Id from "../input/id.ts"
import * as Arguments from "./arguments.ts"
import * as Collection from "./collection.ts"

const { create, list, remove, update } = Collection.make<ReversePrivateEndpoint, "organizationId" | "serviceId">({
  kind: "endpoint",
  owner: ["organizationId", "serviceId"],
  id: "reversePrivateEndpointId",
  in: ({ reversePrivateEndpoints }) => reversePrivateEndpoints,
  columns: ["ID", "Type", "Status", "Description"]
})

const owner = { organizationId: Arguments.organization.one, serviceId: Arguments.service.one }
const { new: id, one, several } = Arguments.endpoint

/** Fields of one kind of endpoint; an empty text removes a field. */
const details = {
  vpcEndpointServiceName: Arguments.text("vpc-endpoint-service-name", "Name of the VPC endpoint service"),
  vpcResourceConfigurationId: Arguments.text("vpc-resource-configuration-id", "ID of the VPC resource configuration"),
  vpcResourceShareArn: Arguments.text("vpc-resource-share-arn", "ARN of the resource share"),
  mskClusterArn: Arguments.text("msk-cluster-arn", "ARN of the streaming cluster"),
  mskAuthentication: Arguments.text("msk-authentication", "SASL_IAM or SASL_SCRAM"),
  endpointId: Arguments.text("endpoint-id", "ID assigned by the cloud provider")
}
const detailNames = Struct.keys(details)

const filled = (texts: Readonly<Record<string, string | undefined>>) =>
  Record.filter(texts, (text): text is string => text !== undefined && text !== "")

const tidy = (endpoint: ReversePrivateEndpoint): ReversePrivateEndpoint => ({
  ...Struct.omit(endpoint, detailNames),
  ...filled(Struct.pick(endpoint, detailNames))
})

/** Names, of which an empty one takes all away; none if the flag is not there. */
const names = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.atLeast(0),
    Flag.map((all) => (all.length === 0 ? Option.none() : Option.some(all.filter((name) => name !== "")))),
    Flag.withMetavar("name"),
    Flag.withDescription(description)
  )

const known = (name: "status" | "type", description: string) =>
  Flags.of(name, Flags.text("non-empty text", name, description))

const fields = {
  anyStatus: Known.any,
  description: Arguments.text("description", "Free text"),
  dnsNames: names("dns-name", "DNS name; can be repeated"),
  privateDnsNames: names("private-dns-name", "Private DNS name; can be repeated"),
  ...details
}

export const endpoints = Command.make("endpoints").pipe(
  Collection.describe("Reverse private endpoints of services", "list ORGANIZATION_ID SERVICE_ID"),
  Command.withSubcommands([
    Command.make("list", owner, list).pipe(
      Collection.describe("Show the endpoints of a service", "ORGANIZATION_ID SERVICE_ID")
    ),
    Commands.make(
      "create",
      {
        ...owner,
        id,
        type: known("type", "Type, such as VPC_ENDPOINT_SERVICE"),
        status: Flag.withDefault(known("status", "Status [default: Provisioning]"), "Provisioning"),
        ...fields
      },
      function* ({ anyStatus, id, organizationId, serviceId, status, type, ...texts }) {
        const endpoint = {
          organizationId,
          serviceId,
          type: yield* Known.resolve("type", type, anyStatus),
          status: yield* Known.resolve("status", status, anyStatus),
          dnsNames: [],
          privateDnsNames: [],
          id,
          description: ""
        }
        yield* create(tidy({ ...endpoint, ...Collection.given(texts) }))
      }
    ).pipe(Collection.describe("Create an endpoint of a service", "ORGANIZATION_ID SERVICE_ID --type VPC_RESOURCE")),
    Commands.make(
      "update",
      {
        ...owner,
        id: one,
        status: Flag.optional(known("status", "New status, such as Ready")),
        type: Flag.optional(known("type", "New type, such as VPC_RESOURCE")),
        ...fields
      },
      function* ({ anyStatus, id, organizationId, serviceId, status, type, ...texts }) {
        const resolve = (name: "status" | "type", given: Option.Option<string>) =>
          Effect.transposeOption(Option.map(given, (text) => Known.resolve(name, text, anyStatus)))
        const enums = { status: yield* resolve("status", status), type: yield* resolve("type", type) }
        const changes = Collection.given({ ...enums, ...texts })
        yield* update({ organizationId, serviceId, id }, changes, "--status, for example", {}, tidy)
      }
    ).pipe(
      Collection.describe(
        "Change an endpoint, such as its status; an empty value removes a field",
        "ORGANIZATION_ID SERVICE_ID ENDPOINT_ID --status Ready"
      )
    ),
    Command.make("delete", { ...owner, ids: several, yes: Confirm.yes }, ({ ids, yes, ...owner }) =>
      Id.each(ids, (id) => remove({ ...owner, id }, yes))
    ).pipe(Collection.describe("Delete an endpoint for good", "ORGANIZATION_ID SERVICE_ID ENDPOINT_ID"))
  ])
)
