import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Organization } from "@cloud-management/core/Organization"
import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import { ApiKeySecret, type Audit, Seed } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import { endpointId, keyId, organizationId, serviceId, withKeys } from "../../../checks/fixtures/Tenants.ts"

const expiry = Date.parse("2026-06-01T00:00:00.000Z")
const key = (tenant: string, n: number) => ({
  id: keyId(tenant, n),
  name: `key ${n}`,
  secret: `secret ${tenant}${n}`,
  createdAt: "2026-01-02T03:04:05.678Z"
})
const [enabled, other, third] = [key("a", 1), key("a", 2), key("a", 3)]
const disabled = { ...key("a", 4), state: "disabled" as const }
const expiring = { ...key("a", 5), expiresAt: new Date(expiry).toISOString() }
const foreign = key("b", 1)

const organization = {
  id: organizationId("a"),
  createdAt: "2026-01-01T00:00:00.123Z",
  name: `Acme "quoted" – ünïcode '; DROP TABLE api_keys --`,
  privateEndpoints: [
    { id: "pe-1", description: "office" },
    { id: "pe-2", description: "" }
  ],
  byocConfig: [{ id: "byoc-1", accountName: "acme-aws" }]
}
const bare = { ...organization, id: organizationId("b"), createdAt: "1969-12-31T23:59:59.999Z", name: "" }

const complete = {
  id: endpointId("a", 1),
  description: "every field",
  type: "VPC_ENDPOINT_SERVICE",
  vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-1",
  vpcResourceConfigurationId: "rcfg-1",
  vpcResourceShareArn: "arn:aws:ram:eu-west-1:123456789012:resource-share/1",
  mskClusterArn: "arn:aws:kafka:eu-west-1:123456789012:cluster/events/1",
  mskAuthentication: "SASL_IAM",
  endpointId: "vpce-1",
  dnsNames: ["one.example.com", "two.example.com"],
  privateDnsNames: ["private.example.com"],
  status: "Ready"
}
const sparse = {
  id: endpointId("a", 2),
  description: "",
  type: "A_TYPE_TO_COME",
  dnsNames: [],
  privateDnsNames: [],
  status: "PendingAcceptance"
}
const foreignEndpoint = { ...sparse, id: endpointId("b", 1) }

const document: Seed.Document = {
  organizations: [
    {
      ...organization,
      apiKeys: [enabled, other, third, disabled, expiring],
      services: [
        { id: serviceId("a", 1), name: "analytics", reversePrivateEndpoints: [complete, sparse] },
        { id: serviceId("a", 2), name: "without endpoints" }
      ]
    },
    { ...bare, apiKeys: [foreign], services: [{ id: serviceId("b", 1), reversePrivateEndpoints: [foreignEndpoint] }] }
  ]
}

export const deletion: Audit.Entry = { event: "key.deleted", actor: "key:tester", requestId: "a request" }

const seed = (content: Seed.Document) =>
  Effect.flatMap(Store, (store) => Effect.flatMap(Seed.fromDocument(content), store.seed))
const keyIds = Effect.fnUntraced(function* (candidates: ReadonlyArray<ApiKeyId>) {
  const store = yield* Store
  const keys = yield* Effect.forEach(candidates, store.apiKey)
  return keys.flatMap(Option.toArray).map(({ id }) => id)
})
const all = [enabled, other, third, disabled, expiring, foreign].map(({ id }) => id)

export type Steps<R> = Generator<Effect.Effect<unknown, unknown, R>, unknown, unknown>

/**
 * Cases of a service, such as a store, which is built anew, and empty, for each; what it runs on, such as a server, once for
 * all of them.
 */
export const contract = <A, R, E, E2>(
  name: string,
  service: Layer.Layer<A, E, R>,
  over: Layer.Layer<R, E2>,
  define: (test: (name: string, steps: () => Steps<A | R>) => void) => void
) =>
  // a connection pool has timers, which the clock of a test must not move: it is for the cases only
  layer(over, { excludeTestServices: true, timeout: "3 minutes" })(name, (it) =>
    define((name, steps) =>
      it.effect(name, () =>
        Effect.flatMap(Layer.build(Layer.fresh(service)), (context) =>
          Effect.gen(steps).pipe(Effect.provide(Layer.merge(Layer.succeedContext(context), TestClock.layer())))
        )
      )
    )
  )

export const storeContract = <R, E, E2>(name: string, store: Layer.Layer<Store, E, R>, over: Layer.Layer<R, E2>) =>
  contract(name, store, over, (define) => {
    const test = (name: string, body: (store: Store["Service"]) => Steps<Store>) =>
      define(name, function* () {
        yield* body(yield* Store)
      })
    const testSeeded: typeof test = (name, body) =>
      test(name, function* (store) {
        yield* seed(document)
        yield* body(store)
      })

    describe("content", () => {
      test("an empty store serves, and finds nothing", function* (store) {
        // by the real time: its database may have a clock
        yield* TestClock.withLive(store.ping)
        expect(yield* store.apiKey(enabled.id)).toStrictEqual(Option.none())
        const nothing = { caller: Option.none(), found: Option.none() }
        expect(yield* store.organization(enabled.id)).toStrictEqual(nothing)
        const path = [organization.id, serviceId("a", 1), complete.id] as const
        expect(yield* store.reversePrivateEndpoint(enabled.id, ...path)).toStrictEqual(nothing)
        expect(yield* store.deleteApiKey(organization.id, enabled.id, other.id, deletion)).toBe("caller-inactive")
      })

      testSeeded("a key comes back with its state, the digest of its secret and its organization", function* (store) {
        for (const { secret, ...expected } of [enabled, disabled, expiring, foreign]) {
          const { caller, found } = yield* store.organization(expected.id)
          expect(caller).toStrictEqual(yield* store.apiKey(expected.id))
          const of = expected.id === foreign.id ? bare : organization
          expect(yield* Schema.encodeEffect(Organization)(Option.getOrThrow(found))).toStrictEqual(of)
          const { createdAt, expiresAt, ...key } = Option.getOrThrow(caller)
          expect({
            ...key,
            expiresAt: expiresAt && DateTime.formatIso(expiresAt),
            createdAt: createdAt && DateTime.formatIso(createdAt)
          }).toStrictEqual({
            state: "enabled",
            expiresAt: undefined,
            ...expected,
            organizationId: of.id,
            digest: ApiKeySecret.digest(Redacted.make(secret)),
            lastUsedAt: undefined
          })
        }
      })

      testSeeded("an endpoint comes back field for field, and absent fields stay absent", function* (store) {
        for (const endpoint of [complete, sparse]) {
          const path = [organization.id, serviceId("a", 1), endpoint.id] as const
          const { caller, found } = yield* store.reversePrivateEndpoint(expiring.id, ...path)
          expect(caller).toStrictEqual(yield* store.apiKey(expiring.id))
          const expected = { ...endpoint, serviceId: serviceId("a", 1) }
          expect(yield* Schema.encodeEffect(ReversePrivateEndpoint)(Option.getOrThrow(found))).toStrictEqual(expected)
          expect(Object.keys(Option.getOrThrow(found)).toSorted()).toStrictEqual(Object.keys(expected).toSorted())
        }
      })

      testSeeded("an endpoint is found along its whole path only", function* (store) {
        const paths = [
          [bare.id, serviceId("a", 1), complete.id],
          [organization.id, serviceId("a", 2), complete.id],
          [organization.id, serviceId("b", 1), complete.id],
          [organization.id, serviceId("a", 1), foreignEndpoint.id],
          [organization.id, serviceId("b", 1), foreignEndpoint.id],
          [organization.id, serviceId("a", 1), endpointId("a", 9)]
        ] as const
        for (const path of paths) {
          const { found } = yield* store.reversePrivateEndpoint(enabled.id, ...path)
          expect(found).toStrictEqual(Option.none())
        }
        // nor by a key of another organization, or by none
        const whole = [organization.id, serviceId("a", 1), complete.id] as const
        for (const [caller, isFound] of [
          [enabled.id, true],
          [foreign.id, false],
          [keyId("a", 99), false]
        ] as const) {
          expect(Option.isSome((yield* store.reversePrivateEndpoint(caller, ...whole)).found)).toBe(isFound)
        }
      })

      test("it is seeded once", function* () {
        expect(yield* seed(withKeys("c", 1))).toBe(true)
        expect(yield* seed(document)).toBe(false)
        expect(yield* keyIds([keyId("c", 0), ...all])).toStrictEqual([keyId("c", 0)])
      })

      test("more than a database takes in one statement", function* () {
        expect(yield* seed(withKeys("a", 7000))).toBe(true)
        expect(yield* keyIds([keyId("a", 0), keyId("a", 6999), keyId("a", 7000)])).toHaveLength(2)
      })
    })

    describe("the last use of a key", () => {
      const hour = (n: number) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1, n))
      const lastUses = Effect.gen(function* () {
        const store = yield* Store
        const keys = yield* Effect.forEach(all, store.apiKey)
        return keys.map((key) => Option.getOrUndefined(key)?.lastUsedAt?.epochMilliseconds)
      })

      testSeeded("is the last hour that was recorded of it, in whatever order", function* (store) {
        yield* store.recordUse([enabled.id, disabled.id, keyId("a", 99)], hour(2))
        yield* store.recordUse([enabled.id, other.id], hour(1))
        yield* store.recordUse([disabled.id], hour(3))
        yield* store.recordUse([], hour(4))
        const [one, two, three] = [1, 2, 3].map((n) => hour(n).epochMilliseconds)
        expect(yield* lastUses).toEqual([two, one, undefined, three, undefined, undefined])
        expect(yield* keyIds([...all, keyId("a", 99)])).toStrictEqual(all)
        expect(yield* store.deleteApiKey(organization.id, enabled.id, other.id, deletion)).toBe("deleted")
      })

      test("is recorded of more keys than a database takes in one statement", function* (store) {
        yield* seed(withKeys("a", 1201))
        const keys = Array.from({ length: 1201 }, (_, n) => keyId("a", n))
        yield* store.recordUse(keys, hour(1))
        const found = yield* Effect.forEach(keys, store.apiKey)
        expect(found.every((key) => Option.getOrUndefined(key)?.lastUsedAt !== undefined)).toBe(true)
      })
    })

    describe("deletion of a key", () => {
      const remaining = (...deleted: ReadonlyArray<ApiKeyId>) => all.filter((id) => !deleted.includes(id))

      testSeeded("a deleted key is gone, and no other", function* (store) {
        expect(yield* store.deleteApiKey(organization.id, other.id, enabled.id, deletion)).toBe("deleted")
        expect(yield* keyIds(all)).toStrictEqual(remaining(other.id))
        expect(yield* store.deleteApiKey(organization.id, other.id, enabled.id, deletion)).toBe("not-found")
        expect(yield* store.deleteApiKey(organization.id, disabled.id, enabled.id, deletion)).toBe("deleted")
        expect(yield* keyIds(all)).toStrictEqual(remaining(other.id, disabled.id))
      })

      testSeeded("a key of another tenant is not found, and stays", function* (store) {
        expect(yield* store.deleteApiKey(organization.id, foreign.id, enabled.id, deletion)).toBe("not-found")
        expect(yield* store.deleteApiKey(bare.id, other.id, foreign.id, deletion)).toBe("not-found")
        expect(yield* store.deleteApiKey(organization.id, keyId("a", 99), enabled.id, deletion)).toBe("not-found")
        expect(yield* keyIds(all)).toStrictEqual(all)
      })

      testSeeded("a caller that is deleted or disabled by then deletes nothing", function* (store) {
        for (const caller of [keyId("a", 99), disabled.id]) {
          expect(yield* store.deleteApiKey(organization.id, other.id, caller, deletion)).toBe("caller-inactive")
          expect(yield* store.deleteApiKey(organization.id, keyId("a", 99), caller, deletion)).toBe("caller-inactive")
        }
        expect(yield* keyIds(all)).toStrictEqual(all)
      })

      testSeeded("a caller deletes until the moment it expires", function* (store) {
        yield* TestClock.setTime(expiry - 1)
        expect(yield* store.deleteApiKey(organization.id, other.id, expiring.id, deletion)).toBe("deleted")
        yield* TestClock.setTime(expiry)
        expect(yield* store.deleteApiKey(organization.id, third.id, expiring.id, deletion)).toBe("caller-inactive")
        // set back, the clock lets nobody in again
        yield* TestClock.setTime(expiry - 1)
        expect(yield* store.deleteApiKey(organization.id, third.id, expiring.id, deletion)).toBe("caller-inactive")
        expect(yield* keyIds(all)).toStrictEqual(remaining(other.id))
      })

      testSeeded("of several deletions of one key at once exactly one succeeds", function* (store) {
        const act = store.deleteApiKey(organization.id, other.id, enabled.id, deletion)
        const outcomes = yield* Effect.replicateEffect(act, 20, { concurrency: "unbounded" })
        expect(outcomes.toSorted()).toStrictEqual(["deleted", ...Array.from({ length: 19 }, () => "not-found")])
      })

      test("of two keys that delete one another at once exactly one is left", function* (store) {
        yield* seed(withKeys("a", 200))
        const pairs = Array.from({ length: 100 }, (_, n) => [keyId("a", 2 * n), keyId("a", 2 * n + 1)] as const)
        const remove = (id: ApiKeyId, caller: ApiKeyId) => store.deleteApiKey(organizationId("a"), id, caller, deletion)
        const race = Effect.fnUntraced(function* ([a, b]: (typeof pairs)[number]) {
          const outcomes = yield* Effect.all([remove(b, a), remove(a, b)], { concurrency: "unbounded" })
          return { outcomes: outcomes.toSorted(), left: (yield* keyIds([a, b])).length }
        })
        for (const result of yield* Effect.forEach(pairs, race, { concurrency: "unbounded" })) {
          expect(result).toStrictEqual({ outcomes: ["caller-inactive", "deleted"], left: 1 })
        }
      })
    })
  })
