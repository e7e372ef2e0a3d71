import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"
import * as CallError from "@cloud-management/client/CallError"
import type * as Event from "@cloud-management/client/Event"
import * as Telemetry from "@cloud-management/core/Telemetry"
import type { Policy } from "./policy.ts"

/** What the client reported in a run: its spans, and the events for its option `log`. Nothing else is read. */
export interface Reported {
  readonly spans: Array<Tracer.NativeSpan>
  readonly reports: Array<Report>
}

/** An event of a client, the span of its call, the history of the client's retry budget, and the tokens then left in it. */
export interface Report {
  readonly span: Tracer.AnySpan | undefined
  readonly event: Event.Event
  readonly budget: Call["budget"]
  readonly tokens: number | undefined
}

/** One request and its response. All times are in milliseconds of virtual time. */
export interface Attempt {
  readonly number: number
  readonly start: number
  /** Absent for one that was still under way when the run was stopped. */
  readonly end: number | undefined
  readonly status: number | undefined
  /** Tag of what it failed with, and its words. */
  readonly reason: string | undefined
  readonly message: string | undefined
  /** How long the service asked to wait. */
  readonly retryAfter: number | undefined
}

/** Why the client sent nothing for a time: `pacing` before an attempt, the others after one. */
export interface Wait {
  readonly start: number
  readonly millis: number
  readonly cause: string
  /** Tokens left in the retry budget, after the price of a retry. */
  readonly budget: number | undefined
}

/** The limit that ended a call which another attempt could have turned into a success. */
export type Limit = "attempts" | "deadline" | "hint" | "budget" | "pacing"

export type End =
  | { readonly _tag: "Succeeded"; readonly assumedDeleted: boolean }
  | {
      readonly _tag: "Failed"
      readonly reason: string
      readonly outcome: CallError.Outcome
      /** Absent where no other attempt would help. */
      readonly limit: Limit | undefined
    }
  | { readonly _tag: "Died" }
  | { readonly _tag: "Unfinished" }

export interface Call {
  readonly number: number
  readonly operation: string
  readonly start: number
  readonly end: number | undefined
  readonly attempts: ReadonlyArray<Attempt>
  readonly waits: ReadonlyArray<Wait>
  readonly ending: End
  /** Tokens in the client's retry budget after each of its changes, in the run: one list for all calls of a client. */
  readonly budget: ReadonlyArray<{ readonly at: number; readonly tokens: number }>
}

const { attributes } = Telemetry

const millis = (nanos: bigint) => Number(nanos) / 1e6
const endOf = ({ status }: Tracer.NativeSpan) => (status._tag === "Ended" ? millis(status.endTime) : undefined)
const exitOf = ({ status }: Tracer.NativeSpan) => (status._tag === "Ended" ? status.exit : undefined)
const field = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)
const text = (value: unknown) => (Predicate.isString(value) ? value : undefined)
const number = (value: unknown) => (Predicate.isNumber(value) ? value : undefined)

type Failure = CallError.CallError<{ readonly _tag: string; readonly message: string }>
const isFailure = (error: unknown): error is Failure => error instanceof CallError.CallError

const errorOf = (span: Tracer.NativeSpan): unknown => {
  const exit = exitOf(span)
  return exit === undefined ? undefined : Option.getOrUndefined(Exit.findErrorOption(exit))
}

const attemptOf = (span: Tracer.NativeSpan): Attempt => {
  const reason = errorOf(span)
  const retryAfter = field(reason, "retryAfter")
  return {
    number: 1 + (number(span.attributes.get(attributes.resendCount)) ?? 0),
    start: millis(span.status.startTime),
    end: endOf(span),
    status: number(span.attributes.get(attributes.status)),
    reason: text(field(reason, "_tag")),
    message: text(field(reason, "message")),
    retryAfter: Duration.isDuration(retryAfter) ? Duration.toMillis(retryAfter) : undefined
  }
}

const waitsOf = ({ events }: Tracer.NativeSpan): ReadonlyArray<Wait> =>
  events.flatMap(([name, at, details]) => {
    const cause = text(details[attributes.wait])
    const wait = 1000 * (number(details[attributes.waitSeconds]) ?? 0)
    if (name !== Telemetry.spans.wait || cause === undefined) return []
    // pacing is reported when the turn has come, other waits when they begin
    const start = millis(at) - (cause === "pacing" ? wait : 0)
    return [{ start, millis: wait, cause, budget: number(details[attributes.budget]) }]
  })

/**
 * The limit that ended a call, from what the client reported: its error, the hint that it declined, and the tokens it had
 * left. If neither attempts, a hint nor tokens were short, the time was.
 */
const limitOf = (policy: Policy, error: Failure, declined: boolean, tokens: number): Limit | undefined => {
  const { attempts, isRetryable, reason, retryAfter = Duration.zero } = error
  if (!isRetryable) return undefined
  if (reason._tag === "Throttled") return "pacing"
  if (attempts >= policy.attempts) return "attempts"
  if (declined) return Duration.toMillis(retryAfter) > policy.maxHint ? "hint" : "deadline"
  return tokens < (reason._tag === "Timeout" ? policy.timeout : policy.retry) ? "budget" : "deadline"
}

const endingOf = (span: Tracer.NativeSpan, policy: Policy, events: ReadonlyArray<Event.Event>, tokens: number): End => {
  const exit = exitOf(span)
  if (exit === undefined) return { _tag: "Unfinished" }
  if (Exit.isSuccess(exit)) {
    return { _tag: "Succeeded", assumedDeleted: span.attributes.get(attributes.assumedDeleted) === true }
  }
  const error = errorOf(span)
  if (!isFailure(error)) return { _tag: "Died" }
  const declined = events.some(({ _tag }) => _tag === "HintDeclined")
  return {
    _tag: "Failed",
    reason: error.reason._tag,
    outcome: error.outcome,
    limit: limitOf(policy, error, declined, tokens)
  }
}

/** The calls of a run, in the order of their start. */
export const read = ({ reports, spans }: Reported, policy: Policy): ReadonlyArray<Call> => {
  const attempts = Map.groupBy(spans, ({ parent }) => Option.getOrUndefined(parent))
  const own = Map.groupBy(reports, ({ span }) => span)
  return spans
    .filter(({ kind }) => kind === "internal")
    .map((span, index) => {
      const events = own.get(span) ?? []
      return {
        number: index + 1,
        operation: text(span.attributes.get(attributes.operation)) ?? "",
        start: millis(span.status.startTime),
        end: endOf(span),
        attempts: (attempts.get(span) ?? []).map(attemptOf),
        waits: waitsOf(span),
        ending: endingOf(
          span,
          policy,
          events.map(({ event }) => event),
          events.at(-1)?.tokens ?? policy.capacity
        ),
        budget: events[0]?.budget ?? []
      }
    })
}
