import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import { acme, analytics, readyEndpoint } from "@cloud-management/testing/Fixtures"
import * as Representation from "../src/internal/representation.ts"
import * as Rows from "../src/internal/rows.ts"

const options = { arbitrary: { seed: "cloud-management", runs: 200 } }

it.effect.prop(
  "an organization is read by hand as by its schema",
  [Rows.Organization],
  ([organization]) =>
    Effect.gen(function* () {
      const row = yield* Schema.encodeEffect(Rows.Organization)(organization)
      const { byoc_config, created_at, name, private_endpoints } = row
      const read = Rows.organizationOf([organization.id, name, created_at, private_endpoints, byoc_config])
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
      const { description, dns_names, private_dns_names, status, type } = row
      const { id, organizationId, serviceId } = endpoint
      const names = [dns_names, private_dns_names, row.details] as const
      const read = Option.getOrThrow(
        Rows.endpointOf([organizationId, serviceId, id, description, type, status, ...names])
      )
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
      const { created_at, digest, expires_at, last_used_at, name, state } = row
      const times = [expires_at, created_at, last_used_at] as const
      const read = Rows.callerOf([key.id, key.organizationId, name, digest, state, ...times])
      expect(read).toEqual(Option.some(yield* Schema.decodeEffect(Rows.ApiKey)(row)))
    }),
  options
)

it.each(["1", "{}", '["a", 1]', "[null]", "null", "{"])("a list of names that holds %s is no row", (names) => {
  const ids = [acme, analytics, readyEndpoint] as const
  expect(() => Rows.endpointOf([...ids, "", "", "", names, "[]", "{}"])).toThrow(/unexpected content|JSON/)
})
