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
  type Kind,
  type Organization,
  type ReversePrivateEndpoint,
  type Service
} from "./Administration.ts"
import * as Content from "./internal/content.ts"
import * as Expiry from "./internal/expiry.ts"
import * as Trail from "./internal/trail.ts"
import { isActive, Store, type ApiKey } from "./Store.ts"

/** Records of one kind by what no two of them share: the ID, or the path. */
interface Table<A, Owner extends keyof A, Path> {
  readonly kind: Kind
  readonly records: Map<string, A>
  readonly keyOf: (path: Path) => string
  readonly owners: ReadonlyArray<Owner>
  /** Why there can be no records of this owner. */
  readonly missingOwner: (owner: Pick<A, Owner>) => NotFound | undefined
  /** Whether other records belong to a record. */
  readonly isInUse: (path: Path) => boolean
}

const sorted = <A extends { readonly id: string }>(records: Iterable<A>) =>
  [...records].toSorted((a, b) => (a.id < b.id ? -1 : 1))

const collection = <A extends Readonly<Record<Owner | "id", string>>, Owner extends keyof A>(
  { isInUse, keyOf, kind, missingOwner, owners, records }: Table<A, Owner, Pick<A, Owner | "id">>,
  trail: Trail.Trail
): Collection<A, Owner> => {
  const isOf = (record: A, owner: Pick<A, Owner>) => owners.every((name) => record[name] === owner[name])
  const find = (path: Pick<A, Owner | "id">) => {
    const record = records.get(keyOf(path))
    return record !== undefined && isOf(record, path) ? record : undefined
  }
  const notFound = ({ id }: Pick<A, "id">) => new NotFound({ kind, id })
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
      if (records.has(keyOf(added))) return yield* new AlreadyExists({ kind, id: added.id })
      records.set(keyOf(added), added)
      trail.append(entry, now)
    }),
    update: Effect.fnUntraced(function* (path, f, entry) {
      const now = yield* Clock.currentTimeMillis
      const current = find(path)
      if (current === undefined) return yield* notFound(path)
      const updated = { ...f(current), ...path }
      records.set(keyOf(path), updated)
      trail.append(entry, now)
      return updated
    }),
    delete: Effect.fnUntraced(function* (path, entry) {
      const now = yield* Clock.currentTimeMillis
      if (find(path) === undefined) return yield* notFound(path)
      if (isInUse(path)) return yield* new InUse({ kind, id: path.id })
      records.delete(keyOf(path))
      trail.append(entry, now)
    })
  }
}

type ServicePath = Pick<Service, "organizationId" | "id">
type EndpointPath = Pick<ReversePrivateEndpoint, "organizationId" | "serviceId" | "id">

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
    const servicePath = ({ id, organizationId }: ServicePath) => `${organizationId}/${id}`
    const endpointPath = ({ id, organizationId, serviceId }: EndpointPath) => `${organizationId}/${serviceId}/${id}`

    const trail = Trail.make()

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
              const found = endpoints.get(endpointPath({ organizationId, serviceId, id }))
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
        for (const service of Content.services(seed)) services.set(servicePath(service), service)
        for (const endpoint of Content.reversePrivateEndpoints(seed)) endpoints.set(endpointPath(endpoint), endpoint)
        if (entry !== undefined) trail.append(entry, now)
        return true
      }),
      ping: Effect.void
    })

    const missingOrganization = ({ organizationId: id }: Pick<Service, "organizationId">) =>
      organizations.has(id) ? undefined : new NotFound({ kind: "organization", id })
    const missingService = ({ organizationId, serviceId: id }: Pick<EndpointPath, "organizationId" | "serviceId">) =>
      services.has(servicePath({ organizationId, id })) ? undefined : new NotFound({ kind: "service", id })
    const administration = Administration.of({
      organizations: collection<Organization, never>(
        {
          kind: "organization",
          records: organizations,
          keyOf: ({ id }) => id,
          owners: [],
          missingOwner: () => undefined,
          isInUse: ({ id }) =>
            [...apiKeys.values(), ...services.values()].some(({ organizationId }) => organizationId === id)
        },
        trail
      ),
      services: collection<Service, "organizationId">(
        {
          kind: "service",
          records: services,
          keyOf: servicePath,
          owners: ["organizationId"],
          missingOwner: missingOrganization,
          isInUse: ({ id, organizationId }) =>
            [...endpoints.values()].some(
              (endpoint) => endpoint.organizationId === organizationId && endpoint.serviceId === id
            )
        },
        trail
      ),
      reversePrivateEndpoints: collection<ReversePrivateEndpoint, "organizationId" | "serviceId">(
        {
          kind: "endpoint",
          records: endpoints,
          keyOf: endpointPath,
          owners: ["organizationId", "serviceId"],
          missingOwner: missingService,
          isInUse: () => false
        },
        trail
      ),
      apiKeys: collection<ApiKey, "organizationId">(
        {
          kind: "key",
          records: apiKeys,
          keyOf: ({ id }) => id,
          owners: ["organizationId"],
          missingOwner: missingOrganization,
          isInUse: () => false
        },
        trail
      ),
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
