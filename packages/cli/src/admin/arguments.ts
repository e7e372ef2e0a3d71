import { Effect, Option, Schema, SchemaTransformation } from "effect"
import { SecureRandom } from "effect/crypto"
import { Argument, Flag } from "effect/cli"
import * as ApiKeys from "@cloud-management/core/ApiKey"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import * as Flags from "../input/flag.ts"
import * as Id from "../input/id.ts"

/** The IDs of one kind. Databases keep them in lower case. */
const kind = <S extends Schema.Codec<string, string>>(name: string, id: S, description: string) => {
  const schema = Schema.String.pipe(Schema.decode(SchemaTransformation.toLowerCase()), Schema.decodeTo(id))
  const generated = SecureRandom.SecureRandom.use((random) => random.uuidV4()).pipe(
    Effect.flatMap(Schema.decodeEffect(schema)),
    Effect.orDie,
    Effect.provide(SecureRandom.layerWebCrypto)
  )
  return {
    schema,
    generated,
    one: Id.argument(name, schema, description),
    several: Id.several(name, schema, description),
    new: Id.flag("id", schema, "ID to use [default: a new one]").pipe(
      Flag.mapEffect(Option.match({ onSome: Effect.succeed, onNone: () => generated }))
    )
  }
}

export const organization = kind("ORGANIZATION_ID", Organizations.OrganizationId, "Organization")
export const service = kind("SERVICE_ID", Endpoints.ServiceId, "Service of the organization")
export const endpoint = kind("ENDPOINT_ID", Endpoints.ReversePrivateEndpointId, "Endpoint of the service")
export const key = kind("KEY_ID", ApiKeys.ApiKeyId, "Key of the organization")

const named = Flags.text("a non-empty name", "text", "New name")

export const newName = Argument.String("NAME").pipe(
  Argument.filterMap(named.parse, () => named.expected),
  Argument.withDescription("Name")
)

export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withMetavar("text"), Flag.withDescription(description))

export const name = Flag.optional(Flags.of("name", named))
