import { afterEach, describe, expect, it, Listener, vi } from "../../../checks/fixtures/index.ts"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { type Deadline, Retry } from "@cloud-management/client"
import { once } from "node:events"
import Dns from "node:dns"
import Net from "node:net"
import Tls from "node:tls"
import { connect, transport } from "./connect.ts"

/** A server that takes connections and says nothing: the handshake of TLS on them does not end. */
const silent = Effect.gen(function* () {
  const sockets = yield* Queue.unbounded<Net.Socket>()
  const server = Net.createServer((socket) => {
    // the end of a connection is not seen where nobody reads
    socket.resume()
    Queue.offerUnsafe(sockets, socket)
  })
  return { url: `https://127.0.0.1:${yield* Listener.port(server)}`, connection: Queue.take(sockets) }
})
const closed = (socket: Net.Socket) => Effect.promise(async () => socket.closed || (await once(socket, "close")))

const client = (url: string, deadline: Partial<Deadline.Deadline> = {}) => connect(url, { deadline, retry: Retry.none })

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("a connection that is being made", () => {
  // first, while undici has no timers yet
  it.effect("has as long as the client gives it, however long that is", function* () {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { connection, url } = yield* silent
    const cloud = yield* client(url, { attempt: "1 hour", total: "1 hour" })
    const call = yield* Effect.forkChild(Effect.flip(cloud.organizations.list()))
    const socket = yield* connection
    yield* Effect.promise(() => vi.advanceTimersByTimeAsync(30 * 60_000))
    expect([call.pollUnsafe(), socket.closed]).toEqual([undefined, false])
    yield* TestClock.adjust("1 hour")
    expect((yield* Fiber.join(call)).reason._tag).toBe("Timeout")
    yield* closed(socket)
  })

  it.effect.each([
    ["http:", () => vi.spyOn(Net, "connect")],
    ["https:", () => vi.spyOn(Tls, "connect")]
  ] as const)("has time for a second SYN to each of several addresses: %s", function* ([scheme, spy]) {
    const { connection, url } = yield* silent
    const connects = spy()
    const cloud = yield* client(url.replace("https:", scheme))
    yield* Effect.forkChild(cloud.organizations.list())
    yield* connection
    expect(connects.mock.calls).toMatchObject([[{ autoSelectFamilyAttemptTimeout: 2500 }]])
  })

  it.effect("ends with the request that it was begun for, while others wait for their own", function* () {
    const { connection, url } = yield* silent
    const cloud = yield* client(url, { attempt: "1 second" })
    const begin = Effect.gen(function* () {
      const call = yield* Effect.forkChild(Effect.flip(cloud.organizations.list()))
      return { call, socket: yield* connection }
    })
    const first = yield* begin
    yield* TestClock.adjust("500 millis")
    const [second, third] = [yield* begin, yield* begin]
    yield* Fiber.interrupt(second.call)
    yield* closed(second.socket)
    for (const { call, socket } of [first, third])
      expect([call.pollUnsafe(), socket.closed]).toEqual([undefined, false])
    yield* TestClock.adjust("500 millis")
    expect((yield* Fiber.join(first.call)).reason._tag).toBe("Timeout")
    yield* closed(first.socket)
    expect([third.call.pollUnsafe(), third.socket.closed]).toEqual([undefined, false])
  })

  it.effect("ends with the requests that wait in a queue for it, while earlier ones wait for a response", function* () {
    const { connection, url } = yield* silent
    const plain = url.replace("https:", "http:")
    const http = yield* transport({ connections: 1 })
    const call = (url: string) => Effect.forkChild(http.get(url), { startImmediately: true })
    // it gets no response
    const earlier = yield* call(plain)
    yield* connection
    const first = yield* call(url)
    const second = yield* call(url)
    const ofFirst = yield* connection
    yield* Fiber.interrupt(first)
    yield* closed(ofFirst)
    const ofSecond = yield* connection
    yield* Fiber.interrupt(second)
    yield* closed(ofSecond)
    expect(earlier.pollUnsafe()).toBe(undefined)
  })
})

describe("a host with several addresses", () => {
  const failure = (baseUrl: string) =>
    Effect.flatMap(client(baseUrl), (cloud) => Effect.flip(cloud.organizations.list()))

  it.effect("that all refuse is named with each of them, and with the code", function* () {
    const url = yield* Effect.scoped(Effect.map(silent, ({ url }) => new URL(url)))
    const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }))
    vi.spyOn(Dns, "lookup").mockImplementation((...args: ReadonlyArray<unknown>) => {
      const callback = args.at(-1)
      if (typeof callback === "function") callback(null, addresses)
    })
    const error = yield* failure(`http://service.test:${url.port}`)
    const refused = addresses.map(({ address }) => `connect ECONNREFUSED ${address}:${url.port}`)
    expect(error).toMatchObject({
      outcome: "not-sent",
      reason: { _tag: "TransportFailed", code: "ECONNREFUSED", message: refused.join(", ") }
    })
  })

  it.effect.each(["http:", "https:"])("that do not respond is named with each: %s", function* (scheme) {
    const silences = ["192.0.2.1", "192.0.2.2"].map((address) =>
      Object.assign(new Error(`connect ETIMEDOUT ${address}:80`), { code: "ETIMEDOUT", syscall: "connect" })
    )
    const timeout = () => {
      const socket = new Tls.TLSSocket(new Net.Socket())
      return socket.destroy(Object.assign(new AggregateError(silences), { code: "ETIMEDOUT" }))
    }
    vi.spyOn(Net, "connect").mockImplementation(timeout)
    vi.spyOn(Tls, "connect").mockImplementation(timeout)
    const error = yield* failure(`${scheme}//service.test`)
    expect(error).toMatchObject({
      outcome: "not-sent",
      reason: { code: "ETIMEDOUT", message: silences.map(({ message }) => message).join(", ") }
    })
  })
})

it.effect.each<[how: string, end: (socket: Net.Socket) => unknown]>([
  ["ends", (socket) => socket.end()],
  ["is reset", (socket) => socket.resetAndDestroy()]
])("a connection that %s during the handshake of TLS has sent nothing", function* ([, end]) {
  const server = Net.createServer((socket) => socket.once("data", () => end(socket)))
  const cloud = yield* client(`https://127.0.0.1:${yield* Listener.port(server)}`)
  expect(yield* Effect.flip(cloud.organizations.list())).toMatchObject({
    outcome: "not-sent",
    isRetryable: true,
    reason: { _tag: "TransportFailed", code: "ECONNRESET" }
  })
})
