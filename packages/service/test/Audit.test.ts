import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Schema, Scope } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Audit } from "@cloud-management/service"
import type { Store } from "@cloud-management/service/Store"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { basic, endpointPath, keyPath, organizations, recorder, served } from "./Served.ts"

const { acme, backupKey, deployKey, disabledKey, expiredKey, globex, globexEndpoint } = Fixtures
const missing = "00000000-0000-4000-8000-000000000000"
const failed = (reason: string, keyId?: string) => [
  { event: "authentication.failed", operation: "organizations.list", reason, ...(keyId && { keyId }) }
]
const foreignEndpoint = endpointPath(globexEndpoint, undefined, globex)
const malformed = failed("malformed credentials")
const deleted = { event: "key.deleted", actor: `key:${deployKey.id}`, organizationId: acme, keyId: backupKey.id }
const denied = (operation: string) => [
  { event: "access.denied", actor: `key:${deployKey.id}`, operation, organizationId: globex }
]

/** The record beside the request's ID. */
it.live.each<[string, ReadonlyArray<object>, authorization?: string | undefined, path?: string, method?: "DELETE"]>([
  ["no credentials", failed("no credentials")],
  ["another scheme", malformed, "Bearer x"],
  ["no base64", malformed, "Basic !"],
  ["a secret in place of an ID, unrecorded", malformed, basic({ id: deployKey.secret, secret: deployKey.id })],
  ["a user that forges an entry", malformed, basic({ id: `x\r\n{"audit":"key.deleted"}`, secret: "x" })],
  ["an unknown key", failed("unknown key", missing), basic({ id: missing, secret: "x" })],
  ["a wrong secret", failed("wrong secret", deployKey.id), basic({ id: deployKey.id.toUpperCase(), secret: "x" })],
  ["a disabled key", failed("disabled key", disabledKey.id), basic(disabledKey)],
  ["an expired key", failed("expired key", expiredKey.id), basic(expiredKey)],
  ["another secret of a disabled key", failed("wrong secret", disabledKey.id), basic({ ...disabledKey, secret: "x" })],
  ["a foreign endpoint", denied("reversePrivateEndpoints.get"), basic(), foreignEndpoint],
  ["a foreign key", denied("apiKeys.delete"), basic(), keyPath(backupKey.id, globex.toUpperCase()), "DELETE"],
  ["a deletion", [deleted], basic(), keyPath(backupKey.id.toUpperCase()), "DELETE"],
  ["nothing of a read", [], basic()],
  ["nothing of an endpoint's", [], basic(), endpointPath()],
  ["nothing of what is not there", [], basic(), keyPath(missing), "DELETE"],
  ["nothing of the key in use", [], basic(), keyPath(deployKey.id), "DELETE"],
  ["nothing of a path without a route", [], undefined, "/v1/keys"],
  ["nothing of a page", [], undefined, "/health"]
])("the audit trail has %s", function* ([, records, authorization, path = organizations, method]) {
  const { audit, written } = recorder()
  const headers = authorization === undefined ? {} : { authorization }
  const request = HttpClientRequest.make(method ?? "GET")(`http://service${path}`, { headers })
  const transport = InMemoryTransport.layer(Fixtures.seed, { audit })
  const response = yield* Effect.provide(HttpClient.execute(request), transport)
  const requestId = response.headers["x-request-id"]
  expect(written).toEqual(records.map((record) => ({ ...record, requestId })))
})

const deletion = HttpClient.execute(
  HttpClientRequest.delete(`http://service${keyPath(backupKey.id)}`, { headers: { authorization: basic() } })
)

it.live(
  "a deletion whose caller leaves goes on once its turn has come, and the store closes after its record",
  function* () {
    const order: Array<string> = []
    const note = (what: string) => Effect.sync(() => void order.push(what))
    const reached = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const slow = ({ deleteApiKey }: Store["Service"]): Partial<Store["Service"]> => ({
      deleteApiKey: (...args) =>
        Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(deleteApiKey(...args)),
          Effect.tap(note)
        )
    })
    const closing = Layer.effectDiscard(Effect.addFinalizer(() => note("closed")))
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Layer.provideMerge(served({ audit: note }, slow), closing), scope)
    const send = Effect.provide(deletion, context)
    const call = yield* Effect.forkChild(send)
    yield* Deferred.await(reached)
    const waiting = yield* Effect.forkChild(send, { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    const end = Effect.andThen(Fiber.interrupt(call), Scope.close(scope, Exit.void))
    const ended = yield* Effect.forkChild(end, { startImmediately: true })
    // by then the interruption is everywhere
    yield* Effect.promise(() => new Promise(setImmediate))
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(ended)
    expect(order).toEqual(["deleted", "key.deleted", "closed"])
  }
)

it.live.each([
  ["a deletion that the database did not confirm is recorded as such", false],
  ["a deletion that was certainly undone leaves no record", true]
] as const)("%s", function* ([, isUndone]) {
  const { audit, written } = recorder()
  const lost = (inner: Store["Service"]): Partial<Store["Service"]> => ({
    // as when the reply to a COMMIT never comes
    deleteApiKey: (...args) =>
      Effect.andThen(
        inner.deleteApiKey(...args),
        Effect.fail(new StoreUnavailable({ cause: "connection lost", isUndone }))
      )
  })
  const transport = served({ audit }, lost)
  const { headers, status } = yield* Effect.provide(deletion, transport)
  expect(status).toBe(503)
  const unconfirmed = { ...deleted, event: "act.unconfirmed", act: "key.deleted", requestId: headers["x-request-id"] }
  expect(written).toEqual(isUndone ? [] : [unconfirmed])
})

it.effect.each<[title: string, waited: number, run: number]>([
  ["all of them", 0, 65],
  ["of those that wait for longer than half a second, none", 500, 2]
])("the deletions of one key run one after the other, those of others beside them: %s", function* ([, waited, run]) {
  const started: Array<string> = []
  const gate = yield* Deferred.make<void>()
  const held = (): Partial<Store["Service"]> => ({
    deleteApiKey: (...[, , caller]) =>
      Effect.suspend(() => {
        started.push(caller)
        return Effect.as(Deferred.await(gate), "not-found" as const)
      })
  })
  const transport = served({}, held)
  yield* Effect.gen(function* () {
    const send = (authorization: string) =>
      HttpClient.execute(
        HttpClientRequest.delete(`http://service${keyPath(disabledKey.id)}`, { headers: { authorization } })
      )
    const many = yield* Effect.forEach(Array.from({ length: 65 }), () =>
      Effect.forkChild(send(basic()), { startImmediately: true })
    )
    const other = yield* Effect.forkChild(send(basic(backupKey)), { startImmediately: true })
    const rejected = yield* Effect.raceAll(many.map(Fiber.join))
    expect(rejected).toMatchObject({ status: 503, headers: { "retry-after": "1" } })
    expect(started.toSorted()).toEqual([backupKey.id, deployKey.id].toSorted())
    yield* TestClock.adjust(waited)
    yield* Deferred.succeed(gate, undefined)
    const statuses = (yield* Effect.forEach([...many, other], Fiber.join)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(run)
  }).pipe(Effect.provide(transport))
})

const logged = (fields: Audit.Fields) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const take = (line: string) => void lines.push(line)
    const loggers = [Logger.map(Logger.formatJson, take), Logger.map(Logger.formatLogFmt, take)]
    yield* Effect.provide(Audit.write("access.denied", fields), Logger.layer(loggers))
    return lines
  })

describe("a record", () => {
  it.effect("is a warning with its name and its fields, without those that are not known", function* () {
    const [line = ""] = yield* logged({ actor: "key:1", address: undefined, organizations: 2 })
    const { annotations, level, message } = JSON.parse(line)
    expect({ annotations, level, message }).toEqual({
      level: "WARN",
      message: "access.denied",
      annotations: { audit: "access.denied", outcome: "failure", actor: "key:1", organizations: 2 }
    })
  })

  it.effect.each([
    ["line breaks", "a\r\nb", "a%0D%0Ab"],
    ["a percent sign, so that the encoding is one-to-one", "100%0A", "100%250A"],
    ["a terminal's escape", "\u001b[2J", "%1B[2J"],
    ["a separator of lines", "a\u2028b", "a%E2%80%A8b"],
    ["what turns the line around", "a\u202eb", "a%E2%80%AEb"],
    ["half of a surrogate pair", "a\ud83d", "a%EF%BF%BD"],
    ["letters of every script", "ünï ✓ 日本 😀", "ünï ✓ 日本 😀"],
    ["what is too long", "x".repeat(1000), "x".repeat(256)]
  ])("encodes %s", function* ([, text, encoded]) {
    const [line = ""] = yield* logged({ reason: text })
    expect(JSON.parse(line).annotations.reason).toBe(encoded)
  })

  it.effect.prop(
    "is one line whatever it holds",
    { units: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))) },
    function* ({ units }) {
      const text = String.fromCharCode(...units)
      for (const line of yield* logged({ actor: text, address: text, operation: text })) {
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/u)
      }
    }
  )
})
