import { Transport } from "@cloud-management/client"
import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Stream } from "effect"
import { Cookies, Headers, HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"

const respond = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.succeed(HttpClientResponse.fromWeb(request, new Response()))
const ours = Transport.make(respond)
const effects = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
  Effect.flatMap(respond),
  Effect.succeed
)

describe("a transport is what Effect's module makes", () => {
  it("the service has its key", () => expect(Transport.HttpClient.key).toBe(HttpClient.HttpClient.key))

  it("the client has all that Effect's has, and prints as that does", () => {
    for (const name in effects) expect(ours).toHaveProperty([name])
    expect(HttpClient.isHttpClient(ours)).toBe(true)
    expect(String(ours)).toBe(String(effects))
  })

  it("a response has the cookies of Effect's without any", () => {
    class Empty extends Transport.Response {
      readonly bytes = Effect.succeed(new Uint8Array())
      readonly stream = Stream.empty
    }
    const { cookies } = new Empty(HttpClientRequest.get("/"), { status: 200, url: "", headers: Headers.empty })
    expect(Cookies.isCookies(cookies) && Cookies.isEmpty(cookies)).toBe(true)
    expect(String(cookies)).toBe(String(Cookies.empty))
    expect(cookies.pipe(Cookies.toCookieHeader)).toBe("")
  })

  it.effect("the client sends the same requests", function* () {
    const request = ["https://api.example.com/tasks", { headers: { "x-a": "b" } }] as const
    const send = (client: HttpClient.HttpClient) => {
      // with another `execute`, as what wraps a client has it
      const wrapper: HttpClient.HttpClient = Object.create(client, {
        execute: {
          value: (request: HttpClientRequest.HttpClientRequest) =>
            respond(HttpClientRequest.setHeader(request, "x-b", "c"))
        }
      })
      return Effect.all([
        client.get(...request),
        client.query(...request),
        client.head(...request),
        client.post(...request),
        client.patch(...request),
        client.put(...request),
        client.del(...request),
        client.options(...request),
        client.pipe(HttpClient.mapRequest(HttpClientRequest.setHeader("x-b", "c"))).get(...request),
        wrapper.get(...request)
      ])
    }
    const requestsOf = (responses: ReadonlyArray<HttpClientResponse.HttpClientResponse>) =>
      responses.map(({ request }) => request)
    expect(requestsOf(yield* send(ours))).toEqual(requestsOf(yield* send(effects)))
  })
})
