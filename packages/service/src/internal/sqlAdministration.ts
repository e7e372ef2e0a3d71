import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Administration, KeyInactive, type Collection, type ReversePrivateEndpoint } from "../Administration.ts"
import { isActive } from "../Store.ts"
import * as Collections from "./collections.ts"
import * as Content from "./content.ts"
import * as Expiry from "./expiry.ts"
import * as Rows from "./rows.ts"

const organizations = {
  kind: "organization",
  name: "organizations",
  row: Rows.Organization,
  owners: [],
  primaryKey: ["id"],
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
  primaryKey: ["organizationId", "id"],
  parent: organizations,
  children: [["reverse_private_endpoints", "serviceId"]]
} as const
const reversePrivateEndpoints = {
  kind: "endpoint",
  name: "reverse_private_endpoints",
  row: Rows.ReversePrivateEndpoint,
  owners: ["organizationId", "serviceId"],
  primaryKey: ["organizationId", "serviceId", "id"],
  parent: services
} as const
const apiKeys = {
  kind: "key",
  name: "api_keys",
  row: Rows.ApiKey,
  owners: ["organizationId"],
  primaryKey: ["id"],
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
        Effect.gen(function* () {
          const clock = yield* Clock.Clock
          yield* keys.create(successor, created)
          let wasActive = false
          yield* keys.update(
            path,
            (current) => {
              // only now, with the key locked: it may have been disabled in the meantime
              wasActive = isActive(current, Expiry.now(clock))
              return Content.expiring(current, expiresAt)
            },
            rotated
          )
          if (!wasActive) return yield* new KeyInactive({ id: path.id })
        })
      ),
    audit,
    export: Effect.map(
      snapshot(
        Effect.all({
          organizations: all(organizations),
          services: all(services),
          reversePrivateEndpoints: Effect.map(all(reversePrivateEndpoints), (rows) => rows.map(fromRow)),
          apiKeys: all(apiKeys)
        })
      ),
      Content.toSeed
    )
  })
})
