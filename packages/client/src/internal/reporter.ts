import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import type * as Fiber from "effect/Fiber"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as UrlParams from "effect/http/UrlParams"
import type { CallEvent, Listener, Source } from "../Event.ts"
import { nameOf, type Any } from "../Operation.ts"
import * as Telemetry from "../Telemetry.ts"
import type { AttemptResult } from "./attempt.ts"
import { orUndefined } from "./property.ts"
import * as Redaction from "./redaction.ts"
import * as Span from "./span.ts"

/** The conventions do not count an interruption by the caller as an error. */
export const isCancelled = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

/** `error.type` of what has no typed failure; absent on a success. */
const errorTypeOf = (exit: Exit.Exit<unknown, unknown>): string | undefined =>
  Exit.isSuccess(exit) || isCancelled(exit) ? undefined : "_OTHER"

/** Shows neither a defect, which can hold the request and so the credentials, nor a value, in which they can come back. */
const withoutContent = (exit: Exit.Exit<unknown, unknown>, errorType: string | undefined) =>
  errorType === "_OTHER" ? Exit.die(errorType) : Exit.isSuccess(exit) ? Exit.void : exit

/** The reference of `HttpClient` whose module a page does without (see `Transport`). */
const TracerPropagationEnabled = Context.Reference<boolean>("effect/http/HttpClient/TracerPropagationEnabled", {
  defaultValue: constTrue
})

/** The span of the call, inside it. */
const callSpan = (fiber: Fiber.Fiber<unknown, unknown>): Tracer.Span | undefined => {
  // with tracing off it is the span of a caller
  const span = Span.tracerOf(fiber) && fiber.cache.span
  return span?._tag === "Span" ? span : undefined
}

/** The end of a span: for the span itself, and for the listeners. */
interface Ending {
  readonly exit: Exit.Exit<unknown, unknown>
  /** Attributes of the span; an absent value is left out. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly event: Unsourced<CallEvent>
}

type Unsourced<E> = E extends Source ? Omit<E, keyof Source> : never

const onSpan = (
  { attributes, spans }: Telemetry.Telemetry,
  span: Tracer.Span,
  now: bigint,
  event: Unsourced<CallEvent>
): void => {
  const wait = (cause: string, duration: Duration.Duration, details?: Readonly<Record<string, unknown>>) =>
    span.event(spans.wait, now, {
      [attributes.wait]: cause,
      [attributes.waitSeconds]: Duration.toMillis(duration) / 1000,
      ...details
    })
  switch (event._tag) {
    case "Paced":
      return wait("pacing", event.wait)
    case "Retrying":
      return wait(event.cause, event.wait, { [attributes.errorType]: event.reason, [attributes.budget]: event.tokens })
    case "AssumedDeleted":
      return span.attribute(attributes.assumedDeleted, true)
  }
}

/** A listener that fails must not fail a call, which may have done its work. */
export const guarded = (listen: Listener | undefined): Listener | undefined =>
  listen &&
  ((event) =>
    Effect.catchCause(
      Effect.suspend(() => {
        const effect = listen(event)
        // of a program without types, it can be anything
        return Effect.isEffect(effect) ? effect : Effect.void
      }),
      () => Effect.void
    ))

/** Reports what happens in the calls of one operation: as spans, and to the listeners of the client. */
export const make = (operation: Any, baseUrl: string, listening: Listener | undefined) => {
  const { hostname, port, protocol } = new URL(baseUrl)
  const source: Source = {
    api: operation.api?.name ?? "api",
    operation: nameOf(operation),
    method: operation.method,
    path: operation.path,
    address: hostname.replace(/[[\]]/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80))
  }
  const telemetry = Telemetry.make(source.api)
  const { attributes, spans } = telemetry
  const notify = (event: Unsourced<CallEvent>) => (listening ? listening({ ...source, ...event }) : Effect.void)
  const attemptAttributes = {
    [attributes.address]: source.address,
    [attributes.port]: source.port,
    [attributes.method]: source.method,
    [attributes.template]: source.path
  }
  const callAttributes = { [attributes.operation]: source.operation }
  const attemptName = spans.attempt(source.method, source.path)
  const callName = spans.call(source.operation)

  /** The one way of an event: to the span of its call, and to the listeners. */
  const emit = (event: Unsourced<CallEvent>): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      const span = callSpan(fiber)
      if (span !== undefined) orUndefined(() => onSpan(telemetry, span, Span.nowOf(fiber), event))
      return notify(event)
    })

  /** Runs an effect inside a span, if anybody can see one. `ending` is asked at the end if anybody listens. */
  const withSpan = <A, E>(
    fiber: Fiber.Fiber<unknown, unknown>,
    name: string,
    kind: Tracer.SpanKind,
    attributes: () => Readonly<Record<string, unknown>>,
    run: (span: Tracer.Span | undefined) => Effect.Effect<A, E>,
    ending: (exit: Exit.Exit<A, E>, seconds: number) => Ending
  ): Effect.Effect<A, E> => {
    const tracer = Span.tracerOf(fiber)
    if (!tracer && !listening) return run(undefined)
    return Effect.suspend(() => {
      // a tracer that fails must not fail a call either
      const span = tracer && orUndefined(() => Span.start(tracer, fiber, name, kind, attributes()))
      const clock = fiber.getRef(Clock.Clock)
      const started = clock.monotonicTimeNanosUnsafe()
      const effect = run(span)
      return Effect.onExit(
        span === undefined ? effect : Effect.provideService(effect, Tracer.ParentSpan, span),
        (exit) => {
          const end = ending(exit, Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9)
          orUndefined(() => {
            for (const [name, value] of Object.entries(end.attributes)) {
              if (value !== undefined) span?.attribute(name, value)
            }
            span?.end(Span.nowOf(fiber), end.exit)
          })
          return notify(end.event)
        }
      )
    })
  }

  /**
   * Runs an attempt; `attempts` counts it and those before it. Its span is not `HttpClient`'s, which would
   * end with the head of the response: a body that breaks off and a timeout show in it. `run` gets the headers that
   * continue the trace; a transport that must not send them leaves them out. `sanitize` is for what the service sends.
   */
  const attempt = (
    fiber: Fiber.Fiber<unknown, unknown>,
    attempts: number,
    url: string,
    sanitize: Redaction.Sanitize,
    run: (headers: Readonly<Record<string, string>> | undefined) => Effect.Effect<AttemptResult>
  ): Effect.Effect<AttemptResult> =>
    withSpan(
      fiber,
      attemptName,
      "client",
      () => {
        callSpan(fiber)?.attribute(attributes.attempts, attempts)
        return {
          ...attemptAttributes,
          [attributes.url]: UrlParams.redactUrl(url),
          ...(attempts > 1 && { [attributes.resendCount]: attempts - 1 })
        }
      },
      (span) =>
        run(
          span && fiber.getRef(TracerPropagationEnabled) && !fiber.getRef(Tracer.DisablePropagation)
            ? HttpTraceContext.toHeaders(span)
            : undefined
        ),
      (exit, seconds) => {
        const ended = Exit.isSuccess(exit) ? exit.value : undefined
        const head = ended?.head
        const status = head?.status
        const failure = ended && Result.isFailure(ended.result) ? ended.result.failure : undefined
        const own: { readonly _tag?: string; readonly requestId?: string | undefined } | undefined =
          ended && (Result.isSuccess(ended.result) ? ended.result.success : ended.result.failure)
        const id = own?.requestId || head?.requestId
        const requestId = id && sanitize(id)
        const errorType = failure ? (status && status >= 400 ? String(status) : failure._tag) : errorTypeOf(exit)
        return {
          attributes: {
            [attributes.status]: status,
            [attributes.requestId]: requestId,
            [attributes.errorType]: errorType
          },
          // with the reason alone: an error of `HttpClient` holds the request, and so the credentials
          exit: failure ? Exit.fail(failure) : withoutContent(exit, errorType),
          event: {
            _tag: "AttemptEnded",
            attempts,
            url: UrlParams.redactUrl(url),
            seconds,
            status,
            requestId,
            headers: () => head && Redaction.headers(head.headers, fiber, sanitize),
            errorType
          }
        }
      }
    )

  const call = <A, E extends { readonly reason: { readonly _tag: string } }>(
    run: (fiber: Fiber.Fiber<unknown, unknown>) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) =>
      withSpan(
        fiber,
        callName,
        "internal",
        () => callAttributes,
        () => run(fiber),
        (exit, seconds) => {
          const cancelled = isCancelled(exit)
          const error = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
          const errorType = error?.reason._tag ?? errorTypeOf(exit)
          return {
            attributes: {
              [attributes.id]: operation.id,
              [attributes.errorType]: errorType,
              [attributes.cancelled]: cancelled || undefined
            },
            exit: withoutContent(exit, errorType),
            event: { _tag: "CallEnded", seconds, errorType, cancelled }
          }
        }
      )
    )

  return { source, attempt, call, emit }
}
