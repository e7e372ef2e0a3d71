import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import { constTrue } from "effect/Function"
import { TracerTimingEnabled } from "effect/References"
import type * as Metric from "effect/Metric"
import * as HttpClient from "effect/http/HttpClient"
import type * as Operation from "../Operation.ts"
import * as Telemetry from "../Telemetry.ts"
import type * as Attempt from "./attempt.ts"

const { attributes, spans } = Telemetry

/** `group.name`. */
export const nameOf = ({ group, name }: Operation.Any) => `${group}.${name}`

/** The conventions do not count as an error what the caller broke off. */
const isCancelled = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** `error.type` of an attempt that ended so; absent on a success. */
const errorTypeOf = (exit: Exit.Exit<Attempt.Ended<Operation.Any>>): string | undefined => {
  if (Exit.isFailure(exit)) return isCancelled(exit) ? undefined : "_OTHER"
  const { result, status } = exit.value
  if (Result.isSuccess(result)) return undefined
  return status !== undefined && status >= 400 ? String(status) : result.failure.reason._tag
}

/** Hears how an effect ended, and after how many seconds of the clock that only goes forward. */
const timed = <A, E>(
  run: Effect.Effect<A, E>,
  hear: (exit: Exit.Exit<A, E>, seconds: number) => Effect.Effect<void>
): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => {
    const started = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(run, (exit) => hear(exit, Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9))
  })

type Labels = Readonly<Record<string, string | undefined>>
type Make = (labels: Telemetry.Labels) => Metric.Metric<number, unknown>

/** Series of metrics, each made once: an update then costs one look-up here and one in the registry. */
const makeSeries = () => {
  const series = new Map<string, Metric.Metric<number, unknown>>()
  return (key: string, make: Make, labels: () => Labels, value: number) =>
    Effect.withFiber((fiber) => {
      let one = series.get(key)
      if (one === undefined) {
        one = make(Record.filter(labels(), Predicate.isNotUndefined))
        series.set(key, one)
      }
      one.updateUnsafe(value, fiber.context)
      return Effect.void
    })
}

/** The same span for somebody who must not end it. */
class Lent implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly parent: Tracer.Span["parent"]
  readonly annotations: Tracer.Span["annotations"]
  readonly attributes: Tracer.Span["attributes"]
  readonly links: Tracer.Span["links"]
  readonly sampled: boolean
  readonly kind: Tracer.SpanKind
  readonly #span: Tracer.Span

  constructor(span: Tracer.Span) {
    this.#span = span
    this.name = span.name
    this.spanId = span.spanId
    this.traceId = span.traceId
    this.parent = span.parent
    this.annotations = span.annotations
    this.attributes = span.attributes
    this.links = span.links
    this.sampled = span.sampled
    this.kind = span.kind
  }
  get status() {
    return this.#span.status
  }
  end() {}
  attribute(key: string, value: unknown) {
    this.#span.attribute(key, value)
  }
  event(name: string, startTime: bigint, attributes?: Record<string, unknown>) {
    this.#span.event(name, startTime, attributes)
  }
  addLinks(links: ReadonlyArray<Tracer.SpanLink>) {
    this.#span.addLinks(links)
  }
}

/**
 * Runs an attempt with the span that `HttpClient` makes for it, and propagates or not as the transport decides. The
 * span is only lent: it ends with the attempt, so that a body that breaks off and a timeout show in it, and with the
 * reason, since the error of `HttpClient` holds the request with its credentials.
 */
const traceAttempt = <O extends Operation.Any>(
  tracer: Tracer.Tracer,
  operation: O,
  resends: number,
  attempt: Effect.Effect<Attempt.Ended<O>>
): Effect.Effect<Attempt.Ended<O>> =>
  Effect.suspend(() => {
    let span: Tracer.Span | undefined
    const lender = Tracer.make({
      span: (options) => {
        // what else a transport traces, as the in-memory service does, is not the attempt
        if (span !== undefined || options.kind !== "client") return tracer.span(options)
        span = tracer.span({ ...options, name: spans.attempt(operation.method, operation.path) })
        span.attribute(attributes.template, operation.path)
        if (resends > 0) span.attribute(attributes.resendCount, resends)
        return new Lent(span)
      },
      context: tracer.context
    })
    const end = (exit: Exit.Exit<Attempt.Ended<O>>) =>
      Effect.withFiber((fiber) => {
        const errorType = errorTypeOf(exit)
        if (errorType !== undefined) span?.attribute(attributes.errorType, errorType)
        const now = fiber.getRef(TracerTimingEnabled) ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n
        if (Exit.isFailure(exit)) span?.end(now, exit)
        else
          span?.end(now, Result.isFailure(exit.value.result) ? Exit.fail(exit.value.result.failure.reason) : Exit.void)
        return Effect.void
      })
    return attempt.pipe(Effect.onExit(end), Effect.provideService(Tracer.Tracer, lender))
  })

/** What one client reports. */
export const make = (baseUrl: string) => {
  const { hostname, port, protocol } = new URL(baseUrl)
  const server = {
    [attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [attributes.port]: port === "" ? (protocol === "https:" ? "443" : "80") : port
  }
  const update = makeSeries()

  /** Runs an attempt, the first or one that was sent `resends` times before. */
  const attempt = <O extends Operation.Any>(
    operation: O,
    resends: number,
    run: Effect.Effect<Attempt.Ended<O>>
  ): Effect.Effect<Attempt.Ended<O>> =>
    Effect.withFiber((fiber) => {
      const tracer = fiber.getRef(Tracer.Tracer)
      const traced =
        tracer === Tracer.nativeTracer
          ? run
          : Effect.andThen(
              Effect.annotateCurrentSpan(attributes.attempts, resends + 1),
              traceAttempt(tracer, operation, resends, run)
            )
      return timed(traced, (exit, seconds) => {
        const status = Exit.isSuccess(exit) && exit.value.status !== undefined ? String(exit.value.status) : undefined
        const errorType = errorTypeOf(exit)
        return update(
          `attempt ${nameOf(operation)} ${operation.path} ${status} ${errorType}`,
          Telemetry.requestDuration,
          () => ({
            ...server,
            [attributes.method]: operation.method,
            [attributes.template]: operation.path,
            [attributes.status]: status,
            [attributes.errorType]: errorType
          }),
          seconds
        )
      })
    })

  /** Runs a call, with a span of its own around its attempts and waits. */
  const call = <A, R extends { readonly _tag: string }, E extends { readonly reason: R }>(
    operation: Operation.Any,
    run: Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const name = nameOf(operation)
    const counted = timed(run, (exit, seconds) => {
      const cancelled = isCancelled(exit)
      const error = Option.getOrUndefined(Exit.findErrorOption(exit))
      const errorType = error?.reason._tag ?? (Exit.isSuccess(exit) || cancelled ? undefined : "_OTHER")
      const counted = update(
        `call ${name} ${errorType} ${cancelled}`,
        Telemetry.callDuration,
        () => ({
          [attributes.operation]: name,
          [attributes.errorType]: errorType,
          [attributes.cancelled]: cancelled ? "true" : undefined
        }),
        seconds
      )
      return errorType !== undefined
        ? Effect.andThen(Effect.annotateCurrentSpan(attributes.errorType, errorType), counted)
        : cancelled
          ? Effect.andThen(Effect.annotateCurrentSpan(attributes.cancelled, true), counted)
          : counted
    })
    return Effect.withFiber((fiber) =>
      // with the default tracer nobody can see a span: none is made then
      fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer
        ? Effect.provideService(counted, HttpClient.TracerDisabledWhen, constTrue)
        : counted.pipe(
            Effect.withSpan(
              spans.call(name),
              { attributes: { [attributes.operation]: name } },
              { captureStackTrace: false }
            )
          )
    )
  }

  /** Counts a wait before the next attempt, and shows it on the span of the call with what else is known of it. */
  const wait = (
    operation: Operation.Any,
    kind: "backoff" | "hint" | "pacing",
    millis: number,
    details: Readonly<Record<string, unknown>> = {}
  ) =>
    update(
      `wait ${nameOf(operation)} ${kind}`,
      Telemetry.waitDuration,
      () => ({ [attributes.operation]: nameOf(operation), [attributes.wait]: kind }),
      millis / 1000
    ).pipe(
      Effect.andThen(Effect.all([Effect.currentSpan, Clock.currentTimeNanos])),
      Effect.map(([span, now]) =>
        span.event(spans.wait, now, { [attributes.wait]: kind, [attributes.waitSeconds]: millis / 1000, ...details })
      ),
      Effect.ignore
    )

  return {
    attempt,
    call,
    wait,
    /** Counts an attempt after the first, by what was wrong with the one before. */
    retry: (operation: Operation.Any, errorType: string) =>
      update(
        `retry ${nameOf(operation)} ${errorType}`,
        Telemetry.retries,
        () => ({ [attributes.operation]: nameOf(operation), [attributes.errorType]: errorType }),
        1
      ),
    /** Counts a wait that the service asked for. */
    hint: (operation: Operation.Any, honored: boolean) =>
      update(
        `hint ${nameOf(operation)} ${honored}`,
        Telemetry.hints,
        () => ({ [attributes.operation]: nameOf(operation), [attributes.honored]: String(honored) }),
        1
      ),
    budget: (tokens: number) => update("budget", Telemetry.budgetAvailable, () => server, tokens)
  }
}
