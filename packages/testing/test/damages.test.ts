/**
 * Shows that each conformance case can fail: it does what a broken client or transport would do, between the client and
 * the service in memory. With `DAMAGES=table`, it prints which damages each case finds.
 */
import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Exit, Fiber, Layer, Stream } from "effect"
import { identity } from "effect/Function"
import {
  Headers,
  HttpBody,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { CallError } from "@cloud-management/client/CallError"
import { Client, Retry } from "@cloud-management/client"
import { Conformance, ConformanceService, InMemoryTransport, VirtualTime } from "@cloud-management/testing"

type Damage = (client: HttpClient.HttpClient) => HttpClient.HttpClient
type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse
type Sent = Effect.Effect<Response, HttpClientError.HttpClientError>
type Change = (stream: Stream.Stream<Uint8Array, unknown>) => Stream.Stream<Uint8Array, unknown>

const sent =
  (change: (send: Sent, request: Request) => Sent): Damage =>
  (client) =>
    HttpClient.transform(client, change)

const request = (change: (request: Request) => Request): Damage => HttpClient.mapRequest(change)
const url = (change: (url: string) => string) => request((self) => HttpClientRequest.setUrl(self, change(self.url)))
const query = (change: (query: string) => string) => url((url) => url.replace(/(?<=\?).*/, change))
const method = (from: string, to: "GET" | "POST" | "PUT") =>
  request((self) => (self.method === from ? HttpClientRequest.setMethod(self, to) : self))
const header = (name: string, change: (value: string) => string) =>
  request((self) => {
    const value = self.headers[name]
    return value === undefined ? self : HttpClientRequest.setHeader(self, name, change(value))
  })
const lost = (...names: ReadonlyArray<string>) =>
  request((self) => names.reduce((self, name) => HttpClientRequest.removeHeader(self, name), self))
const payload = (change: Change) =>
  request((self) => {
    if (self.body._tag === "Empty" || self.body._tag === "FormData") return self
    const { stream } = HttpServerRequest.fromClientRequest(self)
    return HttpClientRequest.setBody(self, HttpBody.stream(change(stream), self.body.contentType))
  })
const form = (change: (name: string, value: File | string) => ReadonlyArray<File | string>) =>
  request((self) => {
    if (self.body._tag !== "FormData") return self
    const damaged = new FormData()
    for (const [name, value] of self.body.formData) {
      for (const entry of change(name, value)) damaged.append(name, entry)
    }
    return HttpClientRequest.setBody(self, HttpBody.formData(damaged))
  })

interface Changed {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly stream?: Stream.Stream<Uint8Array, unknown>
}
const response = (change: (response: Response) => Changed) =>
  sent((send, request) =>
    Effect.map(send, (self) => {
      const { headers = self.headers, status = self.status, stream } = change(self)
      const changed = HttpServerResponse.stream(stream ?? self.stream, { status, headers })
      return HttpServerResponse.toClientResponse(changed, { request })
    })
  )
const status = (others: Readonly<Record<number, number>>) =>
  response(({ status }) => ({ status: others[status] ?? status }))
const headerLost = (name: string) => response(({ headers }) => ({ headers: Headers.remove(headers, name) }))
const body = (change: Change) => response(({ stream }) => ({ stream: change(stream) }))
/** A response is taken for another one. */
const taken = (from: ReadonlyArray<number>, name: string, to: { readonly status: number }) =>
  response(({ request, status }) =>
    from.includes(status) && request.url.includes(`/odd/${name}`)
      ? { status: to.status, stream: Stream.succeed(new TextEncoder().encode(JSON.stringify(to))) }
      : {}
  )
const refusal = (status: number) => ({ status, error: "CODE: message", requestId: "req-1" })
const list = { status: 200, requestId: "req-1", result: [{ id: "12345678-1234-1234-1234-123456789012" }] }

/** Text in each part of a body, which has one byte for each character. */
const text = (pattern: RegExp, by: string | ((found: string) => string)): Change =>
  Stream.map((bytes) => {
    const text = Buffer.from(bytes).toString("latin1")
    // two types, because `replace` has an overload for each
    return Buffer.from(typeof by === "string" ? text.replace(pattern, by) : text.replace(pattern, by), "latin1")
  })
const withoutDigits = text(/\d{16,}(?=,)/, (digits) => String(Number(digits)))
const withoutField = (...names: ReadonlyArray<string>) => text(new RegExp(`"(${names.join("|")})":`, "g"), '"lost":')

const transports: Readonly<Record<string, Damage>> = {
  "the path of the base URL is lost": url((url) => url.replace("/odd/asked", "")),
  "a path is not encoded": url((url) => url.replace(/\/[^?]*/, decodeURIComponent)),
  "a path is encoded twice": url((url) => url.replace(/%(?=[^?]*\?|[^?]*$)/, "%25")),
  "the order of a query is lost": query((query) => query.split("&").reverse().join("&")),
  "repetition in a query is lost": query((query) =>
    Object.values(Object.fromEntries(query.split("&").map((pair) => [pair.split("=")[0], pair]))).join("&")
  ),
  "the credentials are not encoded as UTF-8": header("authorization", (value) => {
    const credentials = Buffer.from(value.replace("Basic ", ""), "base64").toString()
    return `Basic ${Buffer.from(credentials, "latin1").toString("base64")}`
  }),
  "an optional header of a request is lost": lost("if-match"),
  "the media type of a request is lost": lost("content-type"),
  "the idempotency key is lost": lost("idempotency-key"),
  "the idempotency key is another one in each attempt": (client) => {
    let attempts = 0
    return header("idempotency-key", (key) => `${key}${attempts++}`)(client)
  },
  "an idempotency key is made up": request((self) =>
    self.method === "POST" ? HttpClientRequest.setHeader(self, "idempotency-key", "made-up") : self
  ),
  "HEAD is sent as GET": method("HEAD", "GET"),
  "PATCH is sent as PUT": method("PATCH", "PUT"),
  "DELETE is sent as POST": method("DELETE", "POST"),
  "the body of a request is lost": request((self) => HttpClientRequest.setBody(self, HttpBody.empty)),
  "a request is cut off": payload(Stream.map((bytes) => bytes.slice(0, 65_536))),
  "parts of a request are lost": payload(Stream.take(1)),
  "the digits of a request are lost": payload(withoutDigits),
  "a field of a request is lost": payload(text(/,"password":"."/, "")),
  "the files of a form are lost": form((_, value) => (typeof value === "string" ? [value] : [])),
  "the types of files are lost": form((_, value) => [typeof value === "string" ? value : new File([value], "a")]),
  "repetition in a form is lost": form((name, value) => (name === "tags" && value === "" ? [] : [value])),
  "a response comes from a cache": (client) => {
    const cache = new Map<string, Response>()
    return HttpClient.transform(client, (send, { headers, method, url }) => {
      const key = `${url} ${headers["authorization"]}`
      const found = method === "GET" && !url.includes("/hanging") ? cache.get(key) : undefined
      const cached = Effect.tap(send, (response) => Effect.sync(() => cache.set(key, response)))
      return found === undefined ? cached : Effect.succeed(found)
    })
  },
  "an interruption does not end the request": sent((send) => Effect.flatMap(Effect.forkDetach(send), Fiber.join)),
  "a redirect is followed": taken([307], "redirect", list),
  "a status of success is another one": status({ 201: 200, 202: 201, 204: 200, 205: 200, 304: 200 }),
  "a status of a client's error is another one": status({ 403: 401, 404: 400, 409: 400, 410: 404, 418: 400, 422: 400 }),
  "a status of a refusal is another one": status({ 400: 422, 401: 403, 413: 400, 429: 503 }),
  "a status of a server's error is another one": status({ 500: 503, 503: 500, 507: 500 }),
  "the time to try again is lost": headerLost("retry-after"),
  "a link is lost": headerLost("link"),
  "a body that breaks off ends": body(Stream.catchCause(() => Stream.empty)),
  "parts of a response are lost": body(Stream.take(1)),
  "the ends of lines are changed": body(text(/^\r\n$/, "\n")),
  "the digits of a response are lost": body(withoutDigits),
  "the result of a response is lost": body(withoutField("result")),
  "an event's id is lost": body(text(/^id:/m, "lost:")),
  "an absent field is refused": taken([200], "absent", refusal(400)),
  "a gateway's 404 is the service's": taken([404], "", refusal(404)),
  "anything is a success": taken([200, 204, 205, 304], "", list)
}

const isInvalidInput = (error: unknown) => error instanceof CallError && error.reason._tag === "InvalidInput"
/** The same client, to which any input is valid. */
const unchecked = <A extends object>(client: A): A =>
  new Proxy<A>(client, {
    get: (self: object, name) => {
      const found = Reflect.get(self, name)
      return typeof found !== "function"
        ? unchecked(found)
        : (...input: ReadonlyArray<unknown>) => Effect.catchIf(found(...input), isInvalidInput, () => Effect.void)
    }
  })
const changed =
  (change: Partial<Omit<Client.Options, "credentials">>): Conformance.MakeClient =>
  (operations, options) =>
    Client.make(operations, { ...options, ...change })
const clients: Readonly<Record<string, Conformance.MakeClient>> = {
  "the deadline is ignored": changed({ deadline: { attempt: Infinity, total: Infinity } }),
  "the limit of a response is ignored": changed({ maxResponseBytes: 2 ** 30 }),
  "nothing is sent again": changed({ retry: Retry.none }),
  "any input is valid": (operations, options) => Effect.map(Client.make(operations, options), unchecked)
}

const failing = Effect.fnUntraced(
  function* (_: Damage, make: Conformance.MakeClient) {
    const failed: Array<string> = []
    for (const { effect, name } of Conformance.cases("http://in-memory", make)) {
      // a case that never ends fails as well
      const exit = yield* Effect.exit(Effect.timeout(effect, "1 second"))
      if (Exit.isFailure(exit)) failed.push(name)
    }
    return failed
  },
  (effect, damage) => {
    const layer = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, damage)).pipe(
      Layer.provide(InMemoryTransport.layerService),
      Layer.provide(Layer.fresh(ConformanceService.layer))
    )
    // a key expires in 2020
    const timeline = VirtualTime.make({ start: Date.UTC(2026, 0) })
    return Effect.flatMap(timeline.run(Effect.provide(effect, layer)), ({ exit }) => exit)
  }
)

const found = new Map<string, ReadonlyArray<string>>()
const all = [
  ...Object.entries(transports).map(([name, damage]) => [name, damage, Client.make] as const),
  ...Object.entries(clients).map(([name, make]) => [name, identity<HttpClient.HttpClient>, make] as const)
]

it.effect("no case fails if nothing is broken", function* () {
  expect(yield* failing(identity, Client.make)).toEqual([])
})

it.effect.each(all)("a case fails if %s", function* ([name, damage, make]) {
  const failed = yield* failing(damage, make)
  found.set(name, failed)
  expect(failed).not.toEqual([])
})

it("each case fails with a client that is broken in its way", () => {
  const names = Conformance.cases("").map(({ name }) => name)
  // a damage that breaks most cases shows nothing about one of them
  const damagesOf = (name: string) =>
    [...found].flatMap(([damage, failed]) => (failed.includes(name) && failed.length <= names.length / 3 ? damage : []))
  if (process.env["DAMAGES"] === "table") {
    for (const name of names) console.log([name, ...damagesOf(name)].join("\n    "))
    for (const [name, failed] of found) console.log(failed.length, name)
  }
  const unfailing = names.filter((name) => damagesOf(name).length === 0)
  expect(unfailing.map((name) => `${name}: make the case stricter, or add what breaks it to the damages`)).toEqual([])
})
