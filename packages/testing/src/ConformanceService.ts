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

const organization = { id: Fixtures.acme, name: "Acme", createdAt: "2026-01-01T00:00:00.000Z" }
const list = (result: unknown, rest: object = { status: 200, requestId: "req-123" }) => ({ ...rest, result })
const json = (body: unknown, headers: Record<string, string> = {}) => HttpServerResponse.jsonUnsafe(body, { headers })

/** Not `Effect.never`: workerd gives up on a request that waits for nothing. */
const forever = Effect.andThen(Effect.sleep("1 day"), Effect.never)

const encoder = new TextEncoder()
/** Compressed if the request accepts it (RFC 9110 §12.5.3), otherwise unchanged. */
const gzip =
  (text: string, coding = "gzip") =>
  ({ headers }: HttpRequest) =>
    Effect.promise(async () => {
      if (headers["accept-encoding"]?.includes("gzip") !== true) return chunks([encoder.encode(text)])
      const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
      return HttpServerResponse.uint8Array(new Uint8Array(await new Response(compressed).arrayBuffer()), {
        contentType: "application/json",
        headers: { "content-encoding": coding }
      })
    })
const chunks = (parts: Iterable<Uint8Array>) =>
  HttpServerResponse.stream(Stream.fromIterable(parts), { contentType: "application/json" })
const refused = (status: number, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe({ status, error: "REFUSED: as asked for", requestId: "req-123" }, { status, headers })

/** A body that stops after its first bytes, while the connection stays open. */
const stalled = (status: number) =>
  HttpServerResponse.stream(
    Stream.concat(Stream.succeed(encoder.encode(`{"status":${status},`)), Stream.fromEffectDrain(forever)),
    { status, contentType: "application/json" }
  )

/** Whole mebibytes of spaces inside a valid envelope. */
const large = (mebibytes: number) => `${" ".repeat(mebibytes * 1024 * 1024)}${JSON.stringify(list([organization]))}`

/**
 * Odd responses, by the first segment of the path: a client whose base URL is `…/odd/NAME` gets that response to every
 * request.
 */
const odd = {
  "html-404": HttpServerResponse.html("<h1>Not here</h1>").pipe(HttpServerResponse.setStatus(404)),
  // some gateways name an encoding even here
  "empty-204": HttpServerResponse.empty({ status: 204, headers: { "content-encoding": "gzip" } }),
  "empty-205": HttpServerResponse.empty({ status: 205, headers: { "content-encoding": "gzip" } }),
  "empty-304": HttpServerResponse.empty({ status: 304, headers: { "content-encoding": "gzip" } }),
  limited: refused(429, { "retry-after": "7" }),
  redirect: HttpServerResponse.redirect("/odd/plain/v1/organizations", { status: 307 }),
  "not-json": HttpServerResponse.text("{", { contentType: "application/json" }),
  absent: json({ result: [{ id: "12345678-1234-1234-1234-123456789012" }] }, { "x-request-id": "req-9" }),
  plain: json(list([organization])),
  gzip: gzip(JSON.stringify(list([organization]))),
  "upper-case-gzip": gzip(JSON.stringify(list([organization])), "GZIP"),
  // no byte of it is JSON
  "unknown-coding": HttpServerResponse.uint8Array(Uint8Array.of(0x1f, 0x9d, 0x90), {
    contentType: "application/json",
    headers: { "content-encoding": "compress" }
  }),
  "gzip-bomb": gzip(large(2)),
  large: chunks([encoder.encode(large(2))]),
  split: chunks(
    Array.from(encoder.encode(JSON.stringify(list([{ ...organization, name: "Äcmé ✓" }]))), (byte) =>
      Uint8Array.of(byte)
    )
  ),
  truncated: HttpServerResponse.stream(
    // the wait lets the first part leave the machine before the connection breaks
    Stream.concat(
      Stream.succeed(encoder.encode('{"status":200,')),
      Stream.fromEffect(Effect.delay(Effect.fail("the connection breaks here"), "20 millis"))
    ),
    { contentType: "application/json" }
  ),
  stalled: stalled(200),
  "stalled-403": stalled(403),
  "stalled-404": stalled(404)
} satisfies Record<string, HttpServerResponse.HttpServerResponse | ReturnType<typeof gzip>>

/** The names of the odd responses. */
export type Odd = keyof typeof odd | "hang" | "headers" | "asked"

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
