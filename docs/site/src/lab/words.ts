import type { Attempt, Call, Limit, Wait } from "./calls.ts"
import { time } from "./field.ts"
import type { Policy } from "./policy.ts"

/** A number of things for people: `1 call`, `1,000 calls`. */
export const count = (many: number, thing: string): string =>
  `${many.toLocaleString("en")} ${thing}${many === 1 ? "" : "s"}`

const causes: Readonly<Record<string, string>> = {
  backoff: "backoff",
  hint: "the service asked for it",
  pacing: "pacing",
  credentials: "the key was read again"
}

/** Why a call waited. */
export const cause = (wait: Wait): string => causes[wait.cause] ?? wait.cause

/** The limit of a policy that ended a call. */
export const limit = (limit: Limit, { attempts, maxHint, total }: Policy): string =>
  ({
    attempts: `${attempts} attempt${attempts === 1 ? "" : "s"}`,
    deadline: `the deadline, ${time(total)}`,
    hint: `the longest accepted hint, ${time(maxHint)}`,
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
  const last = call.attempts.at(-1) === attempt
  const before = call.budget.findLast(({ at }) => at < attempt.start)
  const after = call.waits.find((wait) => wait.cause !== "pacing" && wait.start >= end)
  const paced = call.waits.find(
    (wait) => wait.cause === "pacing" && Math.abs(wait.start + wait.millis - attempt.start) < 1
  )
  return [
    `Attempt ${attempt.number} of at most ${policy.attempts}, sent ${time(attempt.start - call.start)} after the call began. It took ${time(end - attempt.start)}.`,
    ...(paced === undefined ? [] : [`Before it, the client waited ${time(paced.millis)} for its turn.`]),
    `Result: ${met(attempt)}`,
    ...(attempt.retryAfter === undefined ? [] : [`The service asked to wait ${time(attempt.retryAfter)}.`]),
    `Time left until the deadline: ${time(Math.max(0, policy.total - (end - call.start)))}.`,
    `Tokens in the retry budget: ${before?.tokens ?? policy.capacity} of ${policy.capacity} when it was sent${after?.budget === undefined ? "" : `, ${after.budget} after paying for the next attempt`}.`,
    last
      ? `Then the call ended: ${ending(call, policy)}.`
      : after === undefined
        ? "Then the next attempt followed."
        : `Then the client waited ${time(after.millis)}: ${cause(after)}.`
  ]
}

/** Why calls failed that ended by the same limit. */
const why = (limit: Limit | undefined, reason: string, { attempts, clients, jitter, total }: Policy): string => {
  switch (limit) {
    case undefined:
      return `with ${reason}, which another attempt would not change`
    case "attempts":
      if (attempts === 1) return "without a retry: the policy has one attempt"
      if (jitter === "none") return `after ${attempts} attempts each: with equal waits they came back together`
      return `after ${attempts} attempts each${clients === "one" ? "" : ": each client has its own retry budget, so nothing ended the retries; share one client"}`
    case "deadline":
      return `at the deadline of ${time(total)}`
    case "budget":
      return "without a further attempt: the retry budget was spent, so that retries do not add to the load"
    case "hint":
      return "without a further attempt: the service asked for a longer wait than the policy accepts"
    case "pacing":
      return "unsent: their turn would have come after the deadline"
  }
}

/** What came of a policy, in a sentence or two, from the endings of its calls. */
export const verdict = (calls: ReadonlyArray<Call>, policy: Policy): string => {
  const total = calls.length
  const sent = calls.reduce((sum, { attempts }) => sum + attempts.length, 0) / Math.max(1, total)
  const all = Map.groupBy(calls, ({ ending }) => (ending._tag === "Failed" ? `${ending.limit}` : ending._tag))
  const [first] = calls
  const of = (some: number) =>
    total === 1
      ? "The call"
      : some === total
        ? `All ${count(total, "call")}`
        : `${some.toLocaleString("en")} of ${count(total, "call")}`
  const sentences: Array<string> = []
  for (const [group, some] of [...all].toSorted(([, a], [, b]) => b.length - a.length)) {
    const ending = some[0]?.ending
    if (ending === undefined || ending._tag === "Succeeded") continue
    if (ending._tag !== "Failed") {
      sentences.push(
        `${of(some.length)} ${group === "Died" ? "could not go on" : "did not end within an hour: nothing limits the wait"}.`
      )
      continue
    }
    const unknown = some.filter(
      ({ ending, operation }) =>
        operation === "apiKeys.delete" && ending._tag === "Failed" && ending.outcome === "unknown"
    ).length
    sentences.push(
      `${of(some.length)} failed ${why(ending.limit, ending.reason, policy)}.`,
      ...(unknown === 0 ? [] : [total === 1 ? "The key may be gone." : `${count(unknown, "key")} may be gone.`])
    )
  }
  const good = all.get("Succeeded") ?? []
  const again = good.filter(({ attempts }) => attempts.length > 1).length
  if (sentences.length === 0) {
    const assumed = first?.ending._tag === "Succeeded" && first.ending.assumedDeleted
    sentences.push(
      `${of(total)} succeeded${
        again === 0
          ? total === 1
            ? ""
            : ", each at its first attempt"
          : total === 1
            ? ` at attempt ${first?.attempts.length}${assumed ? ": its 404 shows that the key is gone" : ""}`
            : `, ${again.toLocaleString("en")} of them by a retry`
      }.`
    )
  }
  if (total > 1) sentences.push(`${sent.toFixed(2)} attempts per call.`)
  return sentences.join(" ")
}
