import { Effect, Option, Schema, SchemaTransformation } from "effect"
import { SecureRandom } from "effect/crypto"
import { Argument, Flag } from "effect/cli"
import * as ApiKeys from "@cloud-management/core/ApiKey"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import * as Flags from "../input/flag.ts"
import * as Id from "../input/id.ts"

/** Databases keep ids in lower case. */
const lowerCase = <S extends Schema.Codec<string, string>>(id: S) =>
  Schema.String.pipe(Schema.decode(SchemaTransformation.toLowerCase()), Schema.decodeTo(id))

export const ids = {
  organization: lowerCase(Organizations.OrganizationId),
  service: lowerCase(Endpoints.ServiceId),
  endpoint: lowerCase(Endpoints.ReversePrivateEndpointId),
  key: lowerCase(ApiKeys.ApiKeyId)
}

export const organizationId = Id.argument("ORGANIZATION_ID", ids.organization, "Organization")
export const serviceId = Id.argument("SERVICE_ID", ids.service, "Service of the organization")
export const reversePrivateEndpointId = Id.argument("ENDPOINT_ID", ids.endpoint, "Endpoint of the service")
export const keyId = Id.argument("KEY_ID", ids.key, "Key of the organization")

export const several = {
  organizations: Id.several("ORGANIZATION_ID", ids.organization, "Organization"),
  services: Id.several("SERVICE_ID", ids.service, "Service of the organization"),
  endpoints: Id.several("ENDPOINT_ID", ids.endpoint, "Endpoint of the service"),
  keys: Id.several("KEY_ID", ids.key, "Key of the organization")
}

export const generated = <A>(schema: Schema.Codec<A, string>): Effect.Effect<A> =>
  SecureRandom.SecureRandom.use((random) => random.uuidV4()).pipe(
    Effect.flatMap(Schema.decodeEffect(schema)),
    Effect.orDie,
    Effect.provide(SecureRandom.layerWebCrypto)
  )

export const newId = <A>(schema: Schema.Codec<A, string>) =>
  Id.flag("id", schema, "ID to use [default: a new one]").pipe(
    Flag.mapEffect(Option.match({ onSome: (id) => Effect.succeed(id), onNone: () => generated(schema) }))
  )

const { expected, parse } = Flags.text("a non-empty name")

export const newName = Argument.String("NAME").pipe(
  Argument.filterMap(parse, () => expected),
  Argument.withDescription("Name")
)

export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withMetavar("text"), Flag.withDescription(description))

export const name = Flag.optional(Flags.of("name", { expected, parse, metavar: "text", description: "New name" }))
