/** The other end of the soak: the real service on real sockets behind faults, in a process of its own. */
import { Effect, Layer, Random, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import { gzipSync } from "node:zlib"
import { HttpHost } from "@cloud-management/service/node"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import { CloudService, Service } from "@cloud-management/service"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"

type App = ReturnType<Service.Service["Service"]["handle"]>

export interface Told {
  readonly url?: string
  readonly sockets?: number
}

const contentType = "application/json"
const start = new TextEncoder().encode('{"status":200,"requestId":"r","result":')
const give = (response: HttpServerResponse.HttpServerResponse) => () => Effect.succeed(response)
const stream = (rest: Stream.Stream<Uint8Array, string>) =>
  give(HttpServerResponse.stream(Stream.concat(Stream.succeed(start), rest), { contentType }))
const refusal = (status: number, headers: Record<string, string> = {}) =>
  give(HttpServerResponse.jsonUnsafe({ status, error: "CODE: text", requestId: "r" }, { status, headers }))
const page = (status: number) => HttpServerResponse.html("<h1>Away</h1>").pipe(HttpServerResponse.setStatus(status))
const organizations = { status: 200, requestId: "r", result: [{ id: Fixtures.acme, name: "Acme" }] }
const compressed = HttpServerResponse.uint8Array(gzipSync(JSON.stringify(organizations)), {
  contentType,
  headers: { "content-encoding": "gzip" }
})
const spaces = Array.from({ length: 33 }, () => new Uint8Array(65_536).fill(32))
/** Ends the connection as a crash does: with a reset. */
const reset = ({ source }: HttpRequest) =>
  Effect.suspend(() => {
    if (source instanceof IncomingMessage) source.socket.resetAndDestroy()
    return Effect.never
  })

/** Of a thousand requests. */
const faults: ReadonlyArray<readonly [count: number, befall: (app: App, request: HttpRequest) => App]> = [
  [60, (app) => Effect.flatMap(Random.nextBetween(1, 20), (millis) => Effect.delay(app, millis))],
  [25, give(page(503))],
  [10, give(page(404))],
  [15, refusal(500)],
  [15, (app) => Effect.as(app, page(504))],
  [20, refusal(429, { "x-ratelimit-reset": "0.005" })],
  [5, refusal(418)],
  [5, refusal(400, { connection: "close" })],
  [10, give(HttpServerResponse.text("{", { contentType }))],
  [10, give(compressed)],
  [3, stream(Stream.fromIterable(spaces))],
  [15, stream(Stream.fromEffect(Effect.delay(Effect.fail("the connection breaks"), "1 millis")))],
  [5, stream(Stream.never)],
  [5, () => Effect.never],
  [15, (_, request) => reset(request)],
  [10, (app, request) => Effect.andThen(app, reset(request))]
]

const host = HttpHost.layer().pipe(
  Layer.updateService(Service.Service, ({ handle, ...service }) => ({
    ...service,
    handle: (request) =>
      Effect.flatMap(Random.next, (drawn) => {
        let left = drawn * 1000
        const fault = faults.find(([count]) => (left -= count) < 0)
        return fault === undefined ? handle(request) : fault[1](handle(request), request)
      })
  })),
  Layer.provide(CloudService.layer()),
  Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const tell = (told: Told) => process.send?.(told)
const serve = Effect.gen(function* () {
  const { url } = yield* HttpHost.HttpHost
  tell({ url })
  process.on("message", () =>
    tell({ sockets: process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length })
  )
  return yield* Effect.never
})
const fiber = Effect.runFork(Effect.provide(serve, host))
process.on("disconnect", () => {
  fiber.interruptUnsafe()
  process.exit()
})
