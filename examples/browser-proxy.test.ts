/** The proxy of examples/browser-proxy over a response for each reason that its own call can fail for. */
import { CloudManagement, Credentials, Retry } from "@cloud-management/core"
import { ConformanceService, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Effect, Layer, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { expect, it } from "../checks/fixtures/vitest.ts"
import { routes } from "./browser-proxy/proxy.ts"

/** The proxy's response to a session and the lines of its log, when its own request gets the response `odd`. */
const ask = Effect.fnUntraced(function* (odd: string) {
  const logged: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
  const cloud = CloudManagement.layer({
    baseUrl: `http://in-memory/odd/${odd}`,
    credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
    deadline: { attempt: odd === "hang" ? "50 millis" : "10 seconds" },
    retry: Retry.none
  }).pipe(Layer.provide(InMemoryTransport.layerService), Layer.provide(ConformanceService.layer))
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() =>
      HttpRouter.toWebHandler(
        routes.pipe(
          Layer.provide(cloud),
          Layer.provide(SecureRandom.layerWebCrypto),
          Layer.provideMerge(Logger.layer([logger]))
        ),
        { disableLogger: true }
      )
    ),
    ({ dispose }) => Effect.promise(dispose)
  )
  const ask = (method: string, path: string, secret = "") =>
    handler(
      new Request(`http://proxy${path}`, { method, headers: { authorization: `Basic ${btoa(`session:${secret}`)}` } })
    )
  return yield* Effect.promise(async () => {
    const { secret }: { readonly secret: string } = await (await ask("POST", "/session")).json()
    const response = await ask("GET", "/api/v1/organizations", secret)
    return { response: `${response.status} ${await response.text()}`, logged }
  })
})

const isAway = {
  response: '502 {"status":502,"error":"BAD_GATEWAY: The service is out of reach"}',
  logged: [expect.stringMatching(/^organizations\.list: (InvalidResponse|TransportFailed|Timeout|UnexpectedStatus)\b/)]
}
const isRefused = { response: '429 {"status":429,"error":"REFUSED: as asked for","requestId":"req-123"}', logged: [] }
const isDone = { response: expect.stringMatching(/^200 .*"name":"Acme"/), logged: [] }

it.live.each([
  ["not-json", "is a 502 for the page, and in the log", isAway],
  ["truncated", "is a 502 for the page, and in the log", isAway],
  ["hang", "is a 502 for the page, and in the log", isAway],
  ["html-404", "is a 502 for the page, and in the log", isAway],
  ["limited", "is a refusal of the service, and one for the page", isRefused],
  ["plain", "is a success of the service, and one for the page", isDone]
] as const)("a response (%s) %s", function* ([odd, , expected]) {
  expect(yield* ask(odd)).toEqual(expected)
})
