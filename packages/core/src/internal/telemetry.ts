import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import { constTrue } from "effect/Function"
import { TracerEnabled } from "effect/References"
import type * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import type { Metrics } from "../Metrics.ts"
import type * as Operation from "../Operation.ts"
import { attributes, spans } from "../Telemetry.ts"
import type * as Attempt from "./attempt.ts"

/** `group.name`. */
export const nameOf = ({ group, name }: Operation.Any) => `${group}.${name}`

/** The conventions do not count as an error what the caller broke off. */
const isCancelled = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** `error.type` of an attempt that ended so; absent on a success. */
const errorTypeOf = (exit: Exit.Exit<Attempt.Ended<Operation.Any>>): string | undefined => {
  if (Exit.isFailure(exit)) return isCancelled(exit) ? undefined : "_OTHER"
  const { result, status } = exit.value
  if (Result.isSuccess(result)) return undefined
  return status !== undefined && status >= 400 ? String(status) : result.failure._tag
}

/** The span of the call, inside it. */
const callSpan = (fiber: Fiber.Fiber<unknown, unknown>): Tracer.Span | undefined => {
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  return span?._tag === "Span" ? span : undefined
}

/** With the default tracer, or where tracing is off, nobody can see a span: none is made then. */
const isTraced = (fiber: Fiber.Fiber<unknown, unknown>) =>
  fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer && fiber.getRef(TracerEnabled)

/** How an effect ended: after how many seconds of the clock that only goes forward, and when. */
interface Ending<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly seconds: number
  readonly now: bigint
}

/** Runs an effect inside a span, if somebody can see it. `hear`, if there is anybody to, is told of the end, and ends the span. */
const observed = <A, E>(
  fiber: Fiber.Fiber<unknown, unknown>,
  measured: boolean,
  name: string,
  options: Tracer.SpanOptionsNoTrace,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E>,
  hear: (span: Tracer.Span | undefined, ending: Ending<A, E>) => Effect.Effect<void>
): Effect.Effect<A, E> =>
  Effect.flatMap(isTraced(fiber) ? Effect.makeSpan(name, options) : Effect.undefined, (span) => {
    if (span === undefined && !measured) return run(span)
    const clock = fiber.getRef(Clock.Clock)
    const started = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(span === undefined ? run(span) : Effect.withParentSpan(run(span), span), (exit) => {
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9
      return hear(span, { exit, seconds, now: clock.currentTimeNanosUnsafe() })
    })
  })

/** What one client reports. */
export const make = (baseUrl: string, metrics: Metrics | undefined) => {
  const { hostname, port, protocol } = new URL(baseUrl)
  const server = {
    [attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [attributes.port]: port || (protocol === "https:" ? "443" : "80")
  }
  const measure: Metrics = metrics ?? (() => Effect.void)

  /**
   * Runs an attempt, the first or one that was sent `resends` times before. Its span is not `HttpClient`'s, which would
   * end with the head of the response: a body that breaks off and a timeout show in it. `run` gets the headers that
   * carry it on; a transport that must not send them leaves them out.
   */
  const attempt = <O extends Operation.Any>(
    operation: O,
    resends: number,
    url: string,
    run: (headers: Readonly<Record<string, string>>) => Effect.Effect<Attempt.Ended<O>>
  ): Effect.Effect<Attempt.Ended<O>> =>
    Effect.withFiber((fiber) => {
      if (isTraced(fiber)) callSpan(fiber)?.attribute(attributes.attempts, resends + 1)
      return observed(
        fiber,
        metrics !== undefined,
        spans.attempt(operation.method, operation.path),
        {
          kind: "client",
          attributes: {
            ...server,
            [attributes.port]: Number(server[attributes.port]),
            [attributes.method]: operation.method,
            [attributes.template]: operation.path,
            [attributes.url]: url,
            ...(resends > 0 && { [attributes.resendCount]: resends })
          }
        },
        (span) =>
          run(
            span !== undefined && fiber.getRef(HttpClient.TracerPropagationEnabled)
              ? HttpTraceContext.toHeaders(span)
              : {}
          ),
        (span, { exit, now, seconds }) => {
          const status = Exit.isSuccess(exit) ? exit.value.status : undefined
          const errorType = errorTypeOf(exit)
          if (span !== undefined) {
            if (status !== undefined) span.attribute(attributes.status, status)
            if (errorType !== undefined) span.attribute(attributes.errorType, errorType)
            // with the reason alone, and nothing of a defect: an error of `HttpClient` holds the request, and so the credentials
            span.end(
              now,
              Exit.isSuccess(exit) && Result.isFailure(exit.value.result)
                ? Exit.fail(exit.value.result.failure)
                : errorType === "_OTHER"
                  ? Exit.die(errorType)
                  : exit
            )
          }
          return measure("requestDuration", seconds, {
            ...server,
            [attributes.method]: operation.method,
            [attributes.template]: operation.path,
            [attributes.status]: status?.toString(),
            [attributes.errorType]: errorType
          })
        }
      )
    })

  /** Runs a call, with a span of its own around its attempts and waits. */
  const call = <A, R extends { readonly _tag: string }, E extends { readonly reason: R }>(
    operation: Operation.Any,
    run: Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const name = nameOf(operation)
    // the span of an attempt is ours, not `HttpClient`'s
    const untraced = Effect.provideService(run, HttpClient.TracerDisabledWhen, constTrue)
    return Effect.withFiber((fiber) =>
      observed(
        fiber,
        metrics !== undefined,
        spans.call(name),
        { attributes: { [attributes.operation]: name } },
        () => untraced,
        (span, { exit, now, seconds }) => {
          const cancelled = isCancelled(exit)
          const error = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
          const errorType = error?.reason._tag ?? (Exit.isSuccess(exit) || cancelled ? undefined : "_OTHER")
          if (errorType !== undefined) span?.attribute(attributes.errorType, errorType)
          if (cancelled) span?.attribute(attributes.cancelled, true)
          span?.end(now, errorType === "_OTHER" ? Exit.die(errorType) : exit)
          return measure("callDuration", seconds, {
            [attributes.operation]: name,
            [attributes.errorType]: errorType,
            [attributes.cancelled]: cancelled ? "true" : undefined
          })
        }
      )
    )
  }

  /** Counts a wait before the next attempt, and shows it on the span of the call with what else is known of it. */
  const wait = (
    operation: Operation.Any,
    kind: "backoff" | "hint" | "pacing",
    millis: number,
    details?: Readonly<Record<string, unknown>>
  ) =>
    Effect.withFiber((fiber) => {
      const seconds = millis / 1000
      callSpan(fiber)?.event(spans.wait, fiber.getRef(Clock.Clock).currentTimeNanosUnsafe(), {
        [attributes.wait]: kind,
        [attributes.waitSeconds]: seconds,
        ...details
      })
      return measure("waitDuration", seconds, { [attributes.operation]: nameOf(operation), [attributes.wait]: kind })
    })

  return {
    attempt,
    call,
    wait,
    /** Marks a call as a deletion that found its work done. */
    assumed: Effect.withFiber((fiber) => {
      callSpan(fiber)?.attribute(attributes.assumedDeleted, true)
      return Effect.void
    }),
    /** Counts an attempt after the first, by what was wrong with the one before. */
    retry: (operation: Operation.Any, errorType: string) =>
      measure("retries", 1, { [attributes.operation]: nameOf(operation), [attributes.errorType]: errorType }),
    /** Counts a wait that the service asked for. */
    hint: (operation: Operation.Any, honored: boolean) =>
      measure("hints", 1, { [attributes.operation]: nameOf(operation), [attributes.honored]: String(honored) }),
    budget: (tokens: number) => measure("budgetAvailable", tokens, server)
  }
}
