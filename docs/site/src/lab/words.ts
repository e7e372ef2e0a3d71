import type { Attempt, Call, Limit, Wait } from "./calls.ts"
import type { Policy } from "./policy.ts"

/** A duration or moment for people: `40 ms`, `1.25 s`. */
export const time = (millis: number): string =>
  millis < 1000 ? `${Number(millis.toFixed(1))} ms` : `${Number((millis / 1000).toFixed(2))} s`

const causes: Readonly<Record<string, string>> = {
  backoff: "backoff",
  hint: "the service asked for it",
  pacing: "pacing",
  credentials: "the key was read again"
}

/** Why a call waited. */
export const cause = (wait: Wait): string => causes[wait.cause] ?? wait.cause

/** The limit of a policy that ended a call. */
export const limit = (limit: Limit, { deadline, retry }: Policy): string =>
  ({
    attempts: `${retry.attempts} attempt${retry.attempts === 1 ? "" : "s"}`,
    deadline: `the deadline, ${time(deadline.total)}`,
    hint: `the longest accepted hint, ${time(retry.maxHint)}`,
    budget: "the retry budget",
    pacing: "no turn before the deadline"
  })[limit]

const effects = {
  "not-sent": "never sent",
  refused: "refused, nothing changed",
  unknown: "may have been applied"
} as const

/** How a call ended. */
export const ending = ({ ending, operation }: Call, policy: Policy): string => {
  switch (ending._tag) {
    case "Succeeded":
      return ending.assumedDeleted ? "succeeded: the 404 shows that the key is gone" : "succeeded"
    case "Failed": {
      const ended = ending.limit === undefined ? "" : ` · limit: ${limit(ending.limit, policy)}`
      const effect = operation === "apiKeys.delete" ? ` · ${effects[ending.outcome]}` : ""
      return `failed: ${ending.reason}${ended}${effect}`
    }
    case "Died":
      return "could not go on"
    case "Unfinished":
      return "did not end"
  }
}

/** What an attempt met. */
export const met = ({ end, message, reason, status }: Attempt): string =>
  end === undefined
    ? "nothing yet"
    : reason === undefined
      ? `${status ?? ""} success`.trim()
      : `${status === undefined ? "" : `${status} `}${reason}: ${message ?? ""}`

/** What the client knew at the end of an attempt, and what it did then: a sentence each. */
export const knowledge = (call: Call, attempt: Attempt, policy: Policy): ReadonlyArray<string> => {
  const { end = call.end ?? attempt.start } = attempt
  const { deadline, retry } = policy
  const last = call.attempts.at(-1) === attempt
  const before = call.budget.findLast(({ at }) => at < attempt.start)
  const after = call.waits.find((wait) => wait.cause !== "pacing" && wait.start >= end)
  const paced = call.waits.find(
    (wait) => wait.cause === "pacing" && Math.abs(wait.start + wait.millis - attempt.start) < 1
  )
  return [
    `Attempt ${attempt.number} of at most ${retry.attempts}, sent ${time(attempt.start - call.start)} after the call began. It took ${time(end - attempt.start)}.`,
    ...(paced === undefined ? [] : [`Before it, the client waited ${time(paced.millis)} for its turn.`]),
    `Result: ${met(attempt)}`,
    ...(attempt.retryAfter === undefined ? [] : [`The service asked to wait ${time(attempt.retryAfter)}.`]),
    `Time left until the deadline: ${time(Math.max(0, deadline.total - (end - call.start)))}.`,
    `Tokens in the retry budget: ${before?.tokens ?? retry.budget.capacity} of ${retry.budget.capacity} when it was sent${after?.budget === undefined ? "" : `, ${after.budget} after paying for the next attempt`}.`,
    last
      ? `Then the call ended: ${ending(call, policy)}.`
      : after === undefined
        ? "Then the next attempt followed."
        : `Then the client waited ${time(after.millis)}: ${cause(after)}.`
  ]
}
