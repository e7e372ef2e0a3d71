import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import {
  Administration,
  AlreadyExists,
  InUse,
  KeyInactive,
  NotFound,
  type Collection,
  type Organization,
  type ReversePrivateEndpoint,
  type Service
} from "./Administration.ts"
import * as Content from "./rows/content.ts"
import * as Expiry from "./internal/expiry.ts"
import * as Tables from "./rows/tables.ts"
import * as MemoryAudit from "./rows/memoryAudit.ts"
import { isActive, Store, type ApiKey } from "./Store.ts"

/** The records of a table, by their primary keys. */
type Records<A> = Map<string, A>

const sorted = <A extends { readonly id: string }>(records: Iterable<A>) =>
  [...records].toSorted((a, b) => (a.id < b.id ? -1 : 1))

const keyOf = <Field extends string>(fields: ReadonlyArray<Field>, path: Readonly<Record<Field, string>>) =>
  fields.map((field) => path[field]).join("/")

const collection = <A extends Readonly<Record<Owner | "id", string>>, Owner extends keyof A & string>(
  { kind, owners, parent, primaryKey }: Tables.Table<A, Owner>,
  records: Records<A>,
  trail: MemoryAudit.Trail,
  related: {
    readonly owners?: Records<unknown>
    /** What belongs to records, and how their ids are named in it. */
    readonly children?: ReadonlyArray<readonly [Records<object>, id: string]>
  }
): Collection<A, Owner> => {
  const idOf = (path: Pick<A, Owner | "id">) => keyOf<Owner | "id">(primaryKey, path)
  const isOf = (record: A, owner: Pick<A, Owner>) => owners.every((name) => record[name] === owner[name])
  const find = (path: Pick<A, Owner | "id">) => {
    const record = records.get(idOf(path))
    return record !== undefined && isOf(record, path) ? record : undefined
  }
  const notFound = ({ id }: Pick<A, "id">) => new NotFound({ kind, id })
  const last = owners.at(-1)
  const missingOwner = (owner: Pick<A, Owner>) =>
    parent === undefined || last === undefined || related.owners?.has(keyOf<Owner>(owners, owner)) === true
      ? undefined
      : new NotFound({ kind: parent.kind, id: owner[last] })
  const isInUse = (path: Pick<A, Owner | "id">) => {
    const { children = [] } = related
    return children.some(([children, id]) =>
      Array.from(children.values()).some(
        (child) => Reflect.get(child, id) === path.id && owners.every((name) => Reflect.get(child, name) === path[name])
      )
    )
  }
  return {
    list: Effect.fnUntraced(function* (owner) {
      const missing = missingOwner(owner)
      if (missing !== undefined) return yield* missing
      return sorted([...records.values()].filter((record) => isOf(record, owner)))
    }),
    create: Effect.fnUntraced(function* (added, entry) {
      const now = yield* Clock.currentTimeMillis
      const missing = missingOwner(added)
      if (missing !== undefined) return yield* missing
      if (records.has(idOf(added))) return yield* new AlreadyExists({ kind, id: added.id })
      records.set(idOf(added), added)
      trail.append(entry, now)
    }),
    update: Effect.fnUntraced(function* (path, f, entry) {
      const now = yield* Clock.currentTimeMillis
      const current = find(path)
      if (current === undefined) return yield* notFound(path)
      const updated = { ...f(current), ...path }
      records.set(idOf(path), updated)
      trail.append(entry, now)
      return updated
    }),
    delete: Effect.fnUntraced(function* (path, entry) {
      const now = yield* Clock.currentTimeMillis
      if (find(path) === undefined) return yield* notFound(path)
      if (isInUse(path)) return yield* new InUse({ kind, id: path.id })
      records.delete(idOf(path))
      trail.append(entry, now)
    })
  }
}

/**
 * A store in memory, initially empty; every step is atomic, because no other fiber runs during one.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Store | Administration> = Layer.effectContext(
  Effect.sync(() => {
    const organizations = new Map<string, Organization>()
    const apiKeys = new Map<string, ApiKey>()
    const services = new Map<string, Service>()
    const endpoints = new Map<string, ReversePrivateEndpoint>()
    const trail = MemoryAudit.make()
    const serviceKey = (path: Pick<Service, "organizationId" | "id">) => keyOf(Tables.services.primaryKey, path)
    const endpointKey = (path: Pick<ReversePrivateEndpoint, "organizationId" | "serviceId" | "id">) =>
      keyOf(Tables.reversePrivateEndpoints.primaryKey, path)

    const apiKey = (id: ApiKeyId) => Option.fromUndefinedOr(apiKeys.get(id))
    const store = Store.of({
      apiKey: (id) => Effect.sync(() => apiKey(id)),
      organization: (id) =>
        Effect.sync(() => {
          const caller = apiKey(id)
          return {
            caller,
            found: Option.flatMap(caller, ({ organizationId }) =>
              Option.fromUndefinedOr(organizations.get(organizationId))
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
              const found = endpoints.get(endpointKey({ organizationId, serviceId, id }))
              return Option.map(Option.fromUndefinedOr(found), ({ organizationId: _owner, ...endpoint }) => endpoint)
            })
          }
        }),
      deleteApiKey: (organizationId, id, caller, entry) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            const callerKey = apiKeys.get(caller)
            const now = clock.currentTimeMillisUnsafe()
            if (callerKey === undefined || !isActive(callerKey, Expiry.now(clock))) return "caller-inactive"
            if (apiKeys.get(id)?.organizationId !== organizationId) return "not-found"
            apiKeys.delete(id)
            trail.append(entry, now)
            return "deleted"
          })
        ),
      recordUse: (ids, hour) =>
        Effect.sync(() => {
          for (const id of ids) {
            const key = apiKeys.get(id)
            if (key === undefined) continue
            const { lastUsedAt = hour } = key
            apiKeys.set(id, { ...key, lastUsedAt: DateTime.max(lastUsedAt, hour) })
          }
        }),
      seed: Effect.fnUntraced(function* (seed, entry) {
        const now = yield* Clock.currentTimeMillis
        if (organizations.size > 0 || trail.all().length > 0) return false
        for (const organization of Content.organizations(seed)) organizations.set(organization.id, organization)
        for (const key of Content.seededKeys(seed)) apiKeys.set(key.id, Content.apiKeyOf(key))
        for (const service of Content.services(seed)) services.set(serviceKey(service), service)
        for (const endpoint of Content.reversePrivateEndpoints(seed)) endpoints.set(endpointKey(endpoint), endpoint)
        if (entry !== undefined) trail.append(entry, now)
        return true
      }),
      ping: Effect.void
    })

    const administration = Administration.of({
      organizations: collection(Tables.organizations, organizations, trail, {
        children: [
          [apiKeys, "organizationId"],
          [services, "organizationId"]
        ]
      }),
      services: collection(Tables.services, services, trail, {
        owners: organizations,
        children: [[endpoints, "serviceId"]]
      }),
      reversePrivateEndpoints: collection(Tables.reversePrivateEndpoints, endpoints, trail, { owners: services }),
      apiKeys: collection(Tables.apiKeys, apiKeys, trail, { owners: organizations }),
      rotateApiKey: Effect.fnUntraced(function* ({ id, organizationId }, successor, expiresAt, entries) {
        const clock = yield* Clock.Clock
        const now = clock.currentTimeMillisUnsafe()
        if (apiKeys.has(successor.id)) return yield* new AlreadyExists({ kind: "key", id: successor.id })
        const current = apiKeys.get(id)
        if (current?.organizationId !== organizationId) return yield* new NotFound({ kind: "key", id })
        if (!isActive(current, Expiry.now(clock))) return yield* new KeyInactive({ id })
        apiKeys.set(successor.id, successor)
        apiKeys.set(id, Content.expiring(current, expiresAt))
        for (const entry of entries) trail.append(entry, now)
      }),
      audit: {
        all: Stream.suspend(() => Stream.fromArray(trail.all())),
        list: (filter, most) => Effect.sync(() => trail.list(filter, most)),
        append: (entry) => Effect.map(Clock.currentTimeMillis, (now) => trail.append(entry, now)),
        prune: (before, entry) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            trail.append(entry, now)
            return trail.prune(before)
          })
      },
      export: Effect.sync(() =>
        Content.toSeed({
          organizations: sorted(organizations.values()),
          services: sorted(services.values()),
          reversePrivateEndpoints: sorted(endpoints.values()),
          apiKeys: sorted(apiKeys.values())
        })
      )
    })
    return Context.make(Store, store).pipe(Context.add(Administration, administration))
  })
)
