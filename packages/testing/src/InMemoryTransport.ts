import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import type * as Client from "@cloud-management/core/Client"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Retry from "@cloud-management/core/Retry"
import * as Seed from "@cloud-management/service/Seed"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import * as Service from "@cloud-management/service/Service"
import { Store } from "@cloud-management/service/Store"

/** What the service receives of a request. */
const received = (request: HttpClientRequest.HttpClientRequest, url: URL): HttpRequest => ({
  method: request.method,
  url: url.pathname + url.search,
  headers: request.headers,
  address: () => undefined,
  content: () => HttpServerRequest.fromClientRequest(request).stream,
  source: request
})

/**
 * The transport over a service that is already there: its real routes run in the caller's fiber, with the caller's
 * clock, tracer and interruption, and nothing is sent.
 *
 * **Details**
 *
 * The origin of the URL does not matter, its path does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerService: Layer.Layer<HttpClient.HttpClient, never, Service.Service> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Service.Service, ({ handle }) =>
    HttpClient.make((request, url) =>
      Effect.map(handle(received(request, url)), (response) =>
        HttpServerResponse.toClientResponse(
          // without the content, but with the headers that speak of it (RFC 9110 §9.3.2)
          request.method === "HEAD"
            ? HttpServerResponse.setHeaders(HttpServerResponse.setBody(response, HttpBody.empty), response.headers)
            : response,
          { request }
        )
      )
    )
  )
)

/**
 * The transport over a service of its own, in memory, that starts with the content of a seed.
 *
 * **Example** (Making a client of a service in memory)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/core/Credentials"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
 * }).pipe(Layer.provide(InMemoryTransport.layer(Fixtures.seed)))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  seed: Seed.Document,
  options?: Service.Options
): Layer.Layer<HttpClient.HttpClient, Seed.InvalidSeed> =>
  layerService.pipe(
    Layer.provide(Service.layer(options)),
    Layer.provide(layerStore(seed)),
    Layer.provide(SecureRandom.layerWebCrypto)
  )

/**
 * The client and its transport in one layer, for a first test: the seed's first key signs, and nothing waits, so that a
 * test under a virtual clock cannot hang.
 *
 * **Example** (Testing a program)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const test = CloudManagement.CloudManagement.pipe(
 *   Effect.flatMap((cloud) => cloud.organizations.list()),
 *   Effect.provide(InMemoryTransport.layerTest(Fixtures.seed))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTest = (
  seed: Seed.Document
): Layer.Layer<CloudManagement.CloudManagement, Seed.InvalidSeed | Client.InvalidOption> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { organizations } = yield* Seed.fromDocument(seed)
      const keys = organizations.flatMap(({ apiKeys }) => apiKeys)
      const key = keys.flatMap(({ id, secret }) => (secret === undefined ? [] : [{ id, secret }]))[0]
      if (key === undefined) {
        return yield* new Seed.InvalidSeed({ message: "no apiKeys: the first one signs, by its secret" })
      }
      return CloudManagement.layer({
        baseUrl: "http://in-memory",
        credentials: Credentials.make(key.id, key.secret),
        retry: Retry.none
      })
    })
  ).pipe(Layer.provide(layer(seed)))

/**
 * A store in memory with the content of a seed.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerStore = (seed: Seed.Document): Layer.Layer<Store, Seed.InvalidSeed> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const store = yield* Store
      yield* Effect.orDie(store.seed(yield* Seed.fromDocument(seed)))
    })
  ).pipe(Layer.provideMerge(MemoryStore.layer))
