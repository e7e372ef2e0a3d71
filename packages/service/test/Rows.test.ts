import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Representation from "../src/internal/representation.ts"
import * as Rows from "../src/internal/rows.ts"

const options = { arbitrary: { seed: "cloud-management", runs: 200 } }

it.effect.prop(
  "an organization is read by hand as by its schema",
  [Rows.Organization],
  ([organization]) =>
    Effect.gen(function* () {
      const row = yield* Schema.encodeEffect(Rows.Organization)(organization)
      const read = Rows.organizationOf({ ...row, id: organization.id })
      expect(read).toEqual(Option.some(yield* Schema.decodeEffect(Rows.Organization)(row)))
    }),
  options
)

it.effect.prop(
  "an endpoint is read by hand as by its schema, and fits the strict schema",
  [Rows.ReversePrivateEndpoint],
  ([endpoint]) =>
    Effect.gen(function* () {
      const row = yield* Schema.encodeEffect(Rows.ReversePrivateEndpoint)(endpoint)
      const read = Option.getOrThrow(Rows.endpointOf({ ...row, id: endpoint.id, service_id: endpoint.serviceId }))
      const { details, organizationId: _, ...rest } = yield* Schema.decodeEffect(Rows.ReversePrivateEndpoint)(row)
      expect(read).toEqual({ ...rest, ...details })
      const sent = yield* Schema.encodeUnknownEffect(Representation.strict(ReversePrivateEndpoint))(read)
      expect(JSON.parse(JSON.stringify(sent))).toEqual(JSON.parse(JSON.stringify(read)))
    }),
  options
)

it.effect.prop(
  "a key is read by hand as by its schema",
  [Rows.ApiKey],
  ([key]) =>
    Effect.gen(function* () {
      const row = yield* Schema.encodeEffect(Rows.ApiKey)(key)
      const read = Rows.callerOf({
        caller_id: key.id,
        caller_organization_id: key.organizationId,
        caller_name: row.name,
        caller_digest: row.digest,
        caller_state: row.state,
        caller_expires_at: row.expires_at
      })
      expect(read).toEqual(Option.some(yield* Schema.decodeEffect(Rows.ApiKey)(row)))
    }),
  options
)

it.each(["1", "{}", '["a", 1]', "[null]", "null", "{"])("a list of names that holds %s is no row", (names) => {
  const row = {
    id: null,
    service_id: "",
    description: "",
    type: "",
    status: "",
    details: "{}",
    private_dns_names: "[]"
  }
  expect(() => Rows.endpointOf(Object.assign({ dns_names: names }, row, { id: "x" }))).toThrow(/does not hold|JSON/)
})
