import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Registry } from "@cloud-management/client/Client"
import type * as AccessLog from "./AccessLog.ts"
import type * as Audit from "./Audit.ts"
import type { Description } from "./OpenApiDocument.ts"
import type { Handlers } from "./Handlers.ts"
import { pathOf, type HttpRequest } from "./HttpRequest.ts"
import * as Responses from "./wire/responses.ts"
import * as Cors from "./wire/cors.ts"
import * as Document from "./routes/document.ts"
import type { Exchange } from "./wire/exchange.ts"
import type { Fault } from "./wire/fault.ts"
import * as Gate from "./admission/gate.ts"
import * as KeyLimit from "./admission/keyLimit.ts"
import { Measures } from "./telemetry/measures.ts"
import * as Observed from "./telemetry/observed.ts"
import * as OptionRules from "@cloud-management/client/OptionRules"
import * as Outages from "./telemetry/outages.ts"
import * as Readiness from "./routes/readiness.ts"
import * as Recording from "./recording.ts"
import * as RequestIds from "./wire/requestIds.ts"
import * as Router from "./wire/router.ts"
import * as Routes from "./routes/operations.ts"
import * as WellFormed from "./wire/wellFormed.ts"
import type { RateLimit } from "./RateLimitStore.ts"
import { KeyStore, type StoreUnavailable } from "./KeyStore.ts"

/** The options of a service. */
export interface Options {
  /** Requests per key. Default: no limit. */
  readonly rateLimit?: RateLimit | undefined
  /** Origins from which browsers may call, compared exactly: `https://app.example.com`. Default: none. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Whether anyone may read `/docs` and `/openapi.json`. Default: true. */
  readonly documentation?: boolean | undefined
  /** Receives copies of the audit records, such as `Audit.write`; the store records acts anyway. Default: none. */
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

const kinds: Readonly<Record<keyof Options, OptionRules.Kind>> = {
  rateLimit: OptionRules.object,
  corsOrigins: [
    "a list of origins, such as https://app.example.com",
    (value) => Array.isArray(value) && value.every(isOrigin)
  ],
  documentation: OptionRules.boolean,
  audit: OptionRules.callable,
  accessLog: OptionRules.callable
}

/**
 * Throws for options that a service cannot have.
 *
 * @internal
 */
export const check = (options: Options): void => {
  OptionRules.check("service", OptionRules.options(options), kinds)
  if (options.rateLimit === undefined) return
  const { limit, window } = options.rateLimit
  OptionRules.check(
    "service.rateLimit",
    { ...options.rateLimit, limit, window },
    { limit: OptionRules.count, window: OptionRules.time }
  )
}

type Response = HttpServerResponse.HttpServerResponse

/**
 * The service as one function from a request to its response: every host (Node, a web handler, the in-memory transport)
 * runs this same value.
 */
export class Service extends Context.Service<
  Service,
  {
    readonly handle: (request: HttpRequest) => Effect.Effect<Response>
    /** Sends load balancers elsewhere: `/ready` responds 503, and each connection ends with its response. It still serves. */
    readonly withdraw: Effect.Effect<void>
    /**
     * Responds to requests and `/ready` with 503 from now on, so that callers and load balancers use other nodes. The
     * access log has no status for requests that are interrupted from now on: a host that shuts down cuts them off.
     */
    readonly drain: Effect.Effect<void>
  }
>()("@cloud-management/service/Service") {}

/** Logs a body that fails after its head was sent, when no response can say so any more. */
const reporting = (response: Response, requestId: string): Response =>
  Responses.mapStream(response, (stream) =>
    Stream.tapCause(stream, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.annotateLogs(Effect.logError("response failed after its head", cause), { requestId })
    )
  )

const page = (path: string, respond: (request: HttpRequest) => Effect.Effect<Response, StoreUnavailable>) => ({
  method: "GET" as const,
  path,
  respond: ({ request }: Exchange) => Effect.flatMap(WellFormed.body(request), () => respond(request))
})

/**
 * The service of a registry, with what its document says of the operations.
 *
 * @internal
 */
export const make = Effect.fnUntraced(function* <Api extends Registry>(
  operations: Api,
  handlers: Handlers<Api>,
  options: Options,
  description: () => Promise<{ readonly description?: Description }> = () => Promise.resolve({})
) {
  const measures = yield* Measures
  const store = Observed.store(yield* KeyStore, measures)
  const audit = Recording.guarded(options.audit ?? (() => Effect.void), "an audit record was not received")
  const scope = yield* Effect.scope
  const cors = options.corsOrigins === undefined ? undefined : Cors.make(options.corsOrigins, operations)
  const outages = yield* Outages.make(Outages.ofStore)
  let withdrawn = false
  let draining = false

  /** The response to a request that failed. A failure is logged with its root cause, a defect with all that is known. */
  const recover =
    (requestId: string) =>
    (cause: Cause.Cause<Responses.Refused | StoreUnavailable>): Effect.Effect<Response> => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (error !== undefined && Responses.isRefused(error)) {
        const reason = Responses.rejectionOf(error)
        if (reason !== undefined) measures?.rejected(reason)
        // a body that does not fit its schema is a defect
        return Effect.catchCause(
          Effect.sync(() => Responses.refusal(error, requestId)),
          recover(requestId)
        )
      }
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const failed = (why: string) => [Effect.logError(`request failed: ${why}`), Responses.internalError] as const
      const [log, fault] =
        error === undefined
          ? [Effect.logError("request failed", cause), Responses.internalError]
          : error.isCorrupt
            ? failed(`the database is corrupt and must be restored from a backup: ${error.message}`)
            : error.remedy !== undefined
              ? failed(`the database refuses it: ${error.message}. ${error.remedy}`)
              : [outages.failed(error.message), Responses.unavailable]
      return log.pipe(Effect.annotateLogs({ requestId }), Effect.as(Responses.refusal(fault, requestId)))
    }

  const countRequest = options.rateLimit === undefined ? undefined : yield* KeyLimit.make(options.rateLimit)
  const limited: Routes.Needs["limited"] = (exchange, key, work) =>
    countRequest === undefined
      ? work(key)
      : Effect.flatMap(countRequest(key), ({ headers, refused }) => {
          if (refused !== undefined) measures?.rateLimited("key")
          const outcome = refused === undefined ? Effect.suspend(() => work(key)) : Effect.fail(refused)
          return Effect.map(Effect.catchCause(outcome, recover(exchange.requestId)), (response) =>
            HttpServerResponse.setHeaders(response, headers)
          )
        })
  const ready = Effect.tap(yield* Readiness.make(store), outages.recovered)
  // a store that can be read may still refuse writes
  const whenRead = (clock: Clock.Clock) =>
    outages.mayEnd(clock) ? Effect.forkIn(Effect.ignore(ready), scope, { startImmediately: true }) : undefined
  const gate = yield* Gate.make(store, audit, measures, whenRead)
  // loaded when they are first asked for: a service must not wait for them, nor for the two megabytes of the page, to start
  const described = Effect.map(Effect.promise(description), ({ description }) => description)
  const openApiDocument = yield* Document.once(
    Effect.gen(function* () {
      const { make } = yield* Effect.promise(() => import("./OpenApiDocument.ts"))
      const text = JSON.stringify(make(operations, yield* described))
      return yield* Document.make(text, { "content-type": "application/json" })
    })
  )
  const documentationPage = yield* Document.once(
    Effect.flatMap(
      Effect.promise(() => import("./routes/swagger.ts")),
      ({ page }) => Effect.flatMap(described, (description) => page(operations, description))
    )
  )

  const routes: ReadonlyArray<Routes.Route> = [
    ...(yield* Routes.make(operations, handlers, { audit, gate, store, limited })),
    page("/health", () => Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }))),
    page("/ready", () => Effect.as(ready, HttpServerResponse.jsonUnsafe({ status: "ready" }))),
    ...(options.documentation === false
      ? []
      : [
          page("/openapi.json", (request) => Effect.flatMap(openApiDocument, (respond) => respond(request))),
          page("/docs", (request) => Effect.flatMap(documentationPage, (respond) => respond(request)))
        ])
  ]
  const match = Router.make(
    routes.map((route) => ({
      ...route,
      template: Router.templateOf(route.path),
      isProbe: route.path === "/health" || route.path === "/ready"
    }))
  )

  const dispatch = (exchange: Exchange, matched: ReturnType<typeof match> | Fault): ReturnType<Routes.Respond> => {
    const { request, requestId } = exchange
    if (matched._tag === "Fault") return Effect.fail(matched)
    if (cors?.isPreflight(request) === true) return Effect.as(WellFormed.body(request), cors.preflight)
    if (matched._tag === "NotFound") {
      measures?.rejected("unknown route")
      return Effect.succeed(HttpServerResponse.text("Not Found\n", { status: 404 }))
    }
    if (matched._tag === "MethodNotAllowed") {
      const { allow } = matched
      measures?.rejected("method not allowed")
      return Effect.succeed(Responses.failure(405, `METHOD_NOT_ALLOWED: Use ${allow}`, requestId, { allow }))
    }
    const { path, respond } = matched.route
    const isTurnedAway = (draining && path !== "/health") || (withdrawn && path === "/ready")
    return isTurnedAway ? Effect.fail(Responses.unavailable) : respond(exchange)
  }

  const { accessLog } = options
  const access = accessLog && Recording.guarded(accessLog, "the access log did not take an entry")
  const observed = Observed.request(measures, access, () => draining)
  const ids = RequestIds.make(yield* SecureRandom.SecureRandom)
  const handle = (request: HttpRequest): Effect.Effect<Response> => {
    const requestId = ids.next()
    if (requestId === undefined) return Effect.flatMap(ids.draw, () => handle(request))
    const matched = WellFormed.head(request) ?? match(request.method, pathOf(request))
    const { params = {}, route } = matched._tag === "Found" ? matched : {}
    const exchange: Exchange = { request, requestId, route, params, keyId: undefined }
    const complete = (response: Response) => {
      const ends = withdrawn || draining || (response.status >= 400 && WellFormed.hasBody(request))
      const headers = Responses.headersOf(response, requestId)
      // a body that was not read to its end is where a next request could hide
      const completed = HttpServerResponse.setHeaders(
        reporting(response, requestId),
        ends ? { ...headers, ...Responses.close } : headers
      )
      return cors === undefined ? completed : cors.expose(request, completed)
    }
    return observed(exchange, () =>
      Effect.map(Effect.catchCause(dispatch(exchange, matched), recover(requestId)), complete)
    )
  }

  return Service.of({
    handle,
    withdraw: Effect.sync(() => void (withdrawn = true)),
    drain: Effect.sync(() => void (draining = true))
  })
})

/**
 * The service for your own registry, with a handler for each of its operations; a missing handler does not compile.
 *
 * **Details**
 *
 * Throws a `RangeError` that names the option if one is invalid or does not exist.
 */
export const layerOf = <const Api extends Registry>(
  operations: Api,
  handlers: Handlers<Api>,
  options: Options = {}
): Layer.Layer<Service, never, KeyStore | SecureRandom.SecureRandom> => {
  check(options)
  return Layer.effect(Service, make(operations, handlers, options))
}
