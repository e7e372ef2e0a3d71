import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { Administration } from "@cloud-management/service/Administration"
import type * as Audit from "@cloud-management/service/Audit"
import * as Failure from "../Failure.ts"
import * as Format from "../Format.ts"
import * as Logging from "../Logging.ts"
import * as Setting from "../setting.ts"

const setting = Setting.named("database")

/** `--database`: what is administered. */
export const Database = GlobalFlag.Setting("database")({
  flag: Setting.optional("database", {
    ...Setting.text("the path of a SQLite file, or a postgres:// URL"),
    isSecret: true,
    metavar: "where",
    description: "A SQLite file, or a postgres:// URL [env CLOUD_MANAGEMENT_DATABASE]"
  })
})

/** The database that was asked for. */
export const database = Effect.gen(function* () {
  const where = yield* Database
  const advice = "Pass the path of a SQLite file, or the postgres:// URL of a server."
  if (Option.isNone(where)) return yield* Failure.usage(`${setting} is missing`, advice)
  if (where.value === ":memory:") {
    return yield* Failure.usage(`${setting}: a database in memory is gone when this command ends`, advice)
  }
  return where.value
})

type Use<A> = (administration: Administration["Service"]) => Effect.Effect<A, Failure.OfAdministration>

interface Options {
  /** Whether a file that is not there is made. */
  readonly mayBeNew?: boolean
}

/** Reads the content of the database. Its driver is loaded only now. */
export const read = Effect.fnUntraced(function* <A>(use: Use<A>, { mayBeNew = false }: Options = {}) {
  const { open } = yield* Effect.promise(() => import("./administration.ts"))
  return yield* Effect.mapError(use(yield* open(yield* database, mayBeNew)), Failure.fromAdministration)
}, Effect.scoped)

/** Records an act of whoever runs this command. */
export const record = Effect.fnUntraced(function* (event: Audit.Event, fields: Audit.Fields) {
  const { record } = yield* Effect.promise(() => import("../operator.ts"))
  yield* record(event, fields)
})

/**
 * Changes the content of the database, and records it, also when the database does not tell whether it did. An
 * interruption waits, lest it leaves a change without its record.
 */
export const change = <A>(event: Audit.Event, fields: Audit.Fields, use: Use<A>, options?: Options) => {
  const attempt: Use<A> = (administration) =>
    Effect.tapErrorTag(use(administration), "StoreUnavailable", () =>
      record("act.unconfirmed", { ...fields, act: event })
    )
  return Logging.within(Effect.uninterruptible(Effect.tap(read(attempt, options), () => record(event, fields))))
}

/** Prints what was deleted. */
export const deleted = (id: string) =>
  Format.print({ json: Effect.succeed({ deleted: id }), table: () => `Deleted  ${id}` })
