/** The proxy of examples/browser-proxy over a response for each reason that its own call can fail for. */
import { CloudManagement, Credentials, Retry } from "@cloud-management/core"
import { ConformanceService, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { routes } from "./browser-proxy/proxy.ts"

/** The proxy's response to a session and the lines of its log, when its own request gets the response `odd`. */
const ask = (odd: string) =>
  Effect.gen(function* () {
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
      Effect.promise(() =>
        handler(
          new Request(`http://proxy${path}`, {
            method,
            headers: { authorization: `Basic ${btoa(`session:${secret}`)}` }
          })
        )
      )
    const session: unknown = yield* Effect.flatMap(ask("POST", "/session"), (response) =>
      Effect.promise(() => response.json())
    )
    const { secret } = yield* Schema.decodeUnknownEffect(Schema.Struct({ secret: Schema.String }))(session)
    const response = yield* ask("GET", "/api/v1/organizations", secret)
    return { response: `${response.status} ${yield* Effect.promise(() => response.text())}`, logged }
  })

it.live.each(["not-json", "truncated", "hang", "html-404"])(
  "a response that is not the service's (%s) is a 502 for the page, and in the log",
  (odd) =>
    Effect.gen(function* () {
      expect(yield* ask(odd)).toEqual({
        response: '502 {"status":502,"error":"BAD_GATEWAY: The service is out of reach"}',
        logged: [
          expect.stringMatching(/^organizations\.list: (InvalidResponse|TransportFailed|Timeout|UnexpectedStatus)\b/)
        ]
      })
    })
)

it.live("a refusal of the service is one for the page", () =>
  Effect.gen(function* () {
    expect(yield* ask("limited")).toEqual({
      response: '429 {"status":429,"error":"REFUSED: as asked for","requestId":"req-123"}',
      logged: []
    })
  })
)

it.live("a success of the service is one for the page", () =>
  Effect.gen(function* () {
    expect(yield* ask("plain")).toEqual({ response: expect.stringMatching(/^200 .*"name":"Acme"/), logged: [] })
  })
)
