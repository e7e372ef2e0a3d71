import { describe, expect, it, onTestFinished, vi } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { type AccessLog, Service, WebHandler } from "@cloud-management/service"
import { Echo } from "@cloud-management/testing"
import { basic, over, served } from "./Served.ts"

const service = served()
const here = { remoteAddress: () => "127.0.0.1" }
const list = (init: RequestInit = {}) =>
  new Request("https://api.example.com/v1/organizations", { headers: { authorization: basic() }, ...init })

describe("a web handler", () => {
  it("does not compile without the address of a caller, which limits guesses", () => {
    // @ts-expect-error: the options are missing
    expect(() => WebHandler.make(service)).toThrow("remoteAddress")
    // @ts-expect-error: the address is missing
    expect(() => WebHandler.make(service, {})).toThrow("handler.remoteAddress must be a function")
  })

  it("handles a Request with a Response, and HEAD without a body", async () => {
    const { handler } = WebHandler.make(service, here)
    const response = await handler(list())
    expect(response.status).toBe(200)
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    expect(await response.text()).toMatch(/^\{"status":200,"requestId":"[0-9a-f-]{36}","result":\[/)
    expect(await handler(list({ method: "HEAD" }))).toMatchObject({ status: 200, body: null })
  })

  it("reads a body that no header announces, as HTTP/2 allows, and not without end", async () => {
    const { handler } = WebHandler.make(over(Echo.layer()), here)
    const send = (body: string) => {
      const headers = { authorization: basic(), "content-type": "text/plain" }
      const request = new Request("https://api.example.com/v1/echo/text", { method: "PATCH", headers, body })
      expect(request.headers.has("content-length")).toBe(false)
      return handler(request)
    }
    expect(await (await send("hello")).text()).toBe("hello")
    expect((await send("a".repeat(65_537))).status).toBe(413)
  })

  it("builds its layer at the first request, and once", async () => {
    let built = 0
    const { handler } = WebHandler.make(
      Layer.tap(service, () => Effect.sync(() => built++)),
      here
    )
    expect(built).toBe(0)
    const responses = await Promise.all([handler(list()), handler(list())])
    await handler(list())
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(built).toBe(1)
  })

  it("is away while its layer cannot be built, says why in the log only, and tries again", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    let attempts = 0
    const fail = Effect.andThen(Effect.yieldNow, Effect.fail("no disk at /var/db"))
    const late = Layer.unwrap(Effect.suspend(() => (attempts++ === 0 ? fail : Effect.succeed(service))))
    const { handler } = WebHandler.make(late, here)

    for (const response of await Promise.all([handler(list()), handler(list())])) {
      const requestId = response.headers.get("x-request-id")
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
      const error = "SERVICE_UNAVAILABLE: The service is temporarily unavailable"
      expect([response.status, await response.json()]).toEqual([503, { status: 503, error, requestId }])
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "retry-after": "1",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff"
      })
    }
    expect(attempts).toBe(1)
    expect(log.mock.calls.flat().map(String).join()).toMatch(/could not be built.*no disk/s)
    expect((await handler(list())).status).toBe(200)
    expect(attempts).toBe(2)
  })

  it("limits failed authentications by the address that the host tells", async () => {
    const { handler } = WebHandler.make(service, { remoteAddress: (_, info: { address: string }) => info.address })
    const fail = async (address: string) =>
      (await handler(list({ headers: { authorization: "Basic x" } }), { address })).status
    const statuses = new Set<number>()
    for (let i = 0; i < 100; i++) statuses.add(await fail("192.0.2.1"))
    expect([...statuses, await fail("192.0.2.1"), await fail("192.0.2.2")]).toEqual([401, 429, 401])
  })

  /** A service whose only request begins, and never ends by itself. */
  const hanging = (begin: () => void, end: Effect.Effect<void>) =>
    Layer.succeed(Service.Service, {
      drain: Effect.void,
      withdraw: Effect.void,
      handle: () => Effect.onInterrupt(Effect.andThen(Effect.sync(begin), Effect.never), () => end)
    })

  it("ends the work for a request that is aborted", async () => {
    const abort = new AbortController()
    let ended = false
    const end = Effect.sync(() => void (ended = true))
    await WebHandler.make(
      hanging(() => abort.abort(), end),
      here
    ).handler(list({ signal: abort.signal }))
    expect(ended).toBe(true)
  })

  it("ends its requests when it is disposed of, only then releases its layer, and is away from then on", async () => {
    const order: Array<string> = []
    const note = (what: string) => Effect.sync(() => void order.push(what))
    const reached = Promise.withResolvers<void>()
    const slow = Layer.tap(hanging(reached.resolve, Effect.andThen(Effect.yieldNow, note("ended"))), () =>
      Effect.addFinalizer(() => note("released"))
    )
    const { dispose, handler } = WebHandler.make(slow, here)
    const response = handler(list())
    await reached.promise
    await dispose()
    expect([order, (await response).status]).toEqual([["ended", "released"], 503])
    for (let i = 0; i < 2; i++) expect((await handler(list())).status).toBe(503)
  })

  it("does not say of a request that its disposal cut off that the caller left", async () => {
    const entries: Array<AccessLog.Entry> = []
    const accessLog: AccessLog.Recorder = (entry) => Effect.sync(() => void entries.push(entry))
    const reached = Promise.withResolvers<void>()
    const stuck = Effect.andThen(Effect.sync(reached.resolve), Effect.never)
    const { dispose, handler } = WebHandler.make(
      served({ accessLog }, () => ({ organization: () => stuck })),
      here
    )
    const response = handler(list())
    await reached.promise
    await dispose()
    expect([(await response).status, entries]).toMatchObject([503, [{ status: undefined }]])
  })

  it.each<[what: string, read: (body: ReadableStream | null) => Promise<unknown>, order: ReadonlyArray<string>]>([
    ["read", async (body) => body?.getReader().read(), ["disposed", "ended", "released"]],
    ["not read", async () => {}, ["disposed", "ended", "released"]],
    ["left", async (body) => body?.cancel(), ["ended", "disposed", "released"]]
  ])("ends a body that is being %s before it releases its layer", async (_, read, expected) => {
    const order: Array<string> = []
    const note = (what: string) => Effect.sync(() => void order.push(what))
    const bytes = Stream.concat(Stream.make(new Uint8Array(1)), Stream.never)
    const body = Stream.ensuring(bytes, Effect.andThen(Effect.yieldNow, note("ended")))
    const streaming = Layer.succeed(Service.Service, {
      drain: Effect.void,
      withdraw: Effect.void,
      handle: () => Effect.succeed(HttpServerResponse.stream(body))
    })
    const { dispose, handler } = WebHandler.make(
      Layer.tap(streaming, () => Effect.addFinalizer(() => note("released"))),
      here
    )
    const response = await handler(list())
    await read(response.body)
    order.push("disposed")
    await dispose()
    expect(order).toEqual(expected)
  })

  it("gives the reader of a body that it cuts off an error, also where it is read only then", async () => {
    const endless = Stream.concat(Stream.make(new Uint8Array(1)), Stream.never)
    const disposing: Array<Promise<void>> = []
    const { dispose, handler } = WebHandler.make(
      Layer.succeed(Service.Service, {
        drain: Effect.void,
        withdraw: Effect.void,
        handle: () =>
          Effect.sync(() => {
            if (disposing.length === 0) queueMicrotask(() => disposing.push(dispose()))
            return HttpServerResponse.stream(endless)
          })
      }),
      here
    )
    const response = await handler(list())
    await Promise.all(disposing)
    await expect(response.text()).rejects.toThrow(/interrupt/)
  })
})
