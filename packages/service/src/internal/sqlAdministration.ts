import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Administration, type Collection, type ReversePrivateEndpoint } from "../Administration.ts"
import * as Collections from "./collections.ts"
import * as Content from "./content.ts"
import * as Rows from "./rows.ts"

const organizations = {
  kind: "organization",
  name: "organizations",
  row: Rows.Organization,
  owners: [],
  children: [
    ["api_keys", "organizationId"],
    ["services", "organizationId"]
  ]
} as const
const services = {
  kind: "service",
  name: "services",
  row: Rows.Service,
  owners: ["organizationId"],
  parent: organizations,
  children: [["reverse_private_endpoints", "serviceId"]]
} as const
const reversePrivateEndpoints = {
  kind: "endpoint",
  name: "reverse_private_endpoints",
  row: Rows.ReversePrivateEndpoint,
  owners: ["organizationId", "serviceId"],
  parent: services
} as const
const apiKeys = {
  kind: "key",
  name: "api_keys",
  row: Rows.ApiKey,
  owners: ["organizationId"],
  parent: organizations
} as const

type EndpointRow = typeof Rows.ReversePrivateEndpoint.Type

const fromRow = ({ details, ...endpoint }: EndpointRow): ReversePrivateEndpoint => ({ ...endpoint, ...details })

const endpoints = (
  rows: Collection<EndpointRow, "organizationId" | "serviceId">
): Collection<ReversePrivateEndpoint, "organizationId" | "serviceId"> => ({
  list: (owner) => Effect.map(rows.list(owner), (rows) => rows.map(fromRow)),
  create: (endpoint, entry) => rows.create(Rows.fromEndpoint(endpoint), entry),
  update: (path, f, entry) =>
    Effect.map(
      rows.update(path, (row) => Rows.fromEndpoint(f(fromRow(row))), entry),
      fromRow
    ),
  delete: rows.delete
})

/** The administration of a SQL database whose tables are there. */
export const make: Effect.Effect<Administration["Service"], never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { all, atomically, audit, collection, snapshot } = Collections.make(sql)
  const keys = collection(apiKeys)
  return Administration.of({
    organizations: collection(organizations),
    services: collection(services),
    reversePrivateEndpoints: endpoints(collection(reversePrivateEndpoints)),
    apiKeys: keys,
    rotateApiKey: (path, successor, expiresAt, [created, rotated]) =>
      atomically(
        Effect.andThen(
          keys.create(successor, created),
          keys.update(path, (current) => Content.expiring(current, expiresAt), rotated)
        )
      ),
    audit,
    export: snapshot(
      Effect.gen(function* () {
        return Content.toSeed({
          organizations: yield* all(organizations),
          services: yield* all(services),
          reversePrivateEndpoints: (yield* all(reversePrivateEndpoints)).map(fromRow),
          apiKeys: yield* all(apiKeys)
        })
      })
    )
  })
})
