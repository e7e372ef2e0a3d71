/** Only a page shows these: a browser adds, hides and forbids, and the transports cope. */
import { Retry } from "@cloud-management/client"
import { Effect, Tracer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { equal } from "../run.ts"
import * as Failures from "./failures.ts"

const list = (baseUrl: string) =>
  Failures.calling({ baseUrl, retry: Retry.none }, (cloud) => cloud.organizations.list())
const fails = (baseUrl: string, expected: string) =>
  Effect.flatMap(Effect.flip(list(baseUrl)), ({ message, outcome }) =>
    equal(`${message} [${outcome}]`, `organizations.list: ${expected} [unknown]`)
  )
const unreachable = "TransportFailed: no response: the host cannot be reached"
const headerNames = Effect.map(list(`${location.origin}/odd/headers`), ([{ name = "" }]) => name.split(" "))
const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, ...Array.from({ length: 256 }, (_, i) => i))
const post = HttpClientRequest.post(`${location.origin}/page/echo`).pipe(HttpClientRequest.bodyUint8Array(bytes))
const echo = Effect.flatMap(HttpClient.HttpClient, (client) =>
  Effect.flatMap(client.execute(post), ({ arrayBuffer }) => arrayBuffer)
)

/** `elsewhere` is the origin of a service that does not allow this page's. */
export const cases = (elsewhere: string) => ({
  "the page is under a policy that forbids eval": Effect.flatMap(
    // oxlint-disable-next-line typescript/no-implied-eval -- it has to throw
    Effect.exit(Effect.sync(() => Function(""))),
    ({ _tag }) => equal(_tag, "Failure")
  ),
  "bytes go and come as they are": Effect.flatMap(echo, (buffer) => equal([...new Uint8Array(buffer)], [...bytes])),
  "what a browser refuses to send is a failure of the transport": Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.get(location.origin).pipe(HttpClientRequest.setHeader("x-a", "✓"))
    const { reason } = yield* Effect.flip(client.execute(request))
    yield* equal(reason._tag, "TransportError")
  }),
  "a refusal by CORS says that it may be one, and where to look": fails(
    elsewhere,
    `${unreachable}, or does not allow this page's origin (CORS), or the page's CSP forbids it; the console says which: Failed to fetch`
  ),
  "a request to the page's own origin that fails says nothing of CORS": fails(
    `${location.origin}/page/broken`,
    `${unreachable}, or the page's CSP forbids it; the console says which: Failed to fetch`
  ),
  "a redirect says so": fails(
    `${location.origin}/odd/redirect`,
    `UnexpectedStatus (HTTP 0): no error envelope: the body begins: redirects are not followed; requested GET ${location.origin}/odd/redirect/v1/organizations`
  ),
  "a tracer adds no header that needs a preflight": Effect.gen(function* () {
    const names = yield* Effect.provideService(headerNames, Tracer.Tracer, tracer)
    yield* equal(
      names.filter((name) => /^(traceparent|b3|x-)/.test(name)),
      []
    )
  }),
  "no cookie goes along": Effect.gen(function* () {
    document.cookie = "a=b; path=/"
    yield* equal((yield* headerNames).includes("cookie"), false)
  }),
  "nothing is taken from the cache": Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const text = Effect.flatMap(client.get(`${location.origin}/page/cacheable`), ({ text }) => text)
    yield* equal(yield* Effect.all([text, text]), ["1", "2"])
  }),
  "offline, an error says just that": Effect.acquireUseRelease(
    Effect.promise(() => globalThis.goOffline()),
    () => fails(elsewhere, "TransportFailed: the browser is offline: Failed to fetch"),
    () => Effect.promise(() => globalThis.goOnline())
  )
})
