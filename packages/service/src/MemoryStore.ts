import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Administration, AlreadyExists, InUse, KeyInactive, NotFound, type Collection } from "./Administration.ts"
import * as Audit from "./Audit.ts"
import * as Content from "./rows/content.ts"
import * as Expiry from "./internal/expiry.ts"
import * as Tables from "./rows/tables.ts"
import { isActive, Store } from "./Store.ts"

const keyOf = <Field extends string>(fields: ReadonlyArray<Field>, path: Readonly<Record<Field, string>>) =>
  fields.map((field) => path[field]).join("/")

/** A table in memory beside others, by their names: its records by their primary keys, and their collection. */
const open = <A extends Readonly<Record<Owner | "id", string>>, Owner extends keyof A & string>(
  { children = [], kind, name, owners, parent, primaryKey }: Tables.Table<A, Owner>,
  tables: Map<string, ReadonlyMap<string, object>>,
  append: (entry: Audit.Entry, nowMillis: number) => void
) => {
  const records = new Map<string, A>()
  tables.set(name, records)
  const idOf = (path: Pick<A, Owner | "id">) => keyOf<Owner | "id">(primaryKey, path)
  const put = (record: A) => void records.set(idOf(record), record)
  const isOf = (record: A, owner: Pick<A, Owner>) => owners.every((name) => record[name] === owner[name])
  const find = (path: Pick<A, Owner | "id">) => {
    const record = records.get(idOf(path))
    return record !== undefined && isOf(record, path) ? record : undefined
  }
  const all = () => [...records.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const notFound = ({ id }: Pick<A, "id">) => new NotFound({ kind, id })
  const last = owners.at(-1)
  const missingOwner = (owner: Pick<A, Owner>) =>
    parent === undefined || last === undefined || tables.get(parent.name)?.has(keyOf<Owner>(owners, owner)) === true
      ? undefined
      : new NotFound({ kind: parent.kind, id: owner[last] })
  const isInUse = (path: Pick<A, Owner | "id">) =>
    children.some(([name, id]) =>
      [...(tables.get(name)?.values() ?? [])].some(
        (child) => Reflect.get(child, id) === path.id && owners.every((name) => Reflect.get(child, name) === path[name])
      )
    )
  const collection: Collection<A, Owner> = {
    list: Effect.fnUntraced(function* (owner) {
      const missing = missingOwner(owner)
      if (missing !== undefined) return yield* missing
      return all().filter((record) => isOf(record, owner))
    }),
    create: Effect.fnUntraced(function* (added, entry) {
      const now = yield* Clock.currentTimeMillis
      const missing = missingOwner(added)
      if (missing !== undefined) return yield* missing
      if (records.has(idOf(added))) return yield* new AlreadyExists({ kind, id: added.id })
      put(added)
      append(entry, now)
    }),
    update: Effect.fnUntraced(function* (path, f, entry) {
      const now = yield* Clock.currentTimeMillis
      const current = find(path)
      if (current === undefined) return yield* notFound(path)
      const updated = { ...f(current), ...path }
      put(updated)
      append(entry, now)
      return updated
    }),
    delete: Effect.fnUntraced(function* (path, entry) {
      const now = yield* Clock.currentTimeMillis
      if (find(path) === undefined) return yield* notFound(path)
      if (isInUse(path)) return yield* new InUse({ kind, id: path.id })
      records.delete(idOf(path))
      append(entry, now)
    })
  }
  return { all, collection, find, put, records }
}

/**
 * A store in memory, initially empty; every step is atomic, because no other fiber runs during one.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Store | Administration> = Layer.effectContext(
  Effect.sync(() => {
    let trail: Array<Audit.Record> = []
    const append = (entry: Audit.Entry, nowMillis: number) =>
      void trail.push(Audit.fromEntry(entry, DateTime.makeUnsafe(nowMillis)))
    const tables = new Map<string, ReadonlyMap<string, object>>()
    const organizations = open(Tables.organizations, tables, append)
    const apiKeys = open(Tables.apiKeys, tables, append)
    const services = open(Tables.services, tables, append)
    const endpoints = open(Tables.reversePrivateEndpoints, tables, append)

    const apiKey = (id: ApiKeyId) => Option.fromUndefinedOr(apiKeys.records.get(id))
    const store = Store.of({
      apiKey: (id) => Effect.sync(() => apiKey(id)),
      organization: (id) =>
        Effect.sync(() => {
          const caller = apiKey(id)
          return {
            caller,
            found: Option.flatMap(caller, ({ organizationId }) =>
              Option.fromUndefinedOr(organizations.records.get(organizationId))
            )
          }
        }),
      reversePrivateEndpoint: (caller, organizationId, serviceId, id) =>
        Effect.sync(() => {
          const key = apiKey(caller)
          const own = Option.filter(key, (key) => key.organizationId === organizationId)
          return {
            caller: key,
            found: Option.flatMap(own, () => {
              const found = endpoints.find({ organizationId, serviceId, id })
              return Option.map(Option.fromUndefinedOr(found), ({ organizationId: _owner, ...endpoint }) => endpoint)
            })
          }
        }),
      deleteApiKey: (organizationId, id, caller, entry) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            const callerKey = apiKeys.records.get(caller)
            const now = clock.currentTimeMillisUnsafe()
            if (callerKey === undefined || !isActive(callerKey, Expiry.now(clock))) return "caller-inactive"
            if (apiKeys.find({ organizationId, id }) === undefined) return "not-found"
            apiKeys.records.delete(id)
            append(entry, now)
            return "deleted"
          })
        ),
      recordUse: (ids, hour) =>
        Effect.sync(() => {
          for (const id of ids) {
            const key = apiKeys.records.get(id)
            if (key === undefined) continue
            const { lastUsedAt = hour } = key
            apiKeys.put({ ...key, lastUsedAt: DateTime.max(lastUsedAt, hour) })
          }
        }),
      seed: Effect.fnUntraced(function* (seed, entry) {
        const now = yield* Clock.currentTimeMillis
        if (organizations.records.size > 0 || trail.length > 0) return false
        Content.organizations(seed).forEach(organizations.put)
        for (const key of Content.seededKeys(seed)) apiKeys.put(Content.apiKeyOf(key))
        Content.services(seed).forEach(services.put)
        Content.reversePrivateEndpoints(seed).forEach(endpoints.put)
        if (entry !== undefined) append(entry, now)
        return true
      }),
      ping: Effect.void
    })

    const administration = Administration.of({
      organizations: organizations.collection,
      services: services.collection,
      reversePrivateEndpoints: endpoints.collection,
      apiKeys: apiKeys.collection,
      rotateApiKey: Effect.fnUntraced(function* (path, successor, expiresAt, entries) {
        const clock = yield* Clock.Clock
        const now = clock.currentTimeMillisUnsafe()
        if (apiKeys.records.has(successor.id)) return yield* new AlreadyExists({ kind: "key", id: successor.id })
        const current = apiKeys.find(path)
        if (current === undefined) return yield* new NotFound({ kind: "key", id: path.id })
        if (!isActive(current, Expiry.now(clock))) return yield* new KeyInactive({ id: path.id })
        apiKeys.put(successor)
        apiKeys.put(Content.expiring(current, expiresAt))
        for (const entry of entries) append(entry, now)
      }),
      audit: {
        all: Stream.suspend(() => Stream.fromArray(trail)),
        list: ({ keyId, since }, most) =>
          Effect.sync(() =>
            trail
              .filter(
                (record) =>
                  (since === undefined || DateTime.isGreaterThanOrEqualTo(record.time, since)) &&
                  (keyId === undefined || record.keyId === keyId)
              )
              .slice(-most)
              .toReversed()
          ),
        append: (entry) => Effect.map(Clock.currentTimeMillis, (now) => append(entry, now)),
        prune: (before, entry) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            append(entry, now)
            const count = trail.length
            trail = trail.filter(({ time }) => DateTime.isGreaterThanOrEqualTo(time, before))
            return count - trail.length
          })
      },
      export: Effect.sync(() =>
        Content.toSeed({
          organizations: organizations.all(),
          services: services.all(),
          reversePrivateEndpoints: endpoints.all(),
          apiKeys: apiKeys.all()
        })
      )
    })
    return Context.make(Store, store).pipe(Context.add(Administration, administration))
  })
)
