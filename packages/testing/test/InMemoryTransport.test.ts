import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { HttpBody, HttpClient, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { CloudManagement } from "@cloud-management/core"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import { type Seed, Service } from "@cloud-management/service"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { connect } from "./connected.ts"

const { acme, backupKey, deployKey } = Fixtures

it.effect("one virtual clock drives the rate limit of the service and the client's reading of it", function* () {
  const transport = InMemoryTransport.layer(Fixtures.seed, { rateLimit: { limit: 2, window: "1 hour" } })
  const { cloud } = yield* connect(transport)
  yield* cloud.organizations.list()
  yield* cloud.organizations.list()
  expect((yield* Effect.flip(cloud.organizations.list())).reason._tag).toBe("RateLimited")
  yield* TestClock.adjust("1 hour")
  expect(yield* cloud.organizations.list()).toHaveLength(1)
})

it.effect("a URL that is not valid is not sent", () =>
  Effect.gen(function* () {
    expect((yield* Effect.flip(HttpClient.get("http://"))).reason._tag).toBe("InvalidUrlError")
  }).pipe(Effect.provide(InMemoryTransport.layer(Fixtures.seed)))
)

it.effect.each(["http://in-memory", "https://api.example.com", "https://other.example:8443"])(
  "the transport does not care for the origin of a URL: %s",
  function* (baseUrl) {
    const { cloud } = yield* connect(InMemoryTransport.layer(Fixtures.seed), { baseUrl })
    expect(yield* cloud.organizations.list()).toMatchObject([{ id: acme }])
  }
)

describe("layerTest", () => {
  const list = Effect.flatMap(CloudManagement.CloudManagement, (cloud) => cloud.organizations.list())

  it.effect("is a client and its service in one, signed by the first key of the seed", () =>
    Effect.gen(function* () {
      expect(yield* list).toMatchObject([{ id: acme, name: "Acme" }])
      const cloud = yield* CloudManagement.CloudManagement
      const inUse = yield* Effect.flip(cloud.apiKeys.delete({ organizationId: acme, keyId: deployKey.id }))
      expect(inUse.reason.message).toBe("BAD_REQUEST: The key in use cannot be deleted")
    }).pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed)))
  )

  it.effect("takes the first key that there is, in whichever organization", function* () {
    const [empty, full] = [
      { id: Fixtures.globex, name: "Globex" },
      { id: acme, name: "Acme", apiKeys: [{ id: backupKey.id, secret: backupKey.secret }] }
    ]
    const layer = InMemoryTransport.layerTest({ organizations: [empty, full] })
    expect(yield* Effect.provide(list, layer)).toMatchObject([{ id: acme }])
  })

  it.effect.each<[what: string, document: Seed.Document, message: string]>([
    ["has no key", { organizations: [{ id: acme, name: "Acme" }] }, "the seed has no API key with a secret"],
    ["is no seed", { organizations: [{ id: "x", name: "Acme" }] }, 'at ["organizations"][0]["id"]']
  ])("says so when the seed %s", function* ([, document, message]) {
    const error = yield* Effect.flip(Layer.build(InMemoryTransport.layerTest(document)))
    expect(error.message).toContain(message)
  })
})

/** The transport over a service that reads a request and responds with what it read, and how often a source was begun and closed. */
const streaming = () => {
  const counts = { begun: 0, closed: 0 }
  const source = (stream: Stream.Stream<Uint8Array, unknown>) =>
    Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => counts.begun++),
          () => Effect.sync(() => counts.closed++)
        ),
        stream
      )
    )
  const received: Array<HttpRequest> = []
  const handle: Service.Service["Service"]["handle"] = (request) => {
    received.push(request)
    return Stream.mkUint8Array(request.content()).pipe(
      Effect.map((bytes) => HttpServerResponse.stream(source(Stream.make(bytes)))),
      // as the service does
      Effect.orElseSucceed(() => HttpServerResponse.empty({ status: 400 }))
    )
  }
  const layer = InMemoryTransport.layerService.pipe(
    Layer.provide(Layer.succeed(Service.Service, { handle, withdraw: Effect.void, drain: Effect.void }))
  )
  return { counts, source, received, provided: Effect.provide(layer) }
}

describe("a body", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const three = Stream.make(bytes("a"), bytes("bc"))
  const post = (body: HttpBody.HttpBody) => HttpClient.post("http://in-memory/", { body })

  it.effect("is streamed both ways, chunked, and both sources are closed once", function* () {
    const { counts, provided, received, source } = streaming()
    const text = Effect.flatMap(post(HttpBody.stream(source(three))), ({ stream }) =>
      Stream.mkString(Stream.decodeText(stream))
    )
    expect(yield* provided(text)).toBe("abc")
    expect(counts).toEqual({ begun: 2, closed: 2 })
    expect(received[0]?.headers["transfer-encoding"]).toBe("chunked")
  })

  it.effect("that is a stream of the response is closed when its reader has enough", function* () {
    const { counts, provided } = streaming()
    const { stream } = yield* provided(post(HttpBody.text("abc")))
    yield* Stream.runDrain(Stream.take(stream, 1))
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  const disk = new Error("disk on fire")
  it.effect("that fails fails the request, for which the service has no response", function* () {
    const { counts, provided, source } = streaming()
    const incomplete = Stream.concat(three, Stream.fail(disk))
    const { reason } = yield* Effect.flip(provided(post(HttpBody.stream(source(incomplete)))))
    expect(reason).toMatchObject({ _tag: "TransportError", cause: { cause: disk, syscall: "write" } })
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })

  it.effect("that is a stream is closed when the call is interrupted", function* () {
    const { counts, provided, source } = streaming()
    const begun = yield* Deferred.make<void>()
    const stalled = Stream.concat(
      Stream.tap(three, () => Deferred.succeed(begun, undefined)),
      Stream.never
    )
    const call = yield* Effect.forkChild(provided(post(HttpBody.stream(source(stalled)))))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(call)
    expect(counts).toEqual({ begun: 1, closed: 1 })
  })
})
