import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Administration, KeyInactive } from "../Administration.ts"
import { isActive } from "../Store.ts"
import * as Collections from "./collections.ts"
import * as Content from "./content.ts"
import * as Expiry from "../internal/expiry.ts"
import { apiKeys, organizations, reversePrivateEndpoints, services } from "./tables.ts"

/** The administration of a SQL database whose tables are there. */
export const make: Effect.Effect<Administration["Service"], never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { all, atomically, audit, collection, snapshot } = Collections.make(sql)
  const keys = collection(apiKeys)
  return Administration.of({
    organizations: collection(organizations),
    services: collection(services),
    reversePrivateEndpoints: collection(reversePrivateEndpoints),
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
          reversePrivateEndpoints: all(reversePrivateEndpoints),
          apiKeys: all(apiKeys)
        })
      ),
      Content.toSeed
    )
  })
})
