import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Clock, Deferred, Effect, Exit, Fiber, Option, Redacted, Scope, Stream, Tracer } from "effect"
import { identity } from "effect/Function"
import { TestClock } from "effect/testing"
import { Body, Client, Credentials, type Event, Operation, Retry, Pacing } from "@cloud-management/client"
import { type CallError } from "@cloud-management/client/CallError"
import { CloudManagement } from "@cloud-management/core"
import { operations } from "@cloud-management/core/Operations"
import { HttpClient, HttpClientResponse } from "effect/http"
import { turns } from "../../../checks/fixtures/turns.ts"
import { success, transport } from "./Stub.ts"

// without 8 characters in common
const secrets = ["", "orange meadow", "violet canyon", "silver harbor"]
const secretOf = (version: number) => secrets[version] ?? `unused ${version}`
const keyOf = (version: number) => Credentials.make(`key-${version}`, secretOf(version))
const tokenOf = (version: number) => Credentials.bearer(btoa(`key-${version}:${secretOf(version)}`))

const json = (status: number, body: unknown) => Response.json(body, { status })
const listed = () => json(200, success["organizations.list"])
const failed = (status: number, text = "text") => json(status, { status, error: `CODE: ${text}` })
const unauthorized = (text = "Key is not found") => json(401, { status: 401, error: `UNAUTHORIZED: ${text}` })

/**
 * A service that knows one key, and a client whose key is read from a vault.
 *
 * `respond` takes the place of a success; it gets the version of the key that signed the request.
 */
const connect = Effect.fnUntraced(function* (
  options: Partial<Omit<Client.RotatingOptions, "credentials" | "baseUrl">> & {
    readonly read?: (version: () => number, reads: number) => Effect.Effect<Credentials.Credentials, unknown>
    readonly respond?: (version: number) => Response | Promise<Response>
    /** Takes the place of the transport, which it gets. */
    readonly over?: (http: HttpClient.HttpClient) => HttpClient.HttpClient
  } = {}
) {
  const { respond = listed, over = identity, read, ...rest } = options
  const vault = { version: 1, known: 1, reads: 0 }
  const signed: Array<number> = []
  const { http } = transport([
    ({ headers }) => {
      const [, encoded = ""] = (headers["authorization"] ?? "").split(" ")
      const version = Number(/^key-(\d+):/.exec(atob(encoded))?.[1])
      signed.push(version)
      return Effect.promise(async () => (version === vault.known ? respond(version) : unauthorized()))
    }
  ])
  const current = () => vault.version
  const credentials = Effect.suspend(() => {
    vault.reads++
    return read === undefined ? Effect.sync(() => keyOf(current())) : read(current, vault.reads)
  })
  const cloud = yield* CloudManagement.make({
    baseUrl: "https://api.example.com",
    retry: Retry.none,
    ...rest,
    credentials
  }).pipe(Effect.provideService(HttpClient.HttpClient, over(http)))
  return {
    cloud,
    vault,
    signed,
    rotate: () => {
      vault.version++
      vault.known++
    }
  }
})

/** Begins an effect, whose requests and responses, which take a few turns of the event loop, arrive. */
const begin = <A, E>(effect: Effect.Effect<A, E>) => Effect.tap(Effect.forkChild(effect), () => settle)
const hear = <Tag extends Event.Event["_tag"]>(tag: Tag) => {
  const events: Array<Extract<Event.Event, { readonly _tag: Tag }>> = []
  const isHeard = (event: Event.Event): event is (typeof events)[number] => event._tag === tag
  return { events, log: (event: Event.Event) => Effect.sync(() => void (isHeard(event) && events.push(event))) }
}

const holding = (others: (version: number) => Response) => {
  const first = Promise.withResolvers<Response>()
  let requests = 0
  return { first, respond: (version: number) => (requests++ === 0 ? first.promise : others(version)) }
}

type Refused = CallError<{ readonly _tag: string; readonly message: string }>
const refusal = <A>(effect: Effect.Effect<A, Refused>) => Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

const upload = Operation.make({ ...operations.organizations.list, method: "PUT", payload: Body.upload() })

/** Reads credentials in a second, but for the first, with which the layer is built. */
const slowly = (of: (version: number) => Credentials.Credentials) => (version: () => number, reads: number) =>
  Effect.delay(
    Effect.sync(() => of(version())),
    reads === 1 ? 0 : "1 second"
  )
const calls = (cloud: CloudManagement.CloudManagementClient, number: number) =>
  Effect.all(
    Array.from({ length: number }, () => cloud.organizations.list()),
    { concurrency: "unbounded" }
  )

describe("credentials that are an Effect", () => {
  it.effect("are read again after a 401, and the call is sent again, whatever its retry policy", function* () {
    const { events, log } = hear("Retrying")
    const { cloud, rotate, signed, vault } = yield* connect({ log })
    yield* Effect.all([cloud.organizations.list(), cloud.organizations.list()])
    expect([vault.reads, signed.splice(0)]).toEqual([1, [1, 1]])
    rotate()
    const { attempts } = yield* cloud.exchange(operations.organizations.list, {})
    expect([attempts, vault.reads, signed]).toEqual([2, 2, [1, 2]])
    expect(events).toMatchObject([{ cause: "credentials", attempts: 1, hinted: false }])
    yield* cloud.organizations.list()
    expect([vault.reads, signed]).toEqual([2, [1, 2, 2]])
  })

  it.effect("are also read again if the transport fails with the response that is a 401", function* () {
    const { cloud, rotate, signed } = yield* connect({ over: HttpClient.filterStatusOk })
    rotate()
    yield* cloud.organizations.list()
    expect(signed).toEqual([1, 2])
  })

  it.effect("do not use up an attempt of the policy", function* () {
    const responses = [failed(503)]
    const respond = () => responses.shift() ?? listed()
    const { cloud, rotate } = yield* connect({ respond, retry: { attempts: 2, base: 0 } })
    rotate()
    const { attempts } = yield* cloud.exchange(operations.organizations.list, {})
    expect(attempts).toBe(3)
  })

  it.effect("leave the price of the retry before them, which a success returns", function* () {
    const { events, log } = hear("BudgetRefilled")
    const respond = (version: number) => {
      if (version > 1) return listed()
      rotate()
      return failed(503)
    }
    const { cloud, rotate, signed } = yield* connect({ respond, log, retry: { base: 0 } })
    yield* cloud.organizations.list()
    expect(signed).toEqual([1, 1, 2])
    expect(events).toMatchObject([{ tokens: Retry.standard.budget.capacity }])
  })

  it.effect.each<[what: string, version: number, ending: ReadonlyArray<unknown>]>([
    ["the same as before", 1, ["Unauthorized", 1, 2, [1]]],
    ["refused as well", 2, ["Unauthorized", 2, 2, [1, 2]]]
  ])("that are %s make the 401 final", function* ([, version, ending]) {
    const { cloud, signed, vault } = yield* connect()
    Object.assign(vault, { version, known: 3 })
    const error = yield* Effect.flip(cloud.organizations.list())
    expect([error.reason._tag, error.attempts, vault.reads, signed]).toEqual(ending)
  })

  it.effect("are read again for a stream that was begun, for the next call: it cannot be sent again", function* () {
    const refusing = HttpClient.make((request) =>
      Effect.as(
        Effect.ignore(request.body._tag === "Stream" ? Stream.runDrain(request.body.stream) : Effect.void),
        HttpClientResponse.fromWeb(request, unauthorized())
      )
    )
    let isUpload = true
    const { cloud, rotate, signed, vault } = yield* connect({
      over: (http) => HttpClient.make((request) => (isUpload ? refusing : http).execute(request))
    })
    rotate()
    const { attempts, reason } = yield* Effect.flip(cloud.execute(upload, { payload: { stream: Stream.make() } }))
    expect([reason._tag, attempts, vault.reads]).toEqual(["Unauthorized", 1, 2])
    isUpload = false
    yield* cloud.organizations.list()
    expect([signed, vault.reads]).toEqual([[2], 2])
  })

  it.effect("are waited for no longer than the call has time", function* () {
    const { cloud, rotate } = yield* connect({
      deadline: { total: "2 seconds" },
      read: (version) => (version() === 1 ? Effect.succeed(keyOf(1)) : Effect.never)
    })
    rotate()
    const call = yield* begin(refusal(cloud.organizations.list()))
    yield* TestClock.adjust("2 seconds")
    expect(call.pollUnsafe()).toEqual(Exit.succeed("Unauthorized"))
  })

  it.effect("that cannot be read at first fail the layer with their own error", function* () {
    expect(yield* Effect.flip(connect({ read: () => Effect.fail("sealed") }))).toBe("sealed")
    expect(yield* Effect.flip(connect({ read: () => Effect.succeed(Credentials.make("a:b", "c")) }))).toMatchObject({
      _tag: "InvalidOption",
      option: "keyId"
    })
  })

  it.effect.each<[kind: string, of: (version: number) => Credentials.Credentials]>([
    ["HTTP Basic", keyOf],
    ["a bearer token", tokenOf],
    ["a key, same secret", (version) => Credentials.schemes({ basic: Credentials.make(`key-${version}`, "orange") })]
  ])("are read once for all calls that were refused with the same: %s", function* ([, of]) {
    const { cloud, rotate, signed, vault } = yield* connect({ read: slowly(of) })
    rotate()
    const all = yield* begin(calls(cloud, 20))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(all)
    expect(vault.reads).toBe(2)
    expect(signed.filter((version) => version === 1)).toHaveLength(20)
    expect(signed.filter((version) => version === 2)).toHaveLength(20)
  })

  it.effect("are not read again for a call that others have overtaken", function* () {
    const { respond, first } = holding(listed)
    const { cloud, rotate, signed, vault } = yield* connect({ respond })
    const late = yield* begin(cloud.organizations.list())
    rotate()
    yield* cloud.organizations.list()
    first.resolve(unauthorized())
    yield* Fiber.join(late)
    expect([vault.reads, signed]).toEqual([2, [1, 1, 2, 2]])
  })

  it.effect("sign a call that waited for its turn meanwhile: none is sent with refused ones", function* () {
    const { cloud, rotate, signed, vault } = yield* connect({ pacing: Pacing.fixed({ limit: 1, window: "1 second" }) })
    rotate()
    const all = yield* begin(calls(cloud, 5))
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(all)
    expect([vault.reads, signed]).toEqual([2, [1, 2, 2, 2, 2, 2]])
  })

  it.effect("leave no call stuck when one that waits for them is interrupted", function* () {
    const gate = yield* Deferred.make<void>()
    const { cloud, rotate, vault } = yield* connect({
      read: (version) =>
        version() === 1 ? Effect.succeed(keyOf(1)) : Effect.as(Deferred.await(gate), keyOf(version()))
    })
    rotate()
    const first = yield* begin(cloud.organizations.list())
    const second = yield* begin(cloud.organizations.list())
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, undefined)
    expect(Exit.isSuccess(yield* Fiber.await(second))).toBe(true)
    expect(vault.reads).toBe(2)
  })

  it.effect("that take longer are given up also where they cannot be interrupted, and never used then", function* () {
    const gate = yield* Deferred.make<void>()
    const { cloud, rotate, signed, vault } = yield* connect({
      deadline: { attempt: "5 seconds", total: "1 minute" },
      read: (version, reads) =>
        reads === 2
          ? Effect.uninterruptible(Effect.as(Deferred.await(gate), keyOf(2)))
          : Effect.succeed(keyOf(version()))
    })
    rotate()
    const hanging = yield* begin(refusal(cloud.organizations.list()))
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(hanging)).toBe("Unauthorized")
    rotate()
    yield* cloud.organizations.list()
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    yield* cloud.organizations.list()
    expect([vault.reads, signed]).toEqual([3, [1, 1, 3, 3]])
  })

  it.effect("stop being read when the client's scope closes, before what they are read with is closed", function* () {
    const ends: Array<string> = []
    const scope = yield* Scope.make()
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => ends.push("vault closed"))
    )
    const { cloud, rotate } = yield* connect({
      read: (version) =>
        version() === 1
          ? Effect.succeed(keyOf(1))
          : Effect.onInterrupt(Effect.never, () => Effect.sync(() => ends.push("reading ended")))
    }).pipe(Scope.provide(scope))
    rotate()
    const call = yield* begin(refusal(cloud.organizations.list()))
    yield* Scope.close(scope, Exit.void)
    expect(ends).toEqual(["reading ended", "vault closed"])
    expect(yield* Fiber.join(call)).toBe("Unauthorized")
    // neither is it read again
    expect(yield* refusal(cloud.organizations.list())).toBe("Unauthorized")
    expect(ends).toEqual(["reading ended", "vault closed"])
  })

  it.effect("are read by a call itself when nothing is heard of the reading of another", function* () {
    const { cloud, rotate, signed, vault } = yield* connect({
      deadline: { attempt: "5 seconds", total: "1 minute" },
      read: (version, reads) => (reads === 2 ? Effect.never : Effect.succeed(keyOf(version())))
      // whose clock, by which the reading would be given up, stands still
    }).pipe(Effect.provideService(Clock.Clock, yield* TestClock.make()))
    rotate()
    const all = yield* begin(calls(cloud, 3))
    yield* TestClock.adjust("6 seconds")
    yield* settle
    yield* Fiber.join(all)
    expect([vault.reads, signed]).toEqual([3, [1, 1, 1, 2, 2, 2]])
  })

  it.effect("can be wiped once the client is built", function* () {
    const key = keyOf(1)
    const { cloud } = yield* connect({
      read: () => Effect.succeed(key),
      respond: () => failed(500, `not ${secretOf(1)}`)
    })
    Redacted.wipeUnsafe(key.keySecret)
    expect((yield* Effect.flip(cloud.organizations.list())).message).toContain("(withheld")
  })

  it.effect("belong to no span, not to that of the call in which the client was built either", function* () {
    const parents: Array<unknown> = []
    const { cloud, rotate } = yield* Effect.withSpan(
      connect({
        read: (version) =>
          Effect.map(Effect.serviceOption(Tracer.ParentSpan), (parent) => {
            parents.push(Option.getOrUndefined(parent)?.spanId)
            return keyOf(version())
          })
      }),
      "the first call"
    )
    rotate()
    yield* Effect.withSpan(cloud.organizations.list(), "a later call")
    expect(parents).toEqual([expect.any(String), undefined])
  })

  it.effect.each<[what: string, reading: Effect.Effect<Credentials.Credentials, string>, problem: RegExp]>([
    ["cannot be read", Effect.fail("sealed: orange meadow"), /^the credentials cannot be read$/],
    ["are read by a program that dies", Effect.die("sealed: orange meadow"), /^the credentials cannot be read$/],
    ["are read for ever", Effect.never, /^the credentials cannot be read$/],
    [
      "HTTP Basic cannot carry",
      Effect.succeed(Credentials.make("key", "orange\nmeadow")),
      /^keySecret must be [\w ,-]+ final line break$/
    ]
  ])("that %s make the 401 final, are reported, and read anew for the next call", function* ([, reading, problem]) {
    const { events, log } = hear("RenewalFailed")
    const { cloud, rotate, signed, vault } = yield* connect({
      deadline: { attempt: "5 seconds" },
      log,
      read: (version) => (version() === 1 ? Effect.succeed(keyOf(1)) : reading)
    })
    rotate()
    for (const reads of [2, 3]) {
      const call = yield* begin(refusal(cloud.organizations.list()))
      yield* TestClock.adjust("5 seconds")
      expect([yield* Fiber.join(call), vault.reads]).toEqual(["Unauthorized", reads])
    }
    expect(signed).toEqual([1, 1])
    const expected = { _tag: "RenewalFailed", problem: expect.stringMatching(problem) }
    expect(events).toEqual([expected, expected])
  })

  it("are others with another ID or place, though the secret is the same", () => {
    const ids = [
      Credentials.make("key-1", "orange"),
      Credentials.make("key-2", "orange"),
      Credentials.bearer("orange"),
      ...["a", "b"].flatMap((name) =>
        [Credentials.header, Credentials.query, Credentials.cookie].map((make) => make(name, "orange"))
      )
    ].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.effect("never show in an error: neither the old nor the new", function* () {
    const texts = [1, 2, 1].map((version) => `not ${secretOf(version)}`)
    const { cloud, rotate } = yield* connect({ respond: () => failed(500, texts.shift()) })
    rotate()
    for (const _ of texts.slice()) {
      const error = yield* Effect.flip(cloud.organizations.list())
      expect(error.message).toContain("(withheld: it may repeat the credentials)")
    }
  })

  it.effect("never show in an error of a call that skipped a rotation: not the first ones either", function* () {
    const { respond, first } = holding((version) => (version === 3 ? failed(500, secretOf(1)) : listed()))
    const { cloud, rotate } = yield* connect({ respond })
    const late = yield* begin(Effect.flip(cloud.organizations.list()))
    rotate()
    yield* cloud.organizations.list()
    rotate()
    yield* Effect.exit(cloud.organizations.list())
    first.resolve(unauthorized())
    const error = yield* Fiber.join(late)
    expect(error.attempts).toBe(2)
    expect(error.message).toContain("(withheld: it may repeat the credentials)")
  })
})

describe("credentials with an end", () => {
  it.effect.each<[what: string, of: (version: number) => Credentials.Credentials, seconds: number]>([
    ["a token", (version) => Credentials.expiring(tokenOf(version), "100 seconds"), 90],
    ["a key of HTTP Basic", (version) => Credentials.expiring(keyOf(version), { seconds: 100 }), 90],
    ["a token of an hour", (version) => Credentials.expiring(tokenOf(version), "1 hour"), 59 * 60],
    ["a moment", (version) => Credentials.expiring(tokenOf(version), new Date(version * 100_000)), 90],
    [
      "one of several",
      (version) =>
        Credentials.all(Credentials.header("x-app", "app"), Credentials.expiring(tokenOf(version), "100 seconds")),
      90
    ],
    ["by name", (version) => Credentials.schemes({ token: Credentials.expiring(tokenOf(version), "100 seconds") }), 90]
  ])("are read before it, once for all calls, which are sent with the new ones: %s", function* ([, of, seconds]) {
    const { cloud, rotate, signed, vault } = yield* connect({ read: slowly(of) })
    yield* TestClock.adjust(seconds * 1000 - 1)
    yield* calls(cloud, 2)
    expect([vault.reads, signed]).toEqual([1, [1, 1]])
    rotate()
    yield* TestClock.adjust(1)
    const fiber = yield* begin(calls(cloud, 20))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    yield* calls(cloud, 1)
    expect([vault.reads, signed]).toEqual([2, [1, 1, ...Array.from({ length: 21 }, () => 2)]])
  })

  it.effect.each<
    [what: string, read: (end: number) => Effect.Effect<Credentials.Credentials, string>, failures: number]
  >([
    ["cannot be read", () => Effect.fail("sealed"), 3],
    ["have ended when they come", (end) => Effect.succeed(Credentials.expiring(tokenOf(1), new Date(end))), 0],
    ["come without time", () => Effect.succeed(Credentials.expiring(tokenOf(1), 0)), 0]
  ])("that %s: the call goes on with the old ones, and the next tries again", function* ([, read, failures]) {
    const { events, log } = hear("RenewalFailed")
    const { cloud, signed, vault } = yield* connect({
      log,
      read: (_, reads) => (reads === 1 ? Effect.succeed(Credentials.expiring(tokenOf(1), "100 seconds")) : read(0))
    })
    yield* TestClock.adjust("90 seconds")
    for (const reads of [2, 3, 4]) {
      yield* calls(cloud, 3)
      yield* cloud.organizations.list()
      expect(vault.reads).toBe(reads)
      yield* TestClock.adjust("1 second")
    }
    expect(signed).toEqual(Array.from({ length: 12 }, () => 1))
    expect(events).toHaveLength(failures)
  })

  it.effect.each<[what: string, again: Effect.Effect<Credentials.Credentials, string>]>([
    ["cannot be read", Effect.fail("sealed")],
    ["are the same with a later end", Effect.succeed(Credentials.expiring(tokenOf(1), "1 hour"))]
  ])("that %s: a call that is sent again reads them once a second at most", function* ([, again]) {
    const { cloud, signed, vault } = yield* connect({
      retry: { ...Retry.standard, attempts: 10, base: "20 millis", cap: "20 millis" },
      respond: () => Response.json({}, { status: 503 }),
      read: (_, reads) => (reads === 1 ? Effect.succeed(Credentials.expiring(tokenOf(1), "100 seconds")) : again)
    })
    yield* TestClock.adjust("90 seconds")
    const call = yield* begin(refusal(cloud.organizations.list()))
    yield* TestClock.adjust("999 millis")
    yield* Fiber.join(call)
    expect([vault.reads, signed.length]).toEqual([2, 10])
  })

  it.effect("return the price of the retry that waits for them, if it is interrupted", function* () {
    const { events, log } = hear("BudgetRefilled")
    const { cloud, signed, vault } = yield* connect({
      retry: Retry.standard,
      log,
      respond: () => Response.json({}, { status: 503, headers: { "retry-after": "10" } }),
      read: (_, reads) => (reads === 1 ? Effect.succeed(Credentials.expiring(tokenOf(1), "10 seconds")) : Effect.never)
    })
    const call = yield* begin(cloud.organizations.list())
    yield* TestClock.adjust("10 seconds")
    expect([vault.reads, signed, events]).toEqual([2, [1], []])
    yield* Fiber.interrupt(call)
    expect(events).toMatchObject([{ tokens: Retry.standard.budget.capacity }])
  })

  it.effect("that are the same again have their new end", function* () {
    const { cloud, vault } = yield* connect({
      read: () => Effect.succeed(Credentials.expiring(tokenOf(1), "100 seconds"))
    })
    yield* TestClock.adjust("90 seconds")
    yield* calls(cloud, 1)
    yield* TestClock.adjust("89 seconds")
    yield* calls(cloud, 1)
    expect(vault.reads).toBe(2)
    yield* TestClock.adjust("1 second")
    yield* calls(cloud, 1)
    expect(vault.reads).toBe(3)
  })

  it.effect("are waited for no longer than the call has time", function* () {
    const { cloud, signed } = yield* connect({
      deadline: { total: "2 seconds" },
      read: (_, reads) => (reads === 1 ? Effect.succeed(Credentials.expiring(tokenOf(1), "100 seconds")) : Effect.never)
    })
    yield* TestClock.adjust("95 seconds")
    const call = yield* begin(refusal(cloud.organizations.list()))
    yield* TestClock.adjust("2 seconds")
    expect([yield* Fiber.join(call), signed]).toEqual(["Timeout", []])
  })
})

it.effect("a map of clients has one for each key, with its own credentials, and tries again what failed", function* () {
  const { http, requests } = transport([() => Effect.sync(() => listed())])
  const reads: Array<string> = []
  const readKey = (organization: string) =>
    Effect.suspend(() => {
      reads.push(organization)
      if (reads.includes("acme")) return Effect.succeed(Credentials.make(organization, "secret"))
      return organization === "umbrella" ? Effect.fail("sealed") : Effect.die("the vault crashed")
    })
  const clients = yield* CloudManagement.makeMap(
    (organization: string) => ({ baseUrl: "https://api.example.com", credentials: readKey(organization) }),
    { idleTimeToLive: "10 minutes" }
  ).pipe(Effect.provideService(HttpClient.HttpClient, http))
  const list = CloudManagement.CloudManagement.use((cloud) => cloud.organizations.list())
  expect(yield* Effect.flip(Effect.provide(list, clients.get("umbrella")))).toBe("sealed")
  expect(Exit.isFailure(yield* Effect.exit(Effect.provide(list, clients.get("hooli"))))).toBe(true)
  const organizations = ["acme", "umbrella", "hooli", "acme"]
  for (const organization of organizations) yield* Effect.provide(list, clients.get(organization))
  expect(requests.map(({ headers }) => headers["authorization"])).toEqual(
    organizations.map((organization) => `Basic ${btoa(`${organization}:secret`)}`)
  )
  expect(reads).toEqual(["umbrella", "hooli", "acme", "umbrella", "hooli"])
})

/** Lets requests and responses, which take a few turns of the event loop, arrive. */
const settle = Effect.promise(() => turns(20))
