import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Tracer from "effect/Tracer"
import { constTrue } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import type * as Operation from "../Operation.ts"
import * as Telemetry from "../Telemetry.ts"

const { attributes, spans } = Telemetry

/** How a call or an attempt ended, as the attribute `error.type` says it: absent for a success. */
export interface Ending {
  readonly status: number | undefined
  readonly errorType: string | undefined
}

/** `group.name`. */
export const nameOf = ({ group, name }: Operation.Any) => `${group}.${name}`

/** What one client reports. Metrics are kept per set of attributes, so that an update costs no look-up of them. */
export const make = (baseUrl: string) => {
  const { hostname, port, protocol } = new URL(baseUrl)
  const server = {
    [attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [attributes.port]: port === "" ? (protocol === "https:" ? "443" : "80") : port
  }
  const series = new Map<string, Metric.Metric<number, unknown>>()
  const update = (
    metric: Metric.Metric<number, unknown>,
    key: string,
    labels: () => Record<string, string | undefined>,
    value: number
  ) =>
    Effect.withFiber((fiber) => {
      let one = series.get(key)
      if (one === undefined) {
        one = Metric.withAttributes(metric, Record.filter(labels(), Predicate.isNotUndefined))
        series.set(key, one)
      }
      one.updateUnsafe(value, fiber.context)
      return Effect.void
    })

  return {
    request: (operation: Operation.Any, { errorType, status }: Ending, seconds: number) =>
      update(
        Telemetry.requestDuration,
        `request ${nameOf(operation)} ${operation.path} ${status} ${errorType}`,
        () => ({
          ...server,
          [attributes.method]: operation.method,
          [attributes.template]: operation.path,
          [attributes.status]: status === undefined ? undefined : String(status),
          [attributes.errorType]: errorType
        }),
        seconds
      ),
    call: (operation: Operation.Any, errorType: string | undefined, seconds: number) =>
      update(
        Telemetry.callDuration,
        `call ${nameOf(operation)} ${errorType}`,
        () => ({ [attributes.operation]: nameOf(operation), [attributes.errorType]: errorType }),
        seconds
      ),
    retry: (operation: Operation.Any, errorType: string) =>
      update(
        Telemetry.retries,
        `retry ${nameOf(operation)} ${errorType}`,
        () => ({ [attributes.operation]: nameOf(operation), [attributes.errorType]: errorType }),
        1
      ),
    wait: (kind: "backoff" | "hint" | "pacing", millis: number) =>
      update(Telemetry.waitDuration, `wait ${kind}`, () => ({ [attributes.wait]: kind }), millis / 1000),
    budget: (tokens: number) => Metric.update(Telemetry.budgetAvailable, tokens)
  }
}

/** The span of a call. Attempts inside it get theirs from `HttpClient`, with the names and attributes of the catalogue. */
export const withCallSpan = <A, E>(operation: Operation.Any, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    // with the default tracer nobody can see a span: none is made then
    fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer
      ? Effect.provideService(call, HttpClient.TracerDisabledWhen, constTrue)
      : call.pipe(
          Effect.annotateSpans({ [attributes.template]: operation.path }),
          Effect.provideService(HttpClient.SpanNameGenerator, ({ method }) => spans.attempt(method, operation.path)),
          Effect.withSpan(
            spans.call(nameOf(operation)),
            { attributes: { [attributes.operation]: nameOf(operation) } },
            { captureStackTrace: false }
          )
        )
  )
