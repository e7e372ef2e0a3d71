import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as HttpClient from "effect/http/HttpClient"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Core from "@cloud-management/core/Client"
import type { CloudError } from "@cloud-management/core/CloudError"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Log from "@cloud-management/core/Log"
import * as Metrics from "@cloud-management/core/Metrics"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import * as Service from "@cloud-management/service/Service"
import * as Echo from "@cloud-management/testing/Echo"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Timeline from "./Timeline.ts"

/** The three operations of the specification. */
export const operations = ["organizations.list", "apiKeys.delete", "reversePrivateEndpoints.get"] as const
export type Operation = (typeof operations)[number]
/** These, and two that create something: without an idempotency key, and with one. */
export const allOperations = [...operations, "echo.json", "echo.create"] as const
export type AnyOperation = (typeof allOperations)[number]

export type Client = CloudManagement.CloudManagementClient
export type AnyFailure = CloudError<{ readonly _tag: string; readonly message: string }>

/** Each operation as a call that succeeds on a service with the fixtures. */
export const calls: Readonly<Record<Operation, (cloud: Client) => Effect.Effect<unknown, AnyFailure>>> = {
  "organizations.list": (cloud) => cloud.organizations.list(),
  "apiKeys.delete": (cloud) => cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id }),
  "reversePrivateEndpoints.get": (cloud) =>
    cloud.reversePrivateEndpoints.get({
      organizationId: Fixtures.acme,
      serviceId: Fixtures.analytics,
      reversePrivateEndpointId: Fixtures.readyEndpoint
    })
}

export const allCalls: Readonly<Record<AnyOperation, (cloud: Client) => Effect.Effect<unknown, AnyFailure>>> = {
  ...calls,
  "echo.json": (cloud) =>
    cloud.execute(Echo.operations.echo.json, {
      payload: { text: "✓", number: 1, at: DateTime.makeUnsafe("2026-01-01T00:00:00Z"), list: [] }
    }),
  "echo.create": (cloud) =>
    Effect.flatMap(cloud.execute(Echo.operations.echo.create, { payload: { name: "first" } }), ({ result }) =>
      result.count === 1 ? Effect.void : Effect.die("the service did the work of one call twice")
    )
}

/** A service with the fixtures that notes each request as `METHOD path`. */
export const layerNoting = (seen: Array<string>): Layer.Layer<Service.Service> =>
  Layer.effect(
    Service.Service,
    Effect.map(Service.Service, (service) => ({
      ...service,
      handle: (request: HttpRequest) => {
        seen.push(`${request.method} ${request.url}`)
        return service.handle(request)
      }
    }))
  ).pipe(
    Layer.provide(Echo.layer()),
    Layer.provide(Layer.orDie(InMemoryTransport.layerStore(Fixtures.seed))),
    Layer.provide(SecureRandom.layerWebCrypto)
  )

/** What the options of the client leave to the test. */
export type Options = Partial<Omit<Core.Options, "baseUrl" | "credentials">>

/** A client of a service of its own, and what both sides saw so far. */
export interface Scripted {
  readonly cloud: Client
  /** When each request was sent, in milliseconds of the clock that only goes forward. */
  readonly sent: ReadonlyArray<number>
  /** The requests that reached the service. */
  readonly served: ReadonlyArray<string>
}

/**
 * A client over the in-memory transport, whose requests meet one fault after the other, and none after the last; `cuts`
 * befall what comes back all the same.
 */
export const connect = Effect.fnUntraced(function* (
  faults: Iterable<Faults.Fault>,
  options: Options = {},
  cuts: Iterable<Faults.Fault> = []
) {
  const sent: Array<number> = []
  const served: Array<string> = []
  const transport = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequestEffect((request) =>
        Clock.clockWith((clock) =>
          Effect.sync(() => {
            sent.push(Number(clock.monotonicTimeNanosUnsafe() / 1000n) / 1000)
            return request
          })
        )
      )
    )
  ).pipe(
    Layer.provide(InMemoryTransport.layerService.pipe(Faults.inject(faults), Faults.inject(cuts))),
    Layer.provide(layerNoting(served))
  )
  const layer = CloudManagement.layer({
    baseUrl: "https://in-memory",
    credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
    log: Log.effect,
    metrics: Metrics.effect,
    ...options
  })
  const context = yield* Layer.build(Layer.orDie(layer).pipe(Layer.provide(transport)))
  const scripted: Scripted = { cloud: Context.get(context, CloudManagement.CloudManagement), sent, served }
  return scripted
})

/** The same fault for every request. */
export function* always(fault: Faults.Fault): Generator<Faults.Fault> {
  for (;;) yield fault
}

/** An answer with the service's error envelope, from somewhere before the service. */
export const refusal = (status: number, headers: Readonly<Record<string, string>> = {}): Faults.Fault =>
  Faults.Fault.Status({
    status,
    headers,
    // 304 has no body (RFC 9110 §15.4.5)
    ...(status !== 304 && { body: JSON.stringify({ status, error: "CODE: text", requestId: "req-1" }) })
  })

/** How a call ended: `ok`, or the reason with the HTTP status, if there was one, and the outcome. */
export const ending = (exit: Exit.Exit<unknown, AnyFailure>): string => {
  if (Exit.isSuccess(exit)) return "ok"
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return Exit.hasInterrupts(exit) ? "interrupted" : "defect"
  return [error.reason._tag, error.status, error.outcome].filter((part) => part !== undefined).join(" ")
}

/** One call, played to its end in virtual time. */
export interface Played extends Scripted {
  readonly ending: string
  /** The error, when the call failed with one. */
  readonly error: AnyFailure | undefined
  /** Milliseconds from the call's start to its end. */
  readonly elapsed: number
  /** Milliseconds between one request and the next. */
  readonly gaps: ReadonlyArray<number>
}

/** Plays one call against faults, on a timeline of its own. */
export const play = Effect.fnUntraced(function* (
  faults: Iterable<Faults.Fault>,
  options: Options & {
    readonly call?: (cloud: Client) => Effect.Effect<unknown, AnyFailure>
    /** Faults that befall the answers of the others. */
    readonly cuts?: Iterable<Faults.Fault>
    /** Puts the time of day off by so many milliseconds. */
    readonly clockOff?: number
  } = {}
) {
  const { call = calls["organizations.list"], clockOff = 0, cuts, ...rest } = options
  const timeline = yield* Timeline.make
  timeline.jump(clockOff)
  const scripted = yield* connect(faults, rest, cuts)
  const { elapsed, exit } = yield* Effect.provide(timeline.run(call(scripted.cloud)), Logger.layer([]))
  const played: Played = {
    ...scripted,
    ending: ending(exit),
    error: Option.getOrUndefined(Exit.findErrorOption(exit)),
    elapsed,
    gaps: scripted.sent.slice(1).map((at, i) => at - (scripted.sent[i] ?? 0))
  }
  return played
})
