import { Console, DateTime, Effect, Option, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Audit } from "@cloud-management/service"
import type { Revocation } from "@cloud-management/service/Revocations"
import type { ApiKey } from "@cloud-management/service/KeyStore"
import * as Commands from "../commands.ts"
import * as Confirm from "../terminal/confirm.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import * as Id from "../input/id.ts"
import * as Input from "../input/input.ts"
import * as Output from "../output/output.ts"
import * as Rows from "../operations/rows.ts"
import * as Table from "../output/table.ts"
import * as Arguments from "./arguments.ts"
import * as Collection from "./collection.ts"
import * as Moment from "./moment.ts"
import * as Session from "./session.ts"

const filters = {
  since: Moment.past(
    "since",
    "Only records since this time, such as 24h, 2027-01-31, or 2027-01-31 09:30 Europe/Berlin [zone: UTC]"
  ).pipe(Flag.optional),
  involved: Id.flag("key", Arguments.key.schema, "Only what this key did, and what was done to it"),
  name: Arguments.text("name", "Only acts on what had this name, such as a key that was deleted"),
  limit: Flags.of("limit", {
    parse: (text) => Option.filter(Flags.whole(text), (most) => most < 1e7),
    expected: "a whole number from 1 to 9999999",
    metavar: "number",
    description: "Maximum number of records to show [default: 1000]"
  }).pipe(Flag.optional)
}

const list = Commands.make("list", filters, function* ({ limit, ...given }) {
  const filter = Collection.given(given)
  const most = Option.getOrElse(limit, () => 1000)
  const found = yield* Session.read(({ audit }) => audit.list(filter, most + 1))
  const records = found.slice(0, most)
  const { Record } = yield* Effect.promise(() => import("@cloud-management/service/Audit"))
  const rows = records.map(({ actor = "", address = "", audit, name, time, ...of }) => [
    DateTime.formatIso(time),
    audit,
    actor,
    address,
    // the name is the one at the time of the act
    Rows.brief([of.keyId ?? of.reversePrivateEndpointId ?? of.serviceId ?? of.organizationId, name])
  ])
  yield* Format.print(yield* Effect.orDie(Schema.encodeEffect(Schema.Array(Record))(records)), (width) => [
    ...Table.columns([["Time", "Record", "Actor", "Address", "Subject"], ...rows], width),
    ...(filter.since === undefined ? [] : ["", `Since ${DateTime.formatIso(filter.since)}.`])
  ])
  if (found.length > most) {
    const message = `only the newest ${most} records are shown: pass a larger --limit, or use \`admin audit export\``
    yield* Format.warn("MoreRecords", message)
  }
}).pipe(
  Commands.described(
    "Show audit records, newest first",
    "--since 24h --database cloud.db",
    "--key KEY_ID --database cloud.db"
  )
)

const dump = Command.make(
  "export",
  {},
  Effect.fnUntraced(function* () {
    const { toLine } = yield* Effect.promise(() => import("@cloud-management/service/Audit"))
    yield* Session.read(({ audit }) =>
      // page by page: a slow reader must not have all of it wait in memory
      Stream.runForEachArray(audit.all, (records) =>
        Effect.andThen(Console.log(records.map((record) => Foreign.escaped(toLine(record))).join("\n")), Output.written)
      )
    )
  }, Output.whole)
).pipe(Commands.described("Print all audit records, one JSON document per line", "--database cloud.db >audit.jsonl"))

const prune = Commands.make(
  "prune",
  { before: Moment.past("before", "Records before this time, such as 2027-01-31 or 365d"), yes: Confirm.yes },
  function* ({ before: moment, yes }) {
    const before = DateTime.formatIso(moment)
    if (DateTime.isGreaterThan(moment, yield* DateTime.now)) {
      return yield* Failure.usage(`--before: ${before} is in the future`, "Pass an earlier time.")
    }
    if (!yes) yield* Confirm.deletion(`the audit records before ${before}`)
    const deleted = yield* Session.change("audit.pruned", { before }, ({ audit }, entry) => audit.prune(moment, entry))
    yield* Format.print({ deleted }, () => [`Deleted  ${deleted} audit records`])
  }
).pipe(
  Collection.describe(
    "Delete old audit records for good; the deletion is recorded",
    "--before 365d",
    "Keep the last year; export the records first"
  )
)

const source = "Pass the output of `admin audit export`, or a log in the json format."

/** How many records a file holds, from when to when, and those that name a key: nothing else matters to revocations. */
const readRecords = Effect.fnUntraced(function* (path: string) {
  const { parse } = yield* Effect.promise(() => import("@cloud-management/service/Audit"))
  const name = `argument <FILE>: ${path}`
  const ofKeys: Array<Audit.Record> = []
  let read = 0
  let from: DateTime.Utc | undefined
  let to: DateTime.Utc | undefined
  // in another encoding no line would look like a record
  yield* Input.text(path, (problem) => Failure.usage(`${name} ${problem}`, source)).pipe(
    Stream.splitLines,
    Stream.zipWithIndex,
    Stream.mapEffect(([line, n]) =>
      Effect.mapError(parse(line), ({ message }) =>
        Failure.usage(
          `${name}: line ${n + 1} is not an audit record: ${message}`,
          "Complete the line or, if it revokes nothing, remove it. Nothing was changed."
        )
      )
    ),
    Stream.runForEach((found) =>
      Effect.sync(() => {
        if (Option.isNone(found)) return
        const { keyId, time } = found.value
        read++
        from = from === undefined ? time : DateTime.min(from, time)
        to = to === undefined ? time : DateTime.max(to, time)
        if (keyId !== undefined) ofKeys.push(found.value)
      })
    )
  )
  if (from === undefined || to === undefined) return yield* Failure.usage(`${name} contains no audit records`, source)
  return { ofKeys, read, from: DateTime.formatIso(from), to: DateTime.formatIso(to) }
})

const decodeKeyId = Schema.decodeOption(Arguments.key.schema)
const ids = (): Array<string> => []

const revoke = Effect.fnUntraced(function* (
  { administration, logged, store }: Session.Changing,
  revocations: ReadonlyMap<string, Revocation>
) {
  const { isLeft, pending } = yield* Effect.promise(() => import("@cloud-management/service/Revocations"))
  const { apiKeys } = administration
  const done = { deleted: ids(), disabled: ids(), expiring: ids(), missing: ids() }
  for (const [text, revocation] of revocations) {
    const id = Option.getOrUndefined(decodeKeyId(text))
    if (id === undefined) continue
    const key = Option.getOrUndefined(yield* store.apiKey(id))
    if (key === undefined) {
      if (isLeft(revocation)) done.missing.push(id)
      continue
    }
    const { organizationId } = key
    const path = { organizationId, id }
    const fields = { organizationId, keyId: id, reason: "reapplied" }
    const todo = pending(revocation, key)
    if (todo.delete) {
      yield* logged("key.deleted", fields, (entry) => apiKeys.delete(path, entry))
      done.deleted.push(id)
    }
    if (todo.disable) {
      const disable = (current: ApiKey): ApiKey => ({ ...current, state: "disabled" })
      yield* logged("key.disabled", fields, (entry) => apiKeys.update(path, disable, entry))
      done.disabled.push(id)
    }
    const { expiresAt } = todo
    if (expiresAt !== undefined) {
      const expire = (current: ApiKey): ApiKey => ({ ...current, expiresAt })
      const changed = { ...fields, changed: "expiresAt", expiresAt: Moment.format(expiresAt) }
      yield* logged("key.changed", changed, (entry) => apiKeys.update(path, expire, entry))
      done.expiring.push(id)
    }
  }
  return done
})

const reapply = Commands.make(
  "reapply",
  {
    file: Argument.String("FILE").pipe(
      Argument.withDescription("Audit records: the output of `admin audit export`, or a log in the json format")
    )
  },
  function* ({ file }) {
    const { doubtful, fromRecords } = yield* Effect.promise(() => import("@cloud-management/service/Revocations"))
    const { ofKeys, ...found } = yield* readRecords(file)
    const unsure = doubtful(ofKeys)
    if (unsure.length > 0) {
      const message = `the times of the records decide, although the lines have another order: check the keys ${unsure.join(", ")}`
      yield* Format.warn("UncertainOrder", message)
    }
    // all of it can be done again
    const done = yield* Session.changing((database) => revoke(database, fromRecords(ofKeys)))
    const rows = Object.entries(done).map(([act, ids]) => [Rows.sentence([act]), ids] as const)
    yield* Format.print({ ...found, ...done }, (width) => [
      `Read ${found.read} audit records, from ${found.from} to ${found.to}.`,
      `Deleted ${done.deleted.length}, disabled ${done.disabled.length}, expiring earlier ${done.expiring.length}.`,
      ...Table.record(rows, width),
      ...(done.missing.length === 0
        ? []
        : ["", "Missing keys were created after the backup: create new ones for their owners."])
    ])
  }
).pipe(
  Collection.describe(
    "After a restore, revoke the keys again that audit records list as revoked",
    "serve.log",
    "Delete, disable and expire keys again; no key is enabled"
  )
)

export const audit = Command.make("audit").pipe(
  Collection.describe("Audit records of who did what, and when", "list --since 24h"),
  Command.withSubcommands([list, dump, prune, reapply])
)
