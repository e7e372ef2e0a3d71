import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import { Administration, layer as administration, type ApiKey } from "@cloud-management/service/Administration"
import * as ApiKeySecret from "@cloud-management/service/ApiKeySecret"
import * as Seed from "@cloud-management/service/Seed"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store, StoreUnavailable } from "@cloud-management/service/Store"
import * as Fixtures from "@cloud-management/testing/Fixtures"

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
  details: { vpcResourceShareArn: "arn:x" }
}

const seeded = Effect.flatMap(Store, (store) => Effect.flatMap(Seed.fromDocument(Fixtures.seed), store.seed))

/** What holds of an administration over any database. The layer gives an empty one each time. */
export const administrationContract = <R, E, E2>(
  database: string,
  client: Layer.Layer<SqlClient.SqlClient, E, R>,
  over: Layer.Layer<R, E2>
) =>
  // as in StoreContract: no clock of a test for the timers of a pool
  layer(over, { excludeTestServices: true, timeout: "3 minutes" })(`an operator, over ${database},`, (it) => {
    const both = Layer.fresh(
      Layer.mergeAll(SqlStore.layer, administration).pipe(Layer.provideMerge(client), Layer.orDie)
    )
    const test = <A, E>(
      name: string,
      body: (
        admin: Administration["Service"],
        store: Store["Service"]
      ) => Effect.Effect<A, E, SqlClient.SqlClient | R | Scope.Scope>
    ) =>
      it.effect(
        name,
        Effect.fnUntraced(function* () {
          yield* seeded
          return yield* body(yield* Administration, yield* Store)
        }, Effect.provide(both)),
        90_000
      )

    test("makes an organization, a service, a key and an endpoint, which the API then shows", (admin, store) =>
      Effect.gen(function* () {
        const organizationId = OrganizationId.make(id(1))
        const createdAt = DateTime.makeUnsafe("2026-01-02T03:04:05.006Z")
        const organization = { id: organizationId, name: "New", createdAt, privateEndpoints: [], byocConfig: [] }
        const serviceId = ServiceId.make(id(2))
        yield* admin.organizations.create(organization)
        yield* admin.services.create({ organizationId, id: serviceId, name: "s" })
        yield* admin.apiKeys.create(key(3, { organizationId }))
        yield* admin.reversePrivateEndpoints.create({ ...endpoint, organizationId, serviceId })
        expect((yield* store.organization(key(3).id)).found).toEqual(Option.some(organization))
        expect(yield* store.apiKey(key(3).id)).toEqual(Option.some(key(3, { organizationId })))
        const { details, organizationId: _, ...rest } = endpoint
        const { found } = yield* store.reversePrivateEndpoint(key(3).id, organizationId, serviceId, endpoint.id)
        expect(found).toEqual(Option.some({ ...rest, serviceId, ...details }))
      }))

    test("lists what an owner has, by ID, and nothing else", (admin) =>
      Effect.gen(function* () {
        expect((yield* admin.organizations.list({})).map(({ id }) => id)).toEqual([acme, globex])
        expect((yield* admin.services.list({ organizationId: acme })).map(({ id }) => id)).toEqual([analytics])
        const keys = yield* admin.apiKeys.list({ organizationId: globex })
        expect(keys.map(({ id }) => id)).toEqual([Fixtures.globexKey.id])
        const endpoints = yield* admin.reversePrivateEndpoints.list({ organizationId: acme, serviceId: analytics })
        expect(endpoints.map(({ id }) => id)).toEqual([readyEndpoint, Fixtures.pendingEndpoint])
      }))

    test("changes a record, and not its path", (admin, store) =>
      Effect.gen(function* () {
        const path = { organizationId: acme, id: backupKey.id }
        const changed = yield* admin.apiKeys.change(path, (current) => ({
          ...current,
          id: ApiKeyId.make(unknown),
          organizationId: globex,
          state: "disabled",
          name: "renamed"
        }))
        expect(changed).toMatchObject({ ...path, state: "disabled", name: "renamed" })
        expect(yield* store.apiKey(backupKey.id)).toEqual(Option.some(changed))
        expect(yield* store.apiKey(ApiKeyId.make(unknown))).toEqual(Option.none())
        expect(
          (yield* admin.apiKeys.list({ organizationId: acme })).filter((key) => key.name === "renamed")
        ).toHaveLength(1)
      }))

    test("goes on when a version to come adds columns", (admin) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const work = Effect.gen(function* () {
          yield* admin.export
          yield* admin.apiKeys.list({ organizationId: acme })
          yield* admin.apiKeys.change({ organizationId: acme, id: backupKey.id }, (current) => current)
        })
        yield* work
        for (const table of ["organizations", "api_keys", "services", "reverse_private_endpoints"]) {
          yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN to_come text NOT NULL DEFAULT 'x'`
        }
        yield* work
      }))

    test("deletes a key and an endpoint", (admin, store) =>
      Effect.gen(function* () {
        yield* admin.apiKeys.remove({ organizationId: acme, id: backupKey.id })
        expect(yield* store.apiKey(backupKey.id)).toEqual(Option.none())
        const path = { organizationId: acme, serviceId: analytics, id: readyEndpoint }
        yield* admin.reversePrivateEndpoints.remove(path)
        expect(yield* Effect.flip(admin.reversePrivateEndpoints.remove(path))).toMatchObject({ _tag: "Missing" })
        expect(yield* admin.reversePrivateEndpoints.list(path)).toHaveLength(1)
      }))

    test("is told what is missing, and changes nothing then", (admin, store) =>
      Effect.gen(function* () {
        const organizationId = OrganizationId.make(unknown)
        const serviceId = ServiceId.make(unknown)
        const noOrganization = { _tag: "Missing", kind: "organization", id: unknown }
        const noService = { _tag: "Missing", kind: "service", id: unknown }
        const noKey = { _tag: "Missing", kind: "key", id: backupKey.id }
        const { apiKeys, organizations, reversePrivateEndpoints, services } = admin
        const refusals: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, object]> = [
          [organizations.change({ id: organizationId }, (same) => same), noOrganization],
          [services.list({ organizationId }), noOrganization],
          [services.create({ organizationId, id: serviceId, name: "" }), noOrganization],
          [apiKeys.list({ organizationId }), noOrganization],
          [apiKeys.create(key(1, { organizationId })), noOrganization],
          [reversePrivateEndpoints.list({ organizationId: acme, serviceId }), noService],
          [reversePrivateEndpoints.create({ ...endpoint, serviceId }), noService],
          // a service of another organization
          [
            reversePrivateEndpoints.create({ ...endpoint, organizationId: globex }),
            { _tag: "Missing", kind: "service", id: analytics }
          ],
          [apiKeys.change({ organizationId: globex, id: backupKey.id }, (same) => same), noKey],
          [apiKeys.remove({ organizationId: globex, id: backupKey.id }), noKey]
        ]
        for (const [act, refusal] of refusals) expect(yield* Effect.flip(act)).toMatchObject(refusal)
        expect(Option.isSome(yield* store.apiKey(backupKey.id))).toBe(true)
        expect(yield* store.apiKey(key(1).id)).toEqual(Option.none())
      }))

    test("is told that an ID is taken, and leaves what has it", (admin, store) =>
      Effect.gen(function* () {
        const before = yield* store.apiKey(backupKey.id)
        // also by the key of another organization
        const taken = key(1, { id: backupKey.id, organizationId: globex })
        expect(yield* Effect.flip(admin.apiKeys.create(taken))).toMatchObject({
          _tag: "Taken",
          message: `the ID ${backupKey.id} is that of another key`
        })
        expect(yield* store.apiKey(backupKey.id)).toEqual(before)
        const again = admin.services.create({ organizationId: acme, id: analytics, name: "again" })
        expect(yield* Effect.flip(again)).toMatchObject({ _tag: "Taken", kind: "service" })
      }))

    test("exports a seed that makes an equal database, and that holds no secret", (admin) =>
      Effect.gen(function* () {
        const document = yield* Schema.encodeEffect(Seed.Seed)(yield* admin.export)
        const text = JSON.stringify(document)
        expect(text).not.toContain("secret-of")
        const { organizations } = yield* Schema.encodeEffect(Seed.Seed)(yield* Seed.fromDocument(Fixtures.seed))
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
          const store = yield* Store
          expect(yield* store.seed(yield* Seed.parse(text))).toBe(true)
          return yield* (yield* Administration).export
        }).pipe(Effect.provide(both))
        expect(yield* Schema.encodeEffect(Seed.Seed)(second)).toEqual(document)
      }))

    test("is told that the database is away", (admin) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP TABLE reverse_private_endpoints`
        expect(yield* Effect.flip(admin.export)).toBeInstanceOf(StoreUnavailable)
        const list = admin.reversePrivateEndpoints.list({ organizationId: acme, serviceId: analytics })
        expect(yield* Effect.flip(list)).toBeInstanceOf(StoreUnavailable)
      }))
  })
