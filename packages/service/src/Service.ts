import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as CloudError from "@cloud-management/core/CloudError"
import type { Registry } from "@cloud-management/core/Client"
import { nameOf, type Any } from "@cloud-management/core/Operation"
import { operations as ours } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import type * as AccessLog from "./AccessLog.ts"
import type * as Audit from "./Audit.ts"
import { Listener } from "./Event.ts"
import type { Call, Handlers } from "./Handlers.ts"
import * as OwnHandlers from "./Handlers.ts"
import { pathOf, type HttpRequest } from "./HttpRequest.ts"
import * as Address from "./internal/address.ts"
import * as Answers from "./internal/answers.ts"
import * as Authentication from "./internal/authentication.ts"
import * as CallerAddress from "./internal/callerAddress.ts"
import * as Cors from "./internal/cors.ts"
import * as Document from "./internal/document.ts"
import { documentation, openApi } from "./internal/documentation.ts"
import * as Expiry from "./internal/expiry.ts"
import type { Exchange } from "./internal/exchange.ts"
import type { Fault } from "./internal/fault.ts"
import * as FailedAuthentications from "./internal/failedAuthentications.ts"
import * as Input from "./internal/input.ts"
import * as KeyLimit from "./internal/keyLimit.ts"
import * as Observed from "./internal/observed.ts"
import * as Given from "./internal/options.ts"
import * as Outages from "./internal/outages.ts"
import * as Output from "./internal/output.ts"
import * as Rejections from "./internal/rejections.ts"
import * as RequestIds from "./internal/requestIds.ts"
import * as Router from "./internal/router.ts"
import * as Uses from "./internal/uses.ts"
import * as WellFormed from "./internal/wellFormed.ts"
import * as Windows from "./internal/windows.ts"
import type { RateLimit } from "./RateLimit.ts"
import { Store, type ApiKey, type Lookup, type StoreUnavailable } from "./Store.ts"

/**
 * The options of a service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Requests per key. Default: no limit. */
  readonly rateLimit?: RateLimit | undefined
  /** Origins from which browsers may call, compared exactly: `https://app.example.com`. Default: none. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Whether anyone may read `/docs` and `/openapi.json`. Default: true. */
  readonly documentation?: boolean | undefined
  /**
   * Whether results may omit what the client can do without, such as the name of an organization. Default: false; such
   * a result is then a defect.
   */
  readonly lenient?: boolean | undefined
  /** Receives the audit records, such as `Audit.write`. Default: none. */
  readonly audit?: Audit.Recorder | undefined
  /** Receives an entry for each request. Default: none. */
  readonly accessLog?: AccessLog.Recorder | undefined
}

/** An origin as browsers send it (RFC 6454 §6.2); those of pages in an app can have a scheme of their own. */
const isOrigin = (value: unknown) =>
  Predicate.isString(value) &&
  /^[a-z][a-z\d+.-]*:\/\/[^/?#@]+$/.test(value) &&
  URL.canParse(value) &&
  ["null", value].includes(new URL(value).origin)

const kinds: Readonly<Record<keyof Options, Given.Kind>> = {
  rateLimit: Given.object,
  corsOrigins: [
    "a list of origins, such as https://app.example.com",
    (value) => Array.isArray(value) && value.every(isOrigin)
  ],
  documentation: Given.boolean,
  lenient: Given.boolean,
  audit: Given.callable,
  accessLog: Given.callable
}

/** Throws for options that a service cannot have. */
const check = (options: Options): void => {
  Given.check("service", Given.given(options), kinds)
  if (options.rateLimit === undefined) return
  const { limit, window } = options.rateLimit
  Given.check("service.rateLimit", { ...options.rateLimit, limit, window }, { limit: Given.count, window: Given.time })
}

type Response = HttpServerResponse.HttpServerResponse

type Handler = (exchange: Exchange) => Effect.Effect<Response, Answers.Refused | StoreUnavailable>

/**
 * The service as one function from a request to its response: every host (Node, a web handler, the in-memory transport)
 * runs this same value.
 *
 * @category services
 * @since 0.1.0
 */
export class Service extends Context.Service<
  Service,
  {
    readonly handle: (request: HttpRequest) => Effect.Effect<Response>
    /**
     * Responds to `/ready` with 503 from now on, so that load balancers use other nodes, and ends each connection after its
     * response. Other requests are still served.
     */
    readonly withdraw: Effect.Effect<void>
    /** Responds to requests and `/ready` with 503 from now on, so that callers and load balancers use other nodes. */
    readonly drain: Effect.Effect<void>
    /**
     * Treats interrupted requests from now on as cut off by a host that shuts down; the access log has no status for
     * them.
     */
    readonly cutOff: Effect.Effect<void>
  }
>()("@cloud-management/service/Service") {}

/** A page that anyone may read. */
const page = (path: string, response: Effect.Effect<Response, StoreUnavailable>): Router.Route<Handler> => ({
  method: "GET",
  path,
  handler: ({ request }) => Effect.andThen(WellFormed.body(request), response)
})
const document = (path: string, loaded: Effect.Effect<Document.Document>): Router.Route<Handler> => ({
  method: "GET",
  path,
  handler: ({ request }) =>
    Effect.andThen(
      WellFormed.body(request),
      Effect.flatMap(loaded, (answer) => answer(request))
    )
})

const isOrganizationId = Schema.is(OrganizationId)
const organizationOf = (input: object) =>
  Predicate.hasProperty(input, "organizationId") ? input.organizationId : undefined

const noBody: Uint8Array = new Uint8Array()
const nobody = Effect.succeed({ caller: Option.none<ApiKey>(), found: () => Effect.die("no key has no work") })

const corrupt = "the database is corrupt and must be restored from a backup"

/** A handler of any operation. */
type AnyHandler =
  | ((input: object, call: Call) => Effect.Effect<unknown, Answers.Refused | StoreUnavailable>)
  | {
      readonly read: (
        input: object,
        caller: ApiKeyId
      ) => Effect.Effect<Lookup<Effect.Effect<unknown, Answers.Refused>>, StoreUnavailable>
    }

/** Finds the key that a request names, and what is to be done if it opens the service. */
type Find = (
  caller: ApiKeyId
) => Effect.Effect<
  Lookup<
    (
      key: ApiKey,
      body: Uint8Array
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Answers.Refused | StoreUnavailable>
  >,
  StoreUnavailable
>

/** Each operation with its handler. */
function bound<Api extends Registry>(
  operations: Api,
  handlers: Handlers<Api>
): ReadonlyArray<readonly [Any, AnyHandler]>
function bound(operations: Registry, handlers: Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>) {
  return Object.entries(operations).flatMap(([group, named]) =>
    Object.entries(named).flatMap(([name, operation]) => {
      const handler = handlers[group]?.[name]
      return handler === undefined ? [] : [[operation, handler] as const]
    })
  )
}

const make = Effect.fnUntraced(function* <Api extends Registry>(
  operations: Api,
  handlers: Handlers<Api>,
  options: Options
) {
  const store = yield* Store
  const random = yield* SecureRandom.SecureRandom
  const countRequest = options.rateLimit === undefined ? undefined : yield* KeyLimit.make(options.rateLimit)
  const audit = options.audit ?? (() => Effect.void)
  const listener = yield* Listener
  const emit: Listener = listener ?? (() => {})
  const failures = yield* FailedAuthentications.make(audit, emit)
  const guesses = yield* Rejections.make((pair = "", count) => {
    const [address = "", ...words] = pair.split(" ")
    const keyId = words.join(" ")
    if (count === 1) return Effect.void
    return audit("authentication.failed", {
      count: count - 1,
      address: address || undefined,
      keyId: keyId || undefined
    })
  })
  const denials = yield* Rejections.make((actor, count) =>
    count > 1 ? audit("access.denied", { actor, count: count - 1 }) : Effect.void
  )
  const cors = options.corsOrigins === undefined ? undefined : Cors.make(options.corsOrigins, operations)
  const outages = yield* Outages.make(Outages.ofStore)
  const uses = yield* Uses.make(store)
  let withdrawn = false
  let draining = false
  let cuttingOff = false

  /** The response to a request that failed. A failure is logged with its root cause, a defect with all that is known. */
  const recover = (requestId: string) => (cause: Cause.Cause<Answers.Refused | StoreUnavailable>) => {
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (error !== undefined && Answers.isRefused(error)) {
      const reason = Answers.rejectionOf(error)
      if (reason !== undefined) emit({ _tag: "RequestRejected", reason })
      return Effect.succeed(Answers.refusal(error, requestId))
    }
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const [log, answer] =
      error === undefined
        ? [Effect.logError("request failed", cause), Answers.internalError]
        : error.isCorrupt
          ? [Effect.logError(`request failed: ${corrupt}: ${error.message}`), Answers.internalError]
          : [outages.failed(error.message), Answers.unavailable]
    return log.pipe(Effect.annotateLogs({ requestId }), Effect.as(Answers.refusal(answer, requestId)))
  }

  const ids = RequestIds.make(random)
  const entry = (event: Audit.Event, { request, requestId }: Exchange, fields: Audit.Fields): Audit.Entry => ({
    event,
    ...fields,
    requestId,
    address: CallerAddress.of(request)
  })
  const record = (name: Audit.Event, exchange: Exchange, given: Audit.Fields) =>
    Effect.suspend(() => {
      const { event, ...fields } = entry(name, exchange, given)
      return audit(event, fields)
    })

  /** Counted and recorded also when the caller leaves. */
  const refuse = (
    exchange: Exchange,
    operation: string,
    keyId: ApiKeyId | undefined,
    { answer, reason }: Authentication.Refusal
  ): Effect.Effect<never, CloudError.RateLimited | CloudError.Unauthorized> =>
    Effect.flatMap(
      Effect.uninterruptible(
        Effect.gen(function* () {
          const address = CallerAddress.of(exchange.request)
          const refusal = address === undefined ? undefined : yield* failures.count(address, keyId)
          if (refusal !== undefined) return refusal
          emit({ _tag: "AuthenticationFailed", reason })
          const network = address === undefined ? "" : Address.network(address)
          if (yield* guesses(`${network} ${keyId ?? ""}`)) {
            yield* record("authentication.failed", exchange, { operation, reason, keyId })
          }
          return answer
        })
      ),
      Effect.fail
    )

  const authenticate = (exchange: Exchange, operation: string, find: Find) =>
    Effect.clockWith((clock) => {
      const { request } = exchange
      const credentials = Authentication.read(request.headers["authorization"])
      const { keyId } = credentials
      const lookup = failures.unlessExhausted(request, keyId, clock, keyId === undefined ? nobody : find(keyId))
      const judge = ({ caller, found }: Effect.Success<typeof lookup>) => {
        const result = Authentication.verify(credentials, Option.getOrUndefined(caller), Expiry.now(clock))
        if (Result.isFailure(result)) return refuse(exchange, operation, keyId, result.failure)
        exchange.keyId = keyId
        uses.note(result.success, clock)
        // many guesses can be under way at once: one that was right after too many wrong ones comes too late
        return failures.unlessExhausted(request, keyId, clock, Effect.succeed({ key: result.success, work: found }))
      }
      return Effect.flatMap(lookup, (looked) => {
        const log = keyId === undefined ? undefined : outages.answered(clock)
        return log === undefined ? judge(looked) : Effect.andThen(log, judge(looked))
      })
    })

  /** An operation as a route: authentication, rate limit, authorization of the organization, validation, the work. */
  const route = (operation: Any, handler: AnyHandler): Router.Route<Handler> => {
    const name = nameOf(operation)
    const decode = Input.compile(operation)
    const encode = Output.compile(operation, options.lenient)
    const input = ({ params, request: { headers, url } }: Exchange, body: Uint8Array) =>
      decode({ params, target: url, headers, body })
    /** Refuses an organization that is not the key's, with the same answer whether or not it exists. */
    const forbid = (exchange: Exchange, key: ApiKey, organizationId: unknown) => {
      if (operation.scope !== "organization" || organizationId === key.organizationId) return undefined
      const actor = `key:${key.id}`
      const denied = record("access.denied", exchange, {
        operation: name,
        actor,
        organizationId: isOrganizationId(organizationId) ? organizationId : undefined
      })
      return Effect.andThen(
        Effect.flatMap(denials(actor), (isFirst) => (isFirst ? denied : Effect.void)),
        Effect.fail(new CloudError.Forbidden({ message: "FORBIDDEN: The key is not for this organization" }))
      )
    }
    /** What reads decodes its input first: it may fail, which is for later to say. */
    const finder = (exchange: Exchange): Find =>
      typeof handler === "function"
        ? (caller) =>
            Effect.map(store.apiKey(caller), (caller) => ({
              caller,
              found: Effect.fnUntraced(function* (key, body) {
                const decoded = yield* input(exchange, body)
                const forbidden = forbid(exchange, key, organizationOf(decoded))
                if (forbidden !== undefined) return yield* forbidden
                const { repeat } = operation
                const idempotencyKey =
                  typeof repeat === "object" ? (exchange.request.headers[repeat.header] ?? "") : undefined
                if (typeof repeat === "object" && idempotencyKey === "") {
                  const message = `BAD_REQUEST: The header ${repeat.header} is missing`
                  return yield* new CloudError.BadRequest({ message })
                }
                let headers: Readonly<Record<string, string>> | undefined
                const result = yield* handler(decoded, {
                  key,
                  ...(idempotencyKey !== undefined && { idempotencyKey }),
                  setHeaders: (added) => Effect.sync(() => void (headers = { ...headers, ...added })),
                  record: (event, fields) => record(event, exchange, fields),
                  entry: (event, fields) => entry(event, exchange, fields),
                  authenticate: Effect.map(authenticate(exchange, name, finder(exchange)), ({ key }) => key)
                })
                const response = encode(result, exchange.requestId)
                return headers === undefined ? response : HttpServerResponse.setHeaders(response, headers)
              })
            }))
        : (caller) =>
            Effect.matchEffect(input(exchange, noBody), {
              onFailure: (refused) =>
                Effect.map(store.apiKey(caller), (caller) => ({ caller, found: () => Effect.fail(refused) })),
              onSuccess: (decoded) =>
                Effect.map(handler.read(decoded, caller), ({ caller, found }) => ({
                  caller,
                  found: (key: ApiKey) =>
                    forbid(exchange, key, organizationOf(decoded)) ??
                    Effect.map(found, (result) => encode(result, exchange.requestId))
                }))
            })
    type Caller = Effect.Success<ReturnType<typeof authenticate>>
    const serve = (exchange: Exchange, { key, work }: Caller, body: Uint8Array): ReturnType<Handler> => {
      const organizationId = exchange.params["organizationId"]?.toLowerCase()
      // before the input is validated; an ID that is no UUID is left to that
      const forbidden = isOrganizationId(organizationId) ? forbid(exchange, key, organizationId) : undefined
      return forbidden ?? work(key, body)
    }
    const serveWithin =
      countRequest === undefined
        ? serve
        : (exchange: Exchange, caller: Caller, body: Uint8Array) =>
            Effect.flatMap(countRequest(caller.key), ({ headers, refused }) => {
              if (refused !== undefined) emit({ _tag: "RateLimited", limit: "key" })
              const served = refused === undefined ? serve(exchange, caller, body) : Effect.fail(refused)
              return Effect.map(Effect.catchCause(served, recover(exchange.requestId)), (response) =>
                HttpServerResponse.setHeaders(response, headers)
              )
            })
    return {
      method: operation.method,
      path: operation.path,
      handler: (exchange) => {
        const authenticated = authenticate(exchange, name, finder(exchange))
        const answer = (body: Uint8Array) =>
          Effect.flatMap(authenticated, (caller) => serveWithin(exchange, caller, body))
        // no body is read for a caller without a key; and the key may be deleted while the body comes
        return WellFormed.hasContent(exchange.request)
          ? Effect.flatMap(Effect.andThen(authenticated, WellFormed.body(exchange.request)), answer)
          : answer(noBody)
      }
    }
  }

  /** When the store is asked again. A time to live would go by the wall clock, which may be set back. */
  let staleAt = Infinity
  const restart = Effect.clockWith((clock) => Effect.sync(() => (staleAt = Windows.now(clock) + 1000)))
  const [asked, forget] = yield* Effect.cachedInvalidateWithTTL(Effect.ensuring(store.ping, restart), "Infinity")
  const checked = Effect.clockWith((clock) => {
    if (Windows.now(clock) < staleAt) return asked
    staleAt = Infinity
    return Effect.andThen(forget, asked)
  })
  // it goes on when its caller leaves, lest callers that come and leave make it begin anew each time
  const ready = Effect.flatMap(Effect.forkDetach(checked, { startImmediately: true }), Fiber.join).pipe(
    Effect.tap(Effect.clockWith((clock) => outages.answered(clock) ?? Effect.void))
  )

  const routes: ReadonlyArray<Router.Route<Handler>> = [
    ...bound(operations, handlers).map(([operation, handler]) => route(operation, handler)),
    page("/health", Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }))),
    page("/ready", Effect.as(ready, HttpServerResponse.jsonUnsafe({ status: "ready" }))),
    ...(options.documentation === false
      ? []
      : [
          document("/openapi.json", yield* Document.once(openApi(operations))),
          document("/docs", yield* Document.once(documentation(operations)))
        ])
  ]
  const match = Router.make(
    routes.map(({ handler, method, path }) => ({
      method,
      path,
      handler: { handler, path, template: Router.templateOf(path), isProbe: path === "/health" || path === "/ready" }
    }))
  )

  const dispatch = (exchange: Exchange, matched: ReturnType<typeof match> | Fault): ReturnType<Handler> => {
    const { request, requestId } = exchange
    if (matched._tag === "Fault") return Effect.fail(matched)
    if (cors?.isPreflight(request) === true) return Effect.as(WellFormed.body(request), cors.preflight)
    switch (matched._tag) {
      case "NotFound":
        emit({ _tag: "RequestRejected", reason: "unknown route" })
        return Effect.succeed(HttpServerResponse.text("Not Found\n", { status: 404 }))
      case "MethodNotAllowed": {
        const { allow } = matched
        emit({ _tag: "RequestRejected", reason: "method not allowed" })
        return Effect.succeed(Answers.failure(405, `METHOD_NOT_ALLOWED: Use ${allow}`, requestId, { allow }))
      }
      case "Found": {
        const { handler, path } = matched.handler
        const isTurnedAway = (draining && path !== "/health") || (withdrawn && path === "/ready")
        return isTurnedAway ? Effect.fail(Answers.unavailable) : handler(exchange)
      }
    }
  }

  const observed = Observed.request(listener, options.accessLog, () => cuttingOff)
  const handle = (request: HttpRequest): Effect.Effect<Response> => {
    const requestId = ids.next()
    if (requestId === undefined) return Effect.flatMap(ids.draw, () => handle(request))
    const matched = WellFormed.head(request) ?? match(request.method, pathOf(request))
    const found = matched._tag === "Found" ? matched : undefined
    const exchange: Exchange = {
      request,
      requestId,
      route: found?.handler,
      params: found?.params ?? {},
      keyId: undefined
    }
    const complete = (response: Response) => {
      const ends = withdrawn || draining || (response.status >= 400 && WellFormed.hasBody(request))
      const completed = HttpServerResponse.setHeaders(response, {
        ...Answers.headersOf(response, requestId),
        // a body that was not read to its end is where a next request could hide
        ...(ends && Answers.close)
      })
      return cors === undefined ? completed : cors.expose(request, completed)
    }
    return observed(exchange, () =>
      Effect.map(Effect.catchCause(dispatch(exchange, matched), recover(requestId)), complete)
    )
  }

  return Service.of({
    handle,
    withdraw: Effect.sync(() => {
      withdrawn = true
    }),
    drain: Effect.sync(() => {
      draining = true
    }),
    cutOff: Effect.sync(() => {
      cuttingOff = true
    })
  })
})

/** Reports the calls of the store, if there is a listener. */
const observedStore = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const listener = yield* Listener
  const store = yield* Store
  return yield* Effect.provideService(effect, Store, listener === undefined ? store : Observed.store(store, listener))
})

/**
 * The service over a store.
 *
 * **Details**
 *
 * It counts requests in the `RateLimitStore`, by default in the memory of this process.
 *
 * Throws a `RangeError` that names the option if one is invalid or does not exist.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Service, never, Store | SecureRandom.SecureRandom> => {
  check(options)
  return Layer.effect(
    Service,
    observedStore(Effect.flatMap(OwnHandlers.make, (handlers) => make(ours, handlers, options)))
  )
}

/**
 * The service for your own registry, with a handler for each of its operations; a missing handler does not compile.
 *
 * **Details**
 *
 * Throws a `RangeError` for options in the same cases as {@link layer}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOf = <const Api extends Registry>(
  operations: Api,
  handlers: Handlers<Api>,
  options: Options = {}
): Layer.Layer<Service, never, Store | SecureRandom.SecureRandom> => {
  check(options)
  return Layer.effect(Service, observedStore(make(operations, handlers, options)))
}
