import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"
import * as CallError from "@cloud-management/client/CallError"
import type * as Event from "@cloud-management/client/Event"
import * as Telemetry from "@cloud-management/client/Telemetry"
import { api } from "@cloud-management/core/Operations"
import { priceOf, type Policy } from "./policy.ts"

const { attributes } = Telemetry.make(api.name)

/** Tokens left in a client's retry budget after each change. */
export type Budget = ReadonlyArray<{ readonly at: number; readonly tokens: number }>

export interface Report {
  readonly event: Event.Event
  readonly at: number
  readonly span: Tracer.AnySpan | undefined
  /** One list for all calls of a client in the run. */
  readonly budget: Budget
  readonly tokens: number | undefined
}

/** One request and its response. All times are in milliseconds of virtual time. */
export interface Attempt {
  readonly number: number
  readonly start: number
  /** Absent for one that was still under way when the run was stopped. */
  readonly end: number | undefined
  readonly status: number | undefined
  /** Its name is its tag. */
  readonly error: Error | undefined
  readonly retryAfter: number | undefined
}

/** Why the client sent nothing for a time: `pacing` before an attempt, the others after one. */
export interface Wait {
  readonly start: number
  readonly millis: number
  readonly cause: "pacing" | "backoff" | "hint" | "credentials"
  /** Tokens left in the retry budget, after the price of a retry. */
  readonly tokens?: number
}

/** The limit that ended a call whose last failure the client would have sent again. */
export type Limit = "attempts" | "deadline" | "hint" | "budget" | "pacing"

export type End =
  | { readonly _tag: "Succeeded"; readonly assumedDeleted: boolean }
  | {
      readonly _tag: "Failed"
      readonly reason: string
      readonly outcome: CallError.Outcome
      /** Absent after a failure that the client does not send again. */
      readonly limit: Limit | undefined
    }
  | { readonly _tag: "Unfinished" }

export interface Call {
  readonly number: number
  readonly operation: string
  readonly start: number
  readonly end: number | undefined
  readonly attempts: ReadonlyArray<Attempt>
  readonly waits: ReadonlyArray<Wait>
  readonly ending: End
  /** Whether the service itself responded with a success, which a gateway can hide from the client. */
  readonly acted: boolean
  readonly budget: Budget
}

const millis = (nanos: bigint) => Number(nanos) / 1e6
const timesOf = ({ status }: Tracer.NativeSpan) => ({
  start: millis(status.startTime),
  end: status._tag === "Ended" ? millis(status.endTime) : undefined
})
const errorOf = ({ status }: Tracer.NativeSpan) =>
  status._tag === "Ended" ? Option.getOrUndefined(Exit.findErrorOption(status.exit)) : undefined
const statusOf = (span: Tracer.NativeSpan) => span.attributes.get(attributes.status)

const attemptOf = (span: Tracer.NativeSpan): Attempt => {
  const error = errorOf(span)
  const status = statusOf(span)
  const hint = Predicate.hasProperty(error, "retryAfter") ? error.retryAfter : undefined
  return {
    ...timesOf(span),
    number: 1 + Number(span.attributes.get(attributes.resendCount) ?? 0),
    status: Predicate.isNumber(status) ? status : undefined,
    error: Predicate.isError(error) ? error : undefined,
    retryAfter: Duration.isDuration(hint) ? Duration.toMillis(hint) : undefined
  }
}

const waitsOf = ({ at, event }: Report): ReadonlyArray<Wait> => {
  if (event._tag !== "Paced" && event._tag !== "Retrying") return []
  const millis = Duration.toMillis(event.wait)
  // pacing is reported when the turn has come, other waits when they begin
  if (event._tag === "Paced") return [{ start: at - millis, millis, cause: "pacing" }]
  return [{ start: at, millis, cause: event.cause, tokens: event.tokens }]
}

type Failure = CallError.CallError<{ readonly _tag: string; readonly message: string }>
const isFailure = (error: unknown): error is Failure => error instanceof CallError.CallError

/**
 * The limit that ended a call, from what the client reported: its error, the hint that it declined, and the tokens it had
 * left. If neither attempts, a hint nor tokens were short, the time was.
 */
const limitOf = (error: Failure, policy: Policy, reports: ReadonlyArray<Report>): Limit | undefined => {
  const { attempts, isRetryable, reason, retryAfter = Duration.zero } = error
  if (!isRetryable) return undefined
  if (reason._tag === "Throttled") return "pacing"
  if (attempts >= policy.attempts) return "attempts"
  if (reports.some(({ event }) => event._tag === "HintDeclined"))
    return Duration.toMillis(retryAfter) > policy.maxHint ? "hint" : "deadline"
  return (reports.at(-1)?.tokens ?? policy.capacity) < priceOf(policy, reason._tag) ? "budget" : "deadline"
}

const endingOf = (span: Tracer.NativeSpan, policy: Policy, reports: ReadonlyArray<Report>): End => {
  const error = errorOf(span)
  if (isFailure(error)) {
    const { outcome, reason } = error
    return { _tag: "Failed", reason: reason._tag, outcome, limit: limitOf(error, policy, reports) }
  }
  // a call that dies takes the run with it
  if (span.status._tag === "Started" || Exit.isFailure(span.status.exit)) return { _tag: "Unfinished" }
  return { _tag: "Succeeded", assumedDeleted: reports.some(({ event }) => event._tag === "AssumedDeleted") }
}

export const read = (
  spans: ReadonlyArray<Tracer.NativeSpan>,
  reports: ReadonlyArray<Report>,
  policy: Policy
): ReadonlyArray<Call> => {
  const below = Map.groupBy(spans, ({ parent }) => Option.getOrUndefined(parent))
  const all = Map.groupBy(reports, ({ span }) => span)
  return spans
    .filter(({ kind }) => kind === "internal")
    .map((span, index) => {
      const own = all.get(span) ?? []
      const attempts = below.get(span) ?? []
      return {
        ...timesOf(span),
        number: index + 1,
        operation: String(span.attributes.get(attributes.operation)),
        attempts: attempts.map(attemptOf),
        waits: own.flatMap(waitsOf),
        ending: endingOf(span, policy, own),
        acted: attempts.some((attempt) => below.get(attempt)?.some((service) => Number(statusOf(service)) < 300)),
        budget: own[0]?.budget ?? []
      }
    })
}
