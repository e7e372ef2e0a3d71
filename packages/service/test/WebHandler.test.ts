import { describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Service from "@cloud-management/service/Service"
import * as WebHandler from "@cloud-management/service/WebHandler"
import * as Echo from "@cloud-management/testing/Echo"
import { basic, over, served } from "./Served.ts"

const service = served()
const here = { remoteAddress: () => "127.0.0.1" }
const list = (init: RequestInit = {}) =>
  new Request("https://api.example.com/v1/organizations", { headers: { authorization: basic() }, ...init })

const Failure = Schema.Struct({ status: Schema.Finite, error: Schema.String, requestId: Schema.String })
const failure = (response: Response) =>
  Effect.flatMap(
    Effect.promise(() => response.json()),
    Schema.decodeUnknownEffect(Failure)
  )

describe("a web handler", () => {
  it("does not compile without the address of a caller, which limits guesses", () => {
    // @ts-expect-error: the options are missing
    expect(() => WebHandler.make(service)).toThrow("remoteAddress")
    // @ts-expect-error: the address is missing
    expect(() => WebHandler.make(service, {})).toThrow("handler.remoteAddress must be a function")
  })

  it.effect("answers a Request with a Response", () =>
    Effect.gen(function* () {
      const { handler } = WebHandler.make(service, here)
      const response = yield* Effect.promise(() => handler(list()))
      const text = yield* Effect.promise(() => response.text())
      expect(response.status).toBe(200)
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
      expect(text).toMatch(/^\{"status":200,"requestId":"[0-9a-f-]{36}","result":\[/)
    })
  )

  it.effect("answers HEAD without a body", () =>
    Effect.gen(function* () {
      const { handler } = WebHandler.make(service, here)
      const response = yield* Effect.promise(() => handler(list({ method: "HEAD" })))
      expect(response.status).toBe(200)
      expect(response.body).toBeNull()
    })
  )

  it.effect("reads a body that no header announces, as HTTP/2 allows, and not without end", () =>
    Effect.gen(function* () {
      const { handler } = WebHandler.make(over(Echo.layer()), here)
      const send = (body: string) => {
        const headers = { authorization: basic(), "content-type": "text/plain" }
        const request = new Request("https://api.example.com/v1/echo/text", { method: "PATCH", headers, body })
        expect(request.headers.has("content-length")).toBe(false)
        return Effect.promise(() => handler(request))
      }
      const response = yield* send("hello")
      expect(yield* Effect.promise(() => response.text())).toBe("hello")
      expect((yield* send("a".repeat(65_537))).status).toBe(413)
    })
  )

  it.effect("refuses a second Authorization header", () =>
    Effect.gen(function* () {
      const { handler } = WebHandler.make(service, here)
      const request = list()
      request.headers.append("authorization", basic())
      expect((yield* Effect.promise(() => handler(request))).status).toBe(400)
    })
  )

  it.effect("builds its layer at the first request, and once", () =>
    Effect.gen(function* () {
      let built = 0
      const counted = Layer.tap(service, () => Effect.sync(() => built++))
      const { handler } = WebHandler.make(counted, here)
      expect(built).toBe(0)
      const responses = yield* Effect.promise(() => Promise.all([handler(list()), handler(list())]))
      yield* Effect.promise(() => handler(list()))
      expect(responses.map(({ status }) => status)).toEqual([200, 200])
      expect(built).toBe(1)
    })
  )

  it.effect("is away while its layer cannot be built, says why in the log only, and tries again", () =>
    Effect.gen(function* () {
      const log = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(console, "log").mockImplementation(() => {})),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      let attempts = 0
      const fail = Effect.andThen(Effect.yieldNow, Effect.fail("no disk at /var/db"))
      const late = Layer.unwrap(Effect.suspend(() => (attempts++ === 0 ? fail : Effect.succeed(service))))
      const { handler } = WebHandler.make(late, here)

      const responses = yield* Effect.promise(() => Promise.all([handler(list()), handler(list())]))
      for (const response of responses) {
        const { error, requestId, status } = yield* failure(response)
        expect([response.status, status]).toEqual([503, 503])
        expect(error).toBe("SERVICE_UNAVAILABLE: The service is temporarily unavailable")
        expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
        expect(response.headers.get("retry-after")).toBe("1")
        expect(response.headers.get("x-request-id")).toBe(requestId)
        expect(response.headers.get("cache-control")).toBe("no-store")
        expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      }
      expect(attempts).toBe(1)
      expect(log.mock.calls.flat().map(String).join()).toMatch(/could not be built.*no disk/s)
      expect((yield* Effect.promise(() => handler(list()))).status).toBe(200)
      expect(attempts).toBe(2)
    })
  )

  it.effect("limits failed authentications by the address that the host tells", () =>
    Effect.gen(function* () {
      const { handler } = WebHandler.make(service, {
        remoteAddress: (_, info: { readonly address: string }) => info.address
      })
      const fail = (address: string) =>
        Effect.promise(() => handler(list({ headers: { authorization: "Basic x" } }), { address }))
      const statuses = new Set<number>()
      for (let i = 0; i < 100; i++) statuses.add((yield* fail("192.0.2.1")).status)
      expect([...statuses]).toEqual([401])
      expect((yield* fail("192.0.2.1")).status).toBe(429)
      expect((yield* fail("192.0.2.2")).status).toBe(401)
    })
  )

  it.effect("ends the work for a request that is aborted", () =>
    Effect.gen(function* () {
      const abort = new AbortController()
      let ended = false
      const hanging = Layer.succeed(Service.Service, {
        drain: Effect.void,
        withdraw: Effect.void,
        handle: () =>
          Effect.sync(() => abort.abort()).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => (ended = true))),
            Effect.as(HttpServerResponse.empty())
          )
      })
      const { handler } = WebHandler.make(hanging, here)
      yield* Effect.promise(() => handler(list({ signal: abort.signal })))
      expect(ended).toBe(true)
    })
  )

  it.effect("releases its layer when it is disposed of, and is away from then on", () =>
    Effect.gen(function* () {
      let released = false
      const scoped = Layer.tap(service, () => Effect.addFinalizer(() => Effect.sync(() => (released = true))))
      const { dispose, handler } = WebHandler.make(scoped, here)
      yield* Effect.promise(() => handler(list()))
      yield* Effect.promise(dispose)
      expect(released).toBe(true)
      for (let i = 0; i < 2; i++) expect((yield* Effect.promise(() => handler(list()))).status).toBe(503)
    })
  )
})
