import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import { Administration } from "@cloud-management/service/Administration"
import * as ApiKeySecret from "@cloud-management/service/ApiKeySecret"
import * as Seed from "@cloud-management/service/Seed"
import { Store, type ApiKey } from "@cloud-management/service/Store"
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
  vpcResourceShareArn: "arn:x"
}

const seeded = Effect.flatMap(Store, (store) => Effect.flatMap(Seed.fromDocument(Fixtures.seed), store.seed))

/** What every administration has to do. The store is built anew, and empty, for each case. */
export const administrationContract = <R, E, E2>(
  name: string,
  store: Layer.Layer<Store | Administration, E, R>,
  over: Layer.Layer<R, E2>
) =>
  // as in StoreContract: no clock of a test for the timers of a pool
  layer(over, { excludeTestServices: true, timeout: "3 minutes" })(`an operator, over ${name},`, (it) => {
    const test = <A, E3>(
      name: string,
      body: (
        admin: Administration["Service"],
        store: Store["Service"]
      ) => Effect.Effect<A, E3, Store | Administration | R>
    ) =>
      it.effect(
        name,
        Effect.fnUntraced(
          function* () {
            yield* seeded
            return yield* body(yield* Administration, yield* Store)
          },
          Effect.provide(Layer.fresh(store))
        ),
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
        const { organizationId: _, ...rest } = endpoint
        const { found } = yield* store.reversePrivateEndpoint(key(3).id, organizationId, serviceId, endpoint.id)
        expect(found).toEqual(Option.some({ ...rest, serviceId }))
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
        const changed = yield* admin.apiKeys.update(path, (current) => ({
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

        const endpoint = { organizationId: acme, serviceId: analytics, id: readyEndpoint }
        const moved = yield* admin.reversePrivateEndpoints.update(endpoint, ({ endpointId: _removed, ...current }) => ({
          ...current,
          id: ReversePrivateEndpointId.make(unknown),
          organizationId: globex,
          vpcEndpointServiceName: "renamed"
        }))
        expect(moved).toMatchObject({ ...endpoint, description: "orders", vpcEndpointServiceName: "renamed" })
        expect(moved).not.toHaveProperty("endpointId")
        const [shown] = yield* admin.reversePrivateEndpoints.list(endpoint)
        expect(shown).toEqual(moved)
      }))

    test("deletes a key and an endpoint", (admin, store) =>
      Effect.gen(function* () {
        yield* admin.apiKeys.delete({ organizationId: acme, id: backupKey.id })
        expect(yield* store.apiKey(backupKey.id)).toEqual(Option.none())
        const path = { organizationId: acme, serviceId: analytics, id: readyEndpoint }
        yield* admin.reversePrivateEndpoints.delete(path)
        expect(yield* Effect.flip(admin.reversePrivateEndpoints.delete(path))).toMatchObject({ _tag: "NotFound" })
        expect(yield* admin.reversePrivateEndpoints.list(path)).toHaveLength(1)
      }))

    test("is told what is missing, and changes nothing then", (admin, store) =>
      Effect.gen(function* () {
        const organizationId = OrganizationId.make(unknown)
        const serviceId = ServiceId.make(unknown)
        const noOrganization = { _tag: "NotFound", kind: "organization", id: unknown }
        const noService = { _tag: "NotFound", kind: "service", id: unknown }
        const noKey = { _tag: "NotFound", kind: "key", id: backupKey.id }
        const { apiKeys, organizations, reversePrivateEndpoints, services } = admin
        const refusals: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, object]> = [
          [organizations.update({ id: organizationId }, (same) => same), noOrganization],
          [services.list({ organizationId }), noOrganization],
          [services.create({ organizationId, id: serviceId, name: "" }), noOrganization],
          [apiKeys.list({ organizationId }), noOrganization],
          [apiKeys.create(key(1, { organizationId })), noOrganization],
          [reversePrivateEndpoints.list({ organizationId: acme, serviceId }), noService],
          [reversePrivateEndpoints.create({ ...endpoint, serviceId }), noService],
          // a service of another organization
          [
            reversePrivateEndpoints.create({ ...endpoint, organizationId: globex }),
            { _tag: "NotFound", kind: "service", id: analytics }
          ],
          [apiKeys.update({ organizationId: globex, id: backupKey.id }, (same) => same), noKey],
          [apiKeys.delete({ organizationId: globex, id: backupKey.id }), noKey]
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
          _tag: "AlreadyExists",
          message: `the ID ${backupKey.id} is that of another key`
        })
        expect(yield* store.apiKey(backupKey.id)).toEqual(before)
        const again = admin.services.create({ organizationId: acme, id: analytics, name: "again" })
        expect(yield* Effect.flip(again)).toMatchObject({ _tag: "AlreadyExists", kind: "service" })
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
        }).pipe(Effect.provide(Layer.fresh(store)))
        expect(yield* Schema.encodeEffect(Seed.Seed)(second)).toEqual(document)
      }))
  })
