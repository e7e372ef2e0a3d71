import { expect } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted, Schema, Stream, Struct } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import { Administration } from "@cloud-management/service/Administration"
import { ApiKeySecret, type Audit, Seed } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import type { ApiKey } from "@cloud-management/service/KeyStore"
import { Fixtures } from "@cloud-management/testing"
import { contract, type Steps } from "./StoreContract.ts"

const { acme, analytics, backupKey, globex, readyEndpoint } = Fixtures
const unknown = "00000000-0000-4000-8000-000000000000"
const id = (n: number) => `c0000000-0000-4000-8000-00000000000${n}`

const key = (n: number, more: Partial<ApiKey> = {}): ApiKey => ({
  id: ApiKeyId.make(id(n)),
  organizationId: acme,
  name: `key ${n}`,
  digest: "0".repeat(64),
  state: "enabled",
  expiresAt: undefined,
  createdAt: DateTime.makeUnsafe("2026-01-02T03:04:05.006Z"),
  lastUsedAt: undefined,
  ...more
})
const endpoint = {
  organizationId: acme,
  serviceId: analytics,
  id: ReversePrivateEndpointId.make(id(1)),
  description: "new",
  type: "VPC_RESOURCE",
  status: "Provisioning",
  dnsNames: ["a.example.com"],
  privateDnsNames: [],
  vpcResourceShareArn: "arn:x"
}

const entry: Audit.Entry = { event: "key.changed", actor: "operator:tester", keyId: id(1) }

export type Case<R> = (admin: Administration["Service"], store: Store["Service"]) => Steps<R>

export const administrationContract = <R, E, E2>(
  name: string,
  store: Layer.Layer<Store | Administration, E, R>,
  over: Layer.Layer<R, E2>
) =>
  contract(`an operator, over ${name},`, store, over, (define) => {
    const testEmpty = (name: string, body: Case<Store | Administration | R>) =>
      define(name, function* () {
        yield* body(yield* Administration, yield* Store)
      })
    const test: typeof testEmpty = (name, body) =>
      testEmpty(name, function* (admin, store) {
        yield* store.seed(yield* Seed.fromDocument(Fixtures.seed))
        yield* body(admin, store)
      })

    const actor = "operator:tester"
    // only databases number their records
    const recorded = (admin: Administration["Service"]) =>
      Effect.map(Stream.runCollect(admin.audit.all), (records) => records.map((record) => Struct.omit(record, ["id"])))
    const names = (admin: Administration["Service"]) =>
      Effect.map(recorded(admin), (records) => records.map(({ audit }) => audit))

    test("lists what an owner has, by ID, and nothing else", function* (admin) {
      expect((yield* admin.organizations.list({})).map(({ id }) => id)).toEqual([acme, globex])
      expect((yield* admin.services.list({ organizationId: acme })).map(({ id }) => id)).toEqual([analytics])
      for (const n of [2, 1]) yield* admin.apiKeys.create(key(n, { organizationId: globex }), entry)
      const keys = yield* admin.apiKeys.list({ organizationId: globex })
      expect(keys.map(({ id }) => id)).toEqual([Fixtures.globexKey.id, id(1), id(2)])
      const endpoints = yield* admin.reversePrivateEndpoints.list({ organizationId: acme, serviceId: analytics })
      expect(endpoints.map(({ id }) => id)).toEqual([readyEndpoint, Fixtures.pendingEndpoint])
    })

    test("changes a record, and not its path", function* (admin, store) {
      const path = { organizationId: acme, id: backupKey.id }
      const elsewhere = { id: ApiKeyId.make(unknown), organizationId: globex }
      const changed = yield* admin.apiKeys.update(
        path,
        (current) => ({ ...current, ...elsewhere, state: "disabled", name: "renamed" }),
        entry
      )
      expect(changed).toMatchObject({ ...path, state: "disabled", name: "renamed" })
      expect(yield* store.apiKey(backupKey.id)).toEqual(Option.some(changed))
      expect(yield* store.apiKey(elsewhere.id)).toEqual(Option.none())
      expect((yield* admin.apiKeys.list(path)).filter((key) => key.name === "renamed")).toHaveLength(1)

      const endpoint = { organizationId: acme, serviceId: analytics, id: readyEndpoint }
      const moved = yield* admin.reversePrivateEndpoints.update(
        endpoint,
        ({ endpointId: _removed, ...current }) => ({
          ...current,
          id: ReversePrivateEndpointId.make(unknown),
          organizationId: globex,
          vpcEndpointServiceName: "renamed"
        }),
        entry
      )
      expect(moved).toMatchObject({ ...endpoint, description: "orders", vpcEndpointServiceName: "renamed" })
      expect(moved).not.toHaveProperty("endpointId")
      expect((yield* admin.reversePrivateEndpoints.list(endpoint))[0]).toEqual(moved)
    })

    test("deletes a service and an organization once nothing belongs to them", function* (admin, store) {
      const service = { organizationId: globex, id: ServiceId.make(Fixtures.globexService) }
      const ofService = { organizationId: globex, serviceId: service.id }
      const deleteService = admin.services.delete(service, { event: "service.deleted" })
      const deleteOrganization = admin.organizations.delete({ id: globex }, { event: "organization.deleted" })
      const inUse = (kind: string, id: string) => ({ _tag: "InUse", kind, id })
      expect(yield* Effect.flip(deleteService)).toMatchObject(inUse("service", service.id))
      for (const endpoint of yield* admin.reversePrivateEndpoints.list(ofService)) {
        yield* admin.reversePrivateEndpoints.delete(endpoint, entry)
      }
      expect(yield* Effect.flip(deleteOrganization)).toMatchObject(inUse("organization", globex))
      yield* deleteService
      expect(yield* Effect.flip(deleteService)).toMatchObject({ _tag: "NotFound", kind: "service" })
      expect(yield* Effect.flip(deleteOrganization)).toMatchObject(inUse("organization", globex))
      expect(Option.isSome(yield* store.apiKey(Fixtures.globexKey.id))).toBe(true)
      for (const key of yield* admin.apiKeys.list({ organizationId: globex })) yield* admin.apiKeys.delete(key, entry)
      yield* deleteOrganization
      expect(yield* Effect.flip(deleteOrganization)).toMatchObject({ _tag: "NotFound", kind: "organization" })
      expect((yield* admin.organizations.list({})).map(({ id }) => id)).toEqual([acme])
      expect((yield* names(admin)).slice(-1)).toEqual(["organization.deleted"])
      expect(yield* admin.services.list({ organizationId: acme })).toHaveLength(1)
    })

    test("rotates a key: both work until the old one expires, or neither has changed", function* (admin, store) {
      yield* TestClock.setTime(Date.UTC(2026, 0))
      const path = { organizationId: acme, id: backupKey.id }
      const later = DateTime.makeUnsafe("2100-01-01")
      const entries = [
        { event: "key.created", keyId: id(1) },
        { event: "key.rotated", keyId: backupKey.id }
      ] as const
      const rotate = (expiresAt: DateTime.Utc, successor = key(1), of: typeof path = path) =>
        admin.rotateApiKey(of, successor, expiresAt, entries)
      const active: Partial<ApiKey> = { state: "enabled", expiresAt: undefined }
      const refusals: ReadonlyArray<readonly [tag: string, change: Partial<ApiKey>, ReturnType<typeof rotate>]> = [
        ["AlreadyExists", active, rotate(later, key(1, { id: Fixtures.deployKey.id }))],
        ["NotFound", active, rotate(later, key(1), { ...path, organizationId: globex })],
        // its successor would work
        ["KeyInactive", { state: "disabled" }, rotate(later)],
        ["KeyInactive", { ...active, expiresAt: DateTime.makeUnsafe("2020-01-01") }, rotate(later)]
      ]
      const change = (change: Partial<ApiKey>) =>
        admin.apiKeys.update(path, (current) => ({ ...current, ...change }), entry)
      for (const [_tag, state, rotation] of refusals) {
        const before = yield* change(state)
        const acts = yield* names(admin)
        expect(yield* Effect.flip(rotation)).toMatchObject({ _tag })
        expect(yield* store.apiKey(backupKey.id)).toEqual(Option.some(before))
        expect(yield* store.apiKey(key(1).id)).toEqual(Option.none())
        expect(yield* names(admin)).toEqual(acts)
      }
      const expiry = Effect.map(store.apiKey(backupKey.id), (key) => Option.getOrThrow(key).expiresAt)
      yield* change(active)
      yield* rotate(later)
      expect(yield* expiry).toEqual(later)
      expect(yield* store.apiKey(key(1).id)).toEqual(Option.some(key(1)))
      expect((yield* names(admin)).slice(-2)).toEqual(["key.created", "key.rotated"])
      yield* rotate(DateTime.makeUnsafe("2101-01-01"), key(2))
      expect(yield* expiry).toEqual(later)
    })

    test("is told what is missing, and changes nothing then", function* (admin, store) {
      const organizationId = OrganizationId.make(unknown)
      const serviceId = ServiceId.make(unknown)
      const noOrganization = { _tag: "NotFound", kind: "organization", id: unknown }
      const noService = { _tag: "NotFound", kind: "service", id: unknown }
      const ofOther = { ...endpoint, organizationId: globex }
      const noKey = { _tag: "NotFound", kind: "key", id: backupKey.id }
      const { apiKeys, organizations, reversePrivateEndpoints, services } = admin
      const refusals: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, object]> = [
        [organizations.update({ id: organizationId }, (same) => same, entry), noOrganization],
        [services.list({ organizationId }), noOrganization],
        [services.create({ organizationId, id: serviceId, name: "" }, entry), noOrganization],
        [apiKeys.list({ organizationId }), noOrganization],
        [apiKeys.create(key(1, { organizationId }), entry), noOrganization],
        [reversePrivateEndpoints.list({ organizationId: acme, serviceId }), noService],
        [reversePrivateEndpoints.create({ ...endpoint, serviceId }, entry), noService],
        // a service of another organization
        [reversePrivateEndpoints.create(ofOther, entry), { ...noService, id: analytics }],
        [apiKeys.update({ organizationId: globex, id: backupKey.id }, (same) => same, entry), noKey],
        [apiKeys.delete({ organizationId: globex, id: backupKey.id }, entry), noKey]
      ]
      for (const [act, refusal] of refusals) expect(yield* Effect.flip(act)).toMatchObject(refusal)
      expect(Option.isSome(yield* store.apiKey(backupKey.id))).toBe(true)
      expect(yield* store.apiKey(key(1).id)).toEqual(Option.none())
    })

    test("is told that an ID is taken, and leaves what has it", function* (admin, store) {
      const before = yield* store.apiKey(backupKey.id)
      // also by the key of another organization
      const taken = key(1, { id: backupKey.id, organizationId: globex })
      expect(yield* Effect.flip(admin.apiKeys.create(taken, entry))).toMatchObject({ _tag: "AlreadyExists" })
      expect(yield* store.apiKey(backupKey.id)).toEqual(before)
      const again = admin.services.create({ organizationId: acme, id: analytics, name: "again" }, entry)
      expect(yield* Effect.flip(again)).toMatchObject({ _tag: "AlreadyExists", kind: "service" })
    })

    testEmpty("exports a seed that makes an equal database, and that holds no secret", function* (admin, { seed }) {
      // services and endpoints of several owners with one ID each, and times
      const again = { id: analytics, reversePrivateEndpoints: [{ id: readyEndpoint, type: "x", status: "y" }] }
      const times = { createdAt: "2026-01-02T03:04:05.006Z", lastUsedAt: "2026-01-02T04:00:00.000Z" }
      const given = yield* Seed.fromDocument({
        organizations: Fixtures.seed.organizations.map(({ apiKeys = [], services = [], ...organization }) => ({
          ...organization,
          apiKeys: apiKeys.map((key) => (key.id === backupKey.id ? { ...key, ...times } : key)),
          services:
            organization.id === acme ? [...services, { ...again, id: Fixtures.globexService }] : [again, ...services]
        }))
      })
      yield* seed(given)
      const document = yield* Schema.encodeEffect(Seed.Seed)(yield* admin.export)
      const { organizations } = yield* Schema.encodeEffect(Seed.Seed)(given)
      expect(document.organizations).toEqual(
        organizations.map((organization) => ({
          ...organization,
          apiKeys: organization.apiKeys?.map(({ secret = "", ...key }) => ({
            ...key,
            digest: ApiKeySecret.digest(Redacted.make(secret))
          }))
        }))
      )
      const second = yield* Effect.gen(function* () {
        const { seed } = yield* Store
        expect(yield* seed(yield* Seed.fromDocument(document))).toBe(true)
        return yield* (yield* Administration).export
      }).pipe(Effect.provide(Layer.fresh(store)))
      expect(yield* Schema.encodeEffect(Seed.Seed)(second)).toEqual(document)
    })

    test("deletes what has its ID under another owner too only under one", function* (admin) {
      const twin = { organizationId: acme, id: Fixtures.globexService, name: "" }
      const twinEndpoint = { ...endpoint, serviceId: twin.id, id: Fixtures.globexEndpoint }
      yield* admin.services.create(twin, entry)
      yield* admin.reversePrivateEndpoints.create(twinEndpoint, entry)
      yield* admin.reversePrivateEndpoints.delete(twinEndpoint, entry)
      yield* admin.services.delete(twin, entry)
      const other = { organizationId: globex, serviceId: twin.id }
      expect(yield* admin.reversePrivateEndpoints.list(other)).toHaveLength(1)
    })

    test("makes, changes and deletes what the API shows, with a record of each act in their order, and none of one that failed", function* (admin, store) {
      const organizationId = OrganizationId.make(id(1))
      const createdAt = DateTime.makeUnsafe("2026-01-02T03:04:05.006Z")
      const organization = { id: organizationId, name: "New", createdAt, privateEndpoints: [], byocConfig: [] }
      const service = { organizationId, id: ServiceId.make(id(2)), name: "s" }
      const newEndpoint = { ...endpoint, organizationId, serviceId: service.id }
      const of = (event: Audit.Event): Audit.Entry => ({ event, actor, organizationId })
      const ofKey = (event: Audit.Event): Audit.Entry => ({ ...of(event), keyId: key(3).id })
      const made = key(3, { organizationId })
      const path = { organizationId, id: made.id }
      const { apiKeys, organizations, reversePrivateEndpoints, services } = admin
      const acts: ReadonlyArray<readonly [Audit.Entry, (entry: Audit.Entry) => Effect.Effect<unknown, unknown>]> = [
        [of("organization.created"), (entry) => organizations.create(organization, entry)],
        [of("organization.changed"), (entry) => organizations.update(organization, (same) => same, entry)],
        [of("service.created"), (entry) => services.create(service, entry)],
        [of("service.changed"), (entry) => services.update(service, (same) => same, entry)],
        [ofKey("key.created"), (entry) => apiKeys.create(made, entry)],
        [of("endpoint.created"), (entry) => reversePrivateEndpoints.create(newEndpoint, entry)],
        [of("endpoint.changed"), (entry) => reversePrivateEndpoints.update(newEndpoint, (same) => same, entry)],
        [of("endpoint.deleted"), (entry) => reversePrivateEndpoints.delete(newEndpoint, entry)],
        [ofKey("key.disabled"), (entry) => apiKeys.update(path, (same) => ({ ...same, state: "disabled" }), entry)],
        [ofKey("key.deleted"), (entry) => apiKeys.delete(path, entry)],
        [of("service.deleted"), (entry) => services.delete(service, entry)],
        [of("organization.deleted"), (entry) => organizations.delete(organization, entry)]
      ]
      const content = yield* admin.export
      const before = yield* DateTime.now
      for (const [entry, act] of acts.slice(0, 7)) yield* act(entry)
      expect(yield* store.organization(made.id)).toMatchObject({ found: Option.some(organization) })
      const { found } = yield* store.reversePrivateEndpoint(made.id, organizationId, service.id, endpoint.id)
      expect(found).toEqual(Option.some(Struct.omit(newEndpoint, ["organizationId"])))
      for (const [entry, act] of acts.slice(7)) yield* act(entry)
      const after = yield* DateTime.now
      // what they made is gone, and nothing else
      expect(yield* admin.export).toEqual(content)
      for (const [entry, act] of acts.slice(1))
        expect(yield* Effect.flip(act(entry))).toMatchObject({ _tag: "NotFound" })
      const taken = { id: acme, name: "", createdAt, privateEndpoints: [], byocConfig: [] }
      yield* Effect.flip(organizations.create(taken, of("organization.created")))

      const records = yield* recorded(admin)
      const named: Readonly<Record<string, object>> = {
        organization: { name: organization.name },
        service: { name: service.name },
        key: { name: made.name }
      }
      expect(records).toEqual(
        acts.map(([{ event, ...fields }]) => ({
          time: expect.anything(),
          audit: event,
          outcome: "success",
          ...fields,
          ...named[event.replace(/\..*/, "")]
        }))
      )
      for (const { time } of records) {
        expect(DateTime.between(time, { minimum: before, maximum: after })).toBe(true)
      }
    })

    test("finds the record of a deletion by a key, and none of one that was refused", function* (admin, store) {
      const deletion: Audit.Entry = {
        event: "key.deleted",
        actor: `key:${Fixtures.deployKey.id}`,
        organizationId: acme,
        keyId: backupKey.id,
        requestId: "r-1",
        address: "203.0.113.9\u202e",
        reason: undefined
      }
      const remove = (caller: ApiKeyId) => store.deleteApiKey(acme, backupKey.id, caller, deletion)
      expect(yield* remove(Fixtures.disabledKey.id)).toBe("caller-inactive")
      expect(yield* recorded(admin)).toEqual([])
      expect(yield* remove(Fixtures.deployKey.id)).toBe("deleted")
      expect(yield* remove(Fixtures.deployKey.id)).toBe("not-found")
      const { event: audit, reason: _, ...fields } = deletion
      const record = { ...fields, audit, outcome: "success", name: "backup", address: "203.0.113.9%E2%80%AE" }
      expect(yield* recorded(admin)).toEqual([{ time: expect.anything(), ...record }])
    })

    const filled: Audit.Entry = { event: "database.seeded", actor }
    testEmpty("is not filled once it has a record, so that no deleted key comes back", function* (admin, { seed }) {
      const organization = { id: OrganizationId.make(id(1)), name: "", createdAt: yield* DateTime.now }
      yield* admin.organizations.create({ ...organization, privateEndpoints: [], byocConfig: [] }, entry)
      yield* admin.organizations.delete(organization, entry)
      const fill = seed(yield* Seed.fromDocument(Fixtures.seed), filled)
      expect(yield* fill).toBe(false)
      yield* admin.audit.prune(yield* DateTime.now, { event: "audit.pruned", actor })
      expect(yield* fill).toBe(false)
      expect(yield* admin.organizations.list({})).toEqual([])
    })

    test("finds records by the moment, by the key that acted or was acted on, and by the name of what was", function* (admin, store) {
      const append = (event: Audit.Event, keyId?: string, more?: Audit.Fields) =>
        admin.audit.append({ event, keyId, ...more })
      yield* append("key.created", id(1))
      yield* append("key.created", id(2))
      yield* TestClock.adjust("2 millis")
      const since = yield* DateTime.now
      yield* append("key.deleted", id(1))
      yield* append("database.exported")
      expect(yield* names(admin)).toEqual(["key.created", "key.created", "key.deleted", "database.exported"])
      for (const [filter, most, expected] of [
        [{}, 2, ["database.exported", "key.deleted"]],
        [{ keyId: id(1) }, 9, ["key.deleted", "key.created"]],
        [{ keyId: id(1) }, 1, ["key.deleted"]],
        [{ since }, 9, ["database.exported", "key.deleted"]],
        [{ since }, 1, ["database.exported"]],
        [{ since, keyId: id(1) }, 9, ["key.deleted"]],
        [{ since, keyId: id(2) }, 9, []]
      ] as const) {
        expect((yield* admin.audit.list(filter, most)).map(({ audit }) => audit)).toEqual(expected)
      }
      const { id: caller } = Fixtures.deployKey
      const ofKey = (event: Audit.Event, keyId: string, by?: string): Audit.Entry => ({
        event,
        keyId,
        actor: by === undefined ? actor : `key:${by}`
      })
      yield* store.deleteApiKey(acme, backupKey.id, caller, ofKey("key.deleted", backupKey.id, caller))
      const path = { organizationId: acme, id: Fixtures.expiredKey.id }
      const rename = (name: string) =>
        admin.apiKeys.update(path, (same) => ({ ...same, name }), ofKey("key.changed", path.id))
      yield* rename("50%\u202e")
      yield* rename("new")
      yield* append("key.rotated", path.id, { successorId: id(3) })
      yield* admin.apiKeys.delete(path, ofKey("key.deleted", path.id))
      yield* admin.services.create({ organizationId: acme, id: ServiceId.make(id(4)), name: "new" }, entry)
      for (const [filter, expected] of [
        [{ involved: caller }, ["key.deleted backup"]],
        [{ involved: caller, since }, ["key.deleted backup"]],
        [{ involved: caller, name: "new" }, []],
        [{ keyId: caller }, []],
        [{ involved: id(3) }, ["key.rotated undefined"]],
        [{ name: "backup" }, ["key.deleted backup"]],
        [{ name: "expired" }, ["key.changed expired"]],
        [{ name: "50%\u202e" }, ["key.changed 50%\u202e"]],
        [{ name: "new" }, ["key.changed new", "key.deleted new"]]
      ] as const) {
        const found = yield* admin.audit.list(filter, 9)
        expect(found.map(({ audit, name }) => `${audit} ${name}`)).toEqual(expected)
      }
    })
  })
