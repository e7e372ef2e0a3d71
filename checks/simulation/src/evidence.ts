import { Duration, Exit, Option } from "effect"
import { describe, type Attempt, type Call, type Failure, type Journal } from "./journal.ts"
import type { Plan } from "./plan.ts"

/** Milliseconds by which the client's clock, read in whole microseconds, may differ from the timers. */
export const tolerance = 0.01
/**
 * Milliseconds by which a deadline may be passed: timers of the platforms are no finer. Half a nanosecond more, which no
 * clock tells: a sum of fractions of a millisecond is not exact.
 */
export const timer = 1 + 5e-7

export const millis = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))
export const transient = [408, 429, 500, 502, 503, 504]

export const failure = ({ exit }: Call): Failure | undefined =>
  exit === undefined ? undefined : Option.getOrUndefined(Exit.findErrorOption(exit))
export const succeeded = ({ exit }: Call) => exit !== undefined && Exit.isSuccess(exit)

export const bodyCut = ({ fault, status }: Attempt) =>
  status !== undefined && (fault._tag === "Truncate" || fault._tag === "Stall")
/** The body of a success did: what the answer was is not known. */
export const successCut = (attempt: Attempt) => bodyCut(attempt) && (attempt.status ?? 0) < 300
/** A success that is none: a page from somewhere else. */
export const forged = ({ fault, status }: Attempt) => fault._tag === "Status" && fault.status === 200 && status === 200

export const limit = ({ call, sentAt }: Attempt) =>
  Math.min(millis(call.deadline.attempt), call.startedAt + millis(call.deadline.total) - sentAt)

/** When the attempt was over for the client; `undefined` when its caller left before. */
export const overAt = (attempt: Attempt): number | undefined =>
  attempt.fault._tag === "Stall" && attempt.status !== undefined ? attempt.sentAt + limit(attempt) : attempt.endedAt

export const timedOut = (attempt: Attempt) =>
  (attempt.status === undefined && !attempt.broken) || (successCut(attempt) && attempt.fault._tag === "Stall")

/** Codes that tell that no request left: the name, the connection or the certificate was at fault. */
export const unsent = new Set(["ENOTFOUND", "CERT_HAS_EXPIRED"])

/** Whether the client can know that the attempt changed nothing, or never left. */
export const knowledge = (attempt: Attempt): Failure["outcome"] => {
  const { fault } = attempt
  if (attempt.broken && (fault._tag === "DropBeforeSend" || (fault._tag === "Break" && unsent.has(fault.code)))) {
    return "not-sent"
  }
  const { status = 0 } = attempt
  return status >= 300 && status < 500 && status !== 303 && status !== 408 ? "refused" : "unknown"
}

/** The longest wait that the policy allows before the next attempt, unless the service asks for a longer one. */
export const longestWait = ({ call, number, status }: Attempt) =>
  Math.min(
    millis(call.retry.cap),
    millis(status === 429 ? call.retry.baseRateLimited : call.retry.base) * 2 ** (number - 1)
  )

export const price = (attempt: Attempt) =>
  timedOut(attempt) ? attempt.call.retry.budget.timeout : attempt.call.retry.budget.retry

export const pairs = (call: Call) =>
  call.attempts.flatMap((attempt, index) => {
    const next = call.attempts[index + 1]
    return next === undefined ? [] : [[attempt, next] as const]
  })

export type Rule = (plan: Plan, journal: Journal) => Iterable<string>

export const each = (rule: (call: Call, plan: Plan) => Iterable<string>): Rule =>
  function* (plan, { calls }) {
    for (const call of calls) {
      for (const message of rule(call, plan)) yield `call ${call.number} (${describe(call.ask)}): ${message}`
    }
  }
