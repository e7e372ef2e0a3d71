import { Effect, Option } from "effect"
import { GlobalFlag } from "effect/cli"
import type { Administration } from "@cloud-management/service/Administration"
import type { Audit } from "@cloud-management/service"
import process from "node:process"
import type * as DatabaseModule from "../database/database.ts"
import * as Authorities from "../process/authorities.ts"
import * as Failure from "../output/Failure.ts"
import * as Logging from "../output/Logging.ts"
import * as Setting from "../input/setting.ts"

const setting = Setting.named("database")

export const Database = GlobalFlag.Setting("database")({
  flag: Setting.optional(
    "database",
    Setting.url(
      "the path of a SQLite file, or a postgres:// URL",
      "A SQLite file, or a postgres:// URL [env CLOUD_MANAGEMENT_DATABASE]"
    )
  )
})

const database = Effect.gen(function* () {
  const where = yield* Database
  const advice = "Pass the path of a SQLite file, or the postgres:// URL of a server."
  if (Option.isNone(where)) return yield* Failure.usage(`${setting} is missing`, advice)
  if (where.value === ":memory:") {
    return yield* Failure.usage(`${setting}: an in-memory database is lost when this command ends`, advice)
  }
  if (where.value.includes("://")) Authorities.trust(process.env)
  return where.value
})

/** Reads the content of the database without changing its tables. The driver is loaded only now. */
export const read = Effect.fnUntraced(function* <A, R = never>(
  use: (administration: Administration["Service"]) => Effect.Effect<A, Failure.OfAdministration, R>
) {
  const { existing } = yield* Effect.promise(() => import("../database/database.ts"))
  const { administration, failure } = yield* existing(yield* database)
  return yield* Effect.mapError(use(administration), failure)
}, Effect.scoped)

export type Changing = Effect.Success<ReturnType<typeof DatabaseModule.open>>

/** Changes the database, which is created if it may be new. */
export const changing = Effect.fnUntraced(
  function* <A, R = never>(
    use: (changing: Changing) => Effect.Effect<A, Failure.OfAdministration | Failure.Failure, R>,
    mayBeNew: boolean = false
  ) {
    const { open } = yield* Effect.promise(() => import("../database/database.ts"))
    const opened = yield* open(yield* database, mayBeNew)
    return yield* Effect.mapError(use(opened), (error) => (error._tag === "Failure" ? error : opened.failure(error)))
  },
  Effect.scoped,
  Logging.within
)

/** The act is logged even if the database does not confirm it. */
export const change = <A>(
  event: Audit.Event,
  fields: Audit.Fields,
  use: (administration: Administration["Service"], entry: Audit.Entry) => Effect.Effect<A, Failure.OfAdministration>,
  mayBeNew?: boolean
) => changing(({ administration, logged }) => logged(event, fields, (entry) => use(administration, entry)), mayBeNew)
