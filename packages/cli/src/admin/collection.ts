import { DateTime, Effect, Option, Record } from "effect"
import { constVoid, identity } from "effect/Function"
import type { Administration, Audit } from "@cloud-management/service"
import * as Commands from "../commands.ts"
import * as Confirm from "../terminal/confirm.ts"
import * as Failure from "../output/Failure.ts"
import * as Format from "../output/Format.ts"
import * as Rows from "../operations/rows.ts"
import * as Table from "../output/table.ts"
import * as Session from "./session.ts"

type IdOf = "organizationId" | "serviceId" | "reversePrivateEndpointId" | "keyId"

export interface Collection<A extends { readonly [Id in Owner | "id"]: string }, Owner extends keyof A & IdOf> {
  readonly kind: Administration.Kind
  readonly owner: ReadonlyArray<Owner>
  readonly id: IdOf
  readonly in: (administration: Administration.Administration["Service"]) => Administration.Collection<A, Owner>
  readonly json?: (record: A, now: DateTime.Utc) => object
  readonly rows?: (record: A, now: DateTime.Utc) => ReadonlyArray<Table.Row>
  readonly columns: ReadonlyArray<string>
}

interface More {
  readonly json?: object
  readonly rows?: ReadonlyArray<Table.Row>
  readonly notes?: ReadonlyArray<string>
}

export const given = <Fields extends Readonly<Record<string, Option.Option<unknown>>>>(fields: Fields) =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- getSomes forgets which name has which type
  Record.getSomes(fields) as { readonly [Name in keyof Fields]?: Option.Option.Value<Fields[Name]> }

export const make = <A extends { readonly [Id in Owner | "id"]: string }, Owner extends keyof A & IdOf>(
  collection: Collection<A, Owner>
) => {
  type Path = Pick<A, Owner | "id">
  const { columns, json = identity, kind, rows = (record, now) => Rows.rows(json(record, now)) } = collection

  const act = <B>(
    event: Audit.Event,
    path: Path,
    fields: Audit.Fields,
    f: (records: Administration.Collection<A, Owner>, entry: Audit.Entry) => Effect.Effect<B, Failure.OfAdministration>
  ) => {
    const owner = Object.fromEntries(collection.owner.map((name) => [name, path[name]]))
    const all = { ...owner, [collection.id]: path.id, ...fields }
    // all others are in one
    const mayBeNew = event === "organization.created"
    return Session.change(event, all, (administration, entry) => f(collection.in(administration), entry), mayBeNew)
  }

  const show = (record: A, more: More = {}) =>
    Effect.flatMap(DateTime.now, (now) =>
      Format.print(
        { ...json(record, now), ...more.json },
        (width) => [...Table.record([...rows(record, now), ...(more.rows ?? [])], width), ...(more.notes ?? [])],
        kind
      )
    )

  const table = Effect.fnUntraced(function* (records: ReadonlyArray<A>, labels: ReadonlyArray<string> = columns) {
    const now = yield* DateTime.now
    const cells = (record: A) => {
      const values = new Map(rows(record, now))
      return labels.map((label) => String(values.get(label) ?? ""))
    }
    const shown = records.map((record) => json(record, now))
    yield* Format.print(shown, (width) => Table.columns([labels, ...records.map(cells)], width), kind)
  })
  const all = (owner: Pick<A, Owner>) => Session.read((administration) => collection.in(administration).list(owner))
  const list = (owner: Pick<A, Owner>) => Effect.flatMap(all(owner), (records) => table(records))

  const add = (record: A, fields: Audit.Fields = {}, made: (record: A) => void = constVoid) =>
    act(`${kind}.created`, record, fields, (records, entry) =>
      Effect.andThen(
        records.create(record, entry),
        Effect.sync(() => made(record))
      )
    )
  const create = (record: A) => Effect.andThen(add(record), show(record))

  const alter = (event: Audit.Event, path: Path, f: (current: A) => A, fields: Audit.Fields) =>
    act(event, path, fields, (records, entry) => records.update(path, f, entry))
  const change = (...act: Parameters<typeof alter>) => Effect.flatMap(alter(...act), (record) => show(record))

  const update = Effect.fnUntraced(function* (
    path: Path,
    changes: Partial<A>,
    flags: string,
    fields: Audit.Fields = {},
    tidy: (record: A) => A = identity
  ) {
    const names = Object.keys(changes)
    if (names.length === 0) return yield* Failure.usage(`there is nothing to change: pass ${flags}`)
    const all = { changed: names.join(","), ...fields }
    yield* change(`${kind}.changed`, path, (current) => tidy({ ...current, ...changes }), all)
  })

  const take = (path: Path) => act(`${kind}.deleted`, path, {}, (records, entry) => records.delete(path, entry))

  const remove = Effect.fnUntraced(function* (path: Path, yes: boolean) {
    if (!yes) {
      const record = (yield* all(path)).find(({ id }) => id === path.id)
      const labels = new Map(record && rows(record, yield* DateTime.now))
      const known = ["Name", "Last used"].filter((label) => labels.has(label))
      const facts = known.map((label) => `${label.toLowerCase()}: ${Rows.brief(labels.get(label))}`).join(", ")
      yield* Confirm.deletion(`the ${kind} ${path.id}${facts === "" ? "" : ` (${facts})`}`)
    }
    yield* take(path)
    yield* Format.print({ deleted: path.id }, () => [`Deleted  ${path.id}`])
  })

  return { show, table, list, add, create, alter, change, update, take, remove }
}

export const describe = (description: string, line = "", comment?: string) =>
  Commands.described(description, [`${line} --database cloud.db`.trim(), comment])
