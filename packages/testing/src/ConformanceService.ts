import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import type * as Seed from "@cloud-management/service/Seed"
import * as Service from "@cloud-management/service/Service"
import * as Echo from "./Echo.ts"
import * as Fixtures from "./Fixtures.ts"
import * as InMemoryTransport from "./InMemoryTransport.ts"
import { json, list, odd, organization } from "./internal/odd.ts"

const seconds = Effect.clockWith((clock) => Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe()) / 1e9))

const make = Effect.fnUntraced(function* (options: Service.Options) {
  const service = yield* Service.Service
  const hanging = new Set<{ isReleased: boolean; grewAt: number }>()
  const hang = Effect.suspend(() => {
    const self = { isReleased: false, grewAt: Infinity }
    hanging.add(self)
    const grow = Effect.map(seconds, (now) => (self.grewAt = now))
    const leave = Effect.sync(() => hanging.delete(self))
    return Effect.sleep("20 millis").pipe(
      Effect.repeat({ until: () => self.isReleased }),
      Effect.interruptible,
      Effect.onInterrupt(() => leave),
      Effect.andThen(grow),
      Effect.map(() =>
        HttpServerResponse.stream(
          Stream.tick("20 millis").pipe(
            Stream.mapEffect(() => Effect.as(grow, Uint8Array.of(32))),
            Stream.ensuring(leave)
          )
        )
      )
    )
  })
  const countHanging = Effect.map(seconds, (now) =>
    HttpServerResponse.text(String([...hanging].filter(({ grewAt }) => now - grewAt < 1).length))
  )
  const oddity = Effect.fnUntraced(function* (request: HttpRequest) {
    if (request.url === "/hanging") return yield* countHanging
    if (request.url === "/hanging/release") {
      for (const one of hanging) one.isReleased = true
      return yield* countHanging
    }
    const [, name = "", path = ""] = /^\/odd\/([a-z0-9-]+)(\/.*)$/.exec(request.url) ?? []
    if (name === "hang") return yield* hang
    const { authorization = "", "x-echo": echo = "" } = request.headers
    const asked = `${path} ${authorization} ${echo}`.split("").reverse().join("")
    if (name === "asked") return json(list([{ ...organization, name: asked }]))
    if (name === "headers") return json(list([{ ...organization, name: Object.keys(request.headers).join(" ") }]))
    const found = Object.entries(odd).find(([key]) => key === name)
    const response = found?.[1] ?? HttpServerResponse.empty({ status: 404 })
    return typeof response === "function" ? yield* response(request) : response
  })
  /** The service's headers for pages of another origin, on a response that is not its own. */
  const expose = Effect.fnUntraced(function* (request: HttpRequest, response: HttpServerResponse.HttpServerResponse) {
    if (options.corsOrigins === undefined) return response
    const { headers } = yield* service.handle({
      ...request,
      method: "GET",
      url: "/health",
      headers: { origin: request.headers["origin"] }
    })
    const exposed = Object.entries(headers).filter(([name]) => name.startsWith("access-control-"))
    return HttpServerResponse.setHeaders(response, {
      ...Object.fromEntries(exposed),
      vary: [response.headers["vary"] ?? [], headers["vary"] ?? []].flat().join(", ")
    })
  })
  const handle = (request: HttpRequest) => {
    const isOdd = request.url.startsWith("/hanging") || request.url.startsWith("/odd/")
    if (!isOdd || request.method === "OPTIONS") return service.handle(request)
    return Effect.flatMap(oddity(request), (response) => expose(request, response))
  }
  return Service.Service.of({ ...service, handle })
})

/**
 * Like {@link layer}, with options of the service, whose allowed origins may also request the odd responses.
 */
export const layerWith = (options: Service.Options): Layer.Layer<Service.Service, Seed.InvalidSeed> =>
  Layer.effect(Service.Service, make(options)).pipe(
    Layer.provide(Echo.layer(options)),
    Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
    Layer.provide(SecureRandom.layerWebCrypto)
  )

/**
 * The service with the content of {@link Fixtures.seed}, the operations of the API and those of `Echo`, and below
 * `/odd/NAME` with responses that a correct service never sends.
 *
 * **Details**
 *
 * Any host of a `Service` can serve it; conformance cases run against it.
 *
 * `/odd/hang/…` does not respond, and `/hanging` returns how many such requests wait. `/hanging/release` sends them an
 * endless body, because a host may notice only while writing that the caller has gone, and then returns how many are
 * left. `/odd/headers/…` returns the names of the request's headers as the organization's name, and `/odd/asked/…` its
 * path and query after that prefix, `authorization` and `x-echo`, from back to front, since a recorder withholds secrets.
 */
export const layer: Layer.Layer<Service.Service, Seed.InvalidSeed> = layerWith({})
