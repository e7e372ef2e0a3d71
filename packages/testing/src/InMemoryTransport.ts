import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import type * as Client from "@cloud-management/client/Client"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import { operations, type getReversePrivateEndpoint } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId, type KnownStatus } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Retry from "@cloud-management/client/Retry"
import type { AnyStatus } from "@cloud-management/core/Waiting"
import { NotFound } from "@cloud-management/service/Administration"
import * as ApiKeySecret from "@cloud-management/service/ApiKeySecret"
import type { Act } from "@cloud-management/service/Handlers"
import { pathOf, type HttpRequest } from "@cloud-management/service/HttpRequest"
import * as RequestInput from "@cloud-management/service/RequestInput"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import { RateLimitStore, type Counter } from "@cloud-management/service/RateLimitStore"
import * as ResponseOutput from "@cloud-management/service/ResponseOutput"
import * as Seed from "@cloud-management/service/Seed"
import * as Service from "@cloud-management/service/Service"
import * as CloudService from "@cloud-management/service/CloudService"
import { KeyStore } from "@cloud-management/service/KeyStore"
import { layerKeys, Store } from "@cloud-management/service/Store"
import * as Mistake from "./internal/mistake.ts"
import * as ServiceClient from "./internal/serviceClient.ts"

/**
 * A request that reached the service.
 *
 * **Details**
 *
 * It is safe to print: it has neither a query nor a body, and its credentials are redacted.
 */
export interface ReceivedRequest {
  /** `group.name` of the operation that handled it; absent if neither the service nor a reply had one for the request. */
  readonly operation?: string
  readonly method: string
  /** The path of its URL, including that of the base URL. */
  readonly path: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | Redacted.Redacted>>
  /** By the test's clock. */
  readonly receivedAt: DateTime.Utc
}

/**
 * A handle to the in-memory service: changes its content, handles your own operations, and shows the requests that it
 * received.
 *
 * **When to use**
 *
 * In tests, together with the client. {@link layer} and {@link layerTest} provide it with its transport. Each build of
 * one of them starts a new service, so tests share nothing; those of `layer(layerTest(seed))` share one, and `reset` it.
 *
 * **Example** (Testing a wait)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Fiber from "effect/Fiber"
 * import * as TestClock from "effect/testing/TestClock"
 * import * as Waiting from "@cloud-management/core/Waiting"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const test = Effect.gen(function* () {
 *   const service = yield* InMemoryTransport.InMemoryTransport
 *   yield* service.setStatus(Fixtures.endpoint, "Provisioning")
 *   const waiting = yield* Effect.forkChild(Waiting.waitUntil(Fixtures.endpoint))
 *   yield* TestClock.adjust("1 minute")
 *   yield* service.setStatus(Fixtures.endpoint, "Ready")
 *   yield* TestClock.adjust("1 minute")
 *   return yield* Fiber.join(waiting)
 * }).pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed)))
 * ```
 */
export class InMemoryTransport extends Context.Service<
  InMemoryTransport,
  {
    /**
     * Sets the status of the endpoint that a read with these parameters returns. As in `Waiting.waitUntil`, a status
     * that this version does not know needs `Waiting.anyStatus`.
     */
    readonly setStatus: (
      params: Operation.Params<typeof getReversePrivateEndpoint>,
      status: KnownStatus | AnyStatus
    ) => Effect.Effect<void, NotFound>
    /** Adds an API key with a new ID and secret to an organization: `Credentials.make(key.id, key.secret)`. */
    readonly addKey: (
      organizationId: OrganizationId
    ) => Effect.Effect<{ readonly id: ApiKeyId; readonly secret: Redacted.Redacted }, NotFound>
    /** Removes an API key: its next request gets a 401. */
    readonly removeKey: (keyId: ApiKeyId) => Effect.Effect<void, NotFound>
    /**
     * Handles an operation, your own or one of the API, with a handler from now on. The handler returns the result, or
     * fails with a refusal that the operation declares. The last reply to an operation applies. If a request fits two
     * operations, a text in a path comes before a variable, as in the service. The service authenticates the request,
     * decodes the input and encodes the result as for its own operations.
     *
     * A defect in the handler, such as a failed assertion, becomes a defect of the call.
     */
    readonly reply: <O extends Operation.Any>(operation: O, handler: Act<O>) => Effect.Effect<void>
    /**
     * Starts anew: the content is that of the seed, and replies, requests and used-up limits are forgotten. For tests that
     * share one service; calls in flight end on the old one.
     */
    readonly reset: Effect.Effect<void>
    /** All requests so far, in order of arrival: one per attempt of a call. */
    readonly requests: Effect.Effect<ReadonlyArray<ReceivedRequest>>
    /**
     * The inputs of the requests for an operation so far, in order of arrival, without requests that do not match the
     * operation's schemas. A request that nothing handled is for each operation whose method and path it fits.
     */
    readonly inputs: <O extends Operation.Any>(operation: O) => Effect.Effect<ReadonlyArray<Operation.Input<O>>>
  }
>()("@cloud-management/testing/InMemoryTransport") {}

/**
 * The transport over an existing service, whose real routes run in the caller's fiber, with the caller's clock, tracer
 * and interruption, without a network.
 *
 * **Details**
 *
 * It ignores the origin of the URL, but uses its path. A request creates no `HttpClient` span and gets no trace
 * headers, because the client has its own span.
 */
export const layerService: Layer.Layer<HttpClient.HttpClient, never, Service.Service> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Service.Service, ({ handle }) => ServiceClient.make(handle))
)

/** An operation with its handler: the service, or a handler of the test. */
const known = (operation: Operation.Any, handle: Service.Service["Service"]["handle"]) => ({
  operation,
  decode: RequestInput.decode(operation),
  handle
})
type Known = ReturnType<typeof known>

const byOperation = Order.mapInput(RequestInput.order, ({ operation }: Known) => operation)

/** A request, with the operation that handled it. */
interface Arrival {
  readonly request: HttpRequest
  readonly operation: Operation.Any | undefined
  readonly receivedAt: number
}

/**
 * Explains why the service does not know a request. It contains no path, because the client might then withhold the
 * quote.
 */
const unhandled = (request: HttpRequest, all: ReadonlyArray<Known>) => {
  const isBelowPrefix = ServiceClient.below(request).some((one) => all.some(({ decode }) => decode(one) !== undefined))
  return isBelowPrefix
    ? "the in-memory service has this operation, but not below the path of the base URL"
    : "the in-memory service does not have this operation: add it with reply(operation, handler)"
}

/** How the handler of a reply ended; the service would hide it behind a 500. */
const Ended = Context.Reference<{ exit: Exit.Exit<unknown, unknown> | undefined }>("@cloud-management/testing/Ended", {
  defaultValue: () => ({ exit: undefined })
})

/** Why the service could not encode a reply, in the words of the operation's schema. */
const mismatch = (operation: Operation.Any, result: unknown) => {
  const { _tag, schema, form = schema } = operation.success
  const encoded = Schema.encodeUnknownResult(form)(_tag === "Envelope" ? { result } : result)
  const message = `the reply to ${Operation.nameOf(operation)} does not match its schema`
  return Result.isFailure(encoded) ? `${message}: ${encoded.failure.message}` : message
}

const filled = Effect.fnUntraced(function* (seed: Seed.Document) {
  const records = MemoryStore.empty()
  const store = MemoryStore.make(records)
  yield* Effect.orDie(store.seed(yield* Seed.fromDocument(seed)))
  return { records, store }
})

/** A new service with the content of a seed. */
const begin = Effect.fnUntraced(function* (seed: Seed.Document, options: Service.Options) {
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const { records, store } = yield* filled(seed)
  const random = yield* SecureRandom.SecureRandom
  const { counter } = yield* RateLimitStore
  const counters = new Map<string, Counter>()
  /** The requirements of this transport's service. The services of replies use the same counters. */
  const context = Context.make(Store, store).pipe(
    Context.add(KeyStore, store),
    Context.add(SecureRandom.SecureRandom, random),
    Context.add(RateLimitStore, {
      counter: (name, window, capacity) => {
        const found = counters.get(name) ?? counter(name, window, capacity)
        counters.set(name, found)
        return found
      }
    })
  )
  const start = (layer: Layer.Layer<Service.Service, never, Store | KeyStore | SecureRandom.SecureRandom>) =>
    Layer.buildWithScope(layer, scope).pipe(
      Effect.map((built) => Context.get(built, Service.Service).handle),
      Effect.provideContext(context)
    )
  const own = yield* start(CloudService.layer(options))
  return {
    records,
    context,
    start,
    own,
    /** In the order of the service; of equal ones, the newest reply first. */
    all: Object.values(operations)
      .flatMap((group) => Object.values<Operation.Any>(group).map((operation) => known(operation, own)))
      .sort(byOperation),
    log: Array.empty<Arrival>(),
    /** How many are under way. */
    calls: 0,
    end: Scope.close(scope, Exit.void)
  }
})

const make = Effect.fnUntraced(function* (seed: Seed.Document, options: Service.Options) {
  const random = yield* SecureRandom.SecureRandom
  const restart = begin(seed, options)
  const context = yield* Effect.context<Effect.Services<typeof restart>>()
  let current = yield* restart

  const find = (request: HttpRequest) => current.all.find(({ decode }) => decode(request) !== undefined)
  const operationOf = (request: HttpRequest) => {
    const found = find(request)
    return found && Operation.nameOf(found.operation)
  }

  const handle: Known["handle"] = (request) =>
    Effect.clockWith((clock) => {
      const run = current
      const { all, log, own } = run
      const found = find(request)
      log.push({ request, operation: found?.operation, receivedAt: clock.currentTimeMillisUnsafe() })
      const handled =
        found?.handle(request) ??
        Effect.map(own(request), (response) =>
          response.status === 404 || response.status === 405
            ? HttpServerResponse.setBody(response, HttpBody.text(unhandled(request, all)))
            : response
        )
      run.calls++
      return Effect.onExitPrimitive(handled, () => (--run.calls === 0 && run !== current ? run.end : undefined))
    })

  const notFound = (kind: NotFound["kind"], id: string) => Effect.fail(new NotFound({ kind, id }))
  const inMemory = InMemoryTransport.of({
    setStatus: ({ organizationId, reversePrivateEndpointId, serviceId }, status) =>
      Effect.suspend(() => {
        const { reversePrivateEndpoints } = current.records
        const id = reversePrivateEndpointId.toLowerCase()
        const path = MemoryStore.pathOf(
          OrganizationId.make(organizationId.toLowerCase()),
          ServiceId.make(serviceId.toLowerCase()),
          ReversePrivateEndpointId.make(id)
        )
        const endpoint = reversePrivateEndpoints.get(path)
        if (endpoint === undefined) return notFound("endpoint", id)
        reversePrivateEndpoints.set(path, { ...endpoint, status })
        return Effect.void
      }),
    addKey: Effect.fnUntraced(
      function* (given) {
        const { apiKeys, organizations } = current.records
        const organizationId = OrganizationId.make(given.toLowerCase())
        if (!organizations.has(organizationId)) return yield* notFound("organization", organizationId)
        const id = ApiKeyId.make(yield* random.uuidV4())
        const secret = yield* ApiKeySecret.generate
        apiKeys.set(id, {
          id,
          organizationId,
          name: "",
          digest: ApiKeySecret.digest(secret),
          state: "enabled",
          createdAt: yield* DateTime.now,
          lastUsedAt: undefined,
          expiresAt: undefined
        })
        return { id, secret }
      },
      (added) => Effect.suspend(() => Effect.provideContext(added, current.context))
    ),
    removeKey: (keyId) =>
      Effect.suspend(() => {
        const id = ApiKeyId.make(keyId.toLowerCase())
        return current.records.apiKeys.delete(id) ? Effect.void : notFound("key", id)
      }),
    reply: Effect.fnUntraced(function* (operation, handler) {
      const { group, name } = Mistake.given(operation)
      const observed: typeof handler = (input, call) =>
        Effect.onExit(
          Effect.suspend(() => handler(input, call)),
          (exit) => Effect.map(Ended, (ended) => (ended.exit = exit))
        )
      const handle = yield* current.start(
        Service.layerOf(
          { [group]: { [name]: ResponseOutput.lenient(operation) } },
          { [group]: { [name]: observed } },
          options
        )
      )
      const reply: Known["handle"] = Effect.fnUntraced(function* (request) {
        const ended: typeof Ended.Service = { exit: undefined }
        const response = yield* Effect.provideService(handle(request), Ended, ended)
        if (ended.exit === undefined) return response
        const defect = Exit.findDefect(ended.exit)
        if (Result.isSuccess(defect)) return yield* Effect.die(defect.success)
        return Exit.isSuccess(ended.exit) && response.status === 500
          ? yield* Effect.die(new TypeError(mismatch(operation, ended.exit.value)))
          : response
      })
      current.all = [known(operation, reply), ...current.all].sort(byOperation)
    }),
    // the seed was valid when the layer was built
    reset: Effect.flatMap(Effect.orDie(Effect.provideContext(restart, context)), (fresh) => {
      const { calls, end } = current
      current = fresh
      return calls === 0 ? end : Effect.void
    }),
    requests: Effect.map(Headers.CurrentRedactedNames, (names) =>
      current.log.map(({ operation, receivedAt, request }) => ({
        ...(operation !== undefined && { operation: Operation.nameOf(operation) }),
        method: request.method,
        path: pathOf(request),
        headers: Headers.redact(Headers.fromInput(request.headers), ["authorization", ...names]),
        receivedAt: DateTime.makeUnsafe(receivedAt)
      }))
    ),
    inputs: (operation) => {
      const decode = RequestInput.decode(Mistake.given(operation))
      const decoded = Effect.suspend(() =>
        Effect.forEach(
          current.log
            .filter(({ operation: handled }) => handled === undefined || RequestInput.order(handled, operation) === 0)
            .flatMap(({ request }) => decode(request) ?? []),
          Effect.option
        )
      )
      return Effect.map(decoded, Array.getSomes)
    }
  })
  return Context.make(HttpClient.HttpClient, ServiceClient.make(handle, operationOf)).pipe(
    Context.add(InMemoryTransport, inMemory)
  )
})

/**
 * The transport over a new in-memory service that starts with the content of a seed, and the handle of that service.
 *
 * **Example** (Creating a client for an in-memory service)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
 * }).pipe(Layer.provide(InMemoryTransport.layer(Fixtures.seed)))
 * ```
 */
export const layer = (
  seed: Seed.Document,
  options: Service.Options = {}
): Layer.Layer<HttpClient.HttpClient | InMemoryTransport, Seed.InvalidSeed> =>
  Layer.effectContext(make(seed, options)).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/**
 * The client, its transport and the handle in one layer, for a first test: the client uses the seed's first key and
 * does not retry, so no test with a virtual clock waits for a retry.
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
 */
export const layerTest = (
  seed: Seed.Document
): Layer.Layer<
  CloudManagement.CloudManagement | HttpClient.HttpClient | InMemoryTransport,
  Seed.InvalidSeed | Client.InvalidOption
> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { organizations } = yield* Seed.fromDocument(seed)
      const keys = organizations.flatMap(({ apiKeys }) => apiKeys)
      const key = keys.flatMap(({ id, secret }) => (secret === undefined ? [] : [{ id, secret }]))[0]
      if (key === undefined) {
        return yield* new Seed.InvalidSeed({
          message: "the seed has no API key with a secret, which is needed to sign requests"
        })
      }
      return CloudManagement.layer({
        baseUrl: "http://in-memory",
        credentials: Credentials.make(key.id, key.secret),
        retry: Retry.none
      })
    })
  ).pipe(Layer.provideMerge(layer(seed)))

/** An in-memory store with the content of a seed. */
export const layerStore = (seed: Seed.Document): Layer.Layer<Store | KeyStore, Seed.InvalidSeed> =>
  Layer.provideMerge(
    layerKeys,
    Layer.effect(
      Store,
      Effect.map(filled(seed), ({ store }) => store)
    )
  )
