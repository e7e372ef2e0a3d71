import type { Attempt, Call, End, Limit, Wait } from "./calls.ts"
import { time } from "./field.ts"
import type { Policy } from "./policy.ts"

/** A number of things for people: `1 call`, `1,000 calls`. */
const count = (many: number, thing: string): string => `${many.toLocaleString("en")} ${thing}${many === 1 ? "" : "s"}`

/** Why a call waited. */
export const causes: Readonly<Record<Wait["cause"], string>> = {
  backoff: "backoff",
  hint: "the service asked for it",
  pacing: "pacing",
  credentials: "the key was read again"
}

const effects = {
  "not-sent": "never sent",
  refused: "refused, nothing changed",
  unknown: "may have been applied"
}

const whyAttempts = ({ attempts, clients, jitter }: Policy) => {
  if (attempts === 1) return "without a retry: the policy has one attempt"
  if (jitter === "none") return `after ${attempts} attempts each: with equal waits they came back together`
  return `after ${attempts} attempts each${clients === "one" ? "" : ": each client has its own retry budget, so nothing ended the retries; share one client"}`
}

/** Each limit of a policy that ends calls: its name, and how they failed. */
const limits: Readonly<Record<Limit, (policy: Policy) => readonly [name: string, failed: string]>> = {
  attempts: (policy) => [count(policy.attempts, "attempt"), whyAttempts(policy)],
  deadline: ({ total }) => [`the deadline, ${time(total)}`, `at the deadline of ${time(total)}`],
  budget: () => [
    "the retry budget",
    "without a further attempt: the retry budget was spent, so that retries do not add to the load"
  ],
  hint: ({ maxHint }) => [
    `the longest accepted hint, ${time(maxHint)}`,
    "without a further attempt: the service asked for a longer wait than the policy accepts"
  ],
  pacing: () => ["no turn before the deadline", "unsent: their turn would have come after the deadline"]
}

/** How a call ended. */
export const ending = ({ ending, operation }: Call, policy: Policy): string => {
  switch (ending._tag) {
    case "Succeeded":
      return ending.assumedDeleted ? "succeeded: the 404 shows that the key is gone" : "succeeded"
    case "Failed": {
      const limit = ending.limit === undefined ? "" : ` · limit: ${limits[ending.limit](policy)[0]}`
      const effect = operation === "apiKeys.delete" ? ` · ${effects[ending.outcome]}` : ""
      return `failed: ${ending.reason}${limit}${effect}`
    }
    case "Unfinished":
      return "did not end"
  }
}

/** What an attempt met. */
export const met = ({ end, error, status }: Attempt): string => {
  if (end === undefined) return "nothing yet"
  return `${status ?? ""} ${error === undefined ? "success" : `${error.name}: ${error.message}`}`.trim()
}

/** What the client knew at the end of an attempt, and what it did then: a sentence each. */
export const knowledge = (call: Call, attempt: Attempt, policy: Policy): ReadonlyArray<string> => {
  const { end = call.end ?? attempt.start, retryAfter, start } = attempt
  const before = call.budget.findLast(({ at }) => at < start)?.tokens ?? policy.capacity
  const after = call.waits.find((wait) => wait.cause !== "pacing" && wait.start >= end)
  const paced = call.waits.find((wait) => wait.cause === "pacing" && Math.abs(wait.start + wait.millis - start) < 1)
  const paid = after?.tokens === undefined ? "" : `, ${after.tokens} after paying for the next attempt`
  const next =
    after === undefined
      ? "the next attempt followed"
      : `the client waited ${time(after.millis)}: ${causes[after.cause]}`
  return [
    `Attempt ${attempt.number} of at most ${policy.attempts}, sent ${time(start - call.start)} after the call began. It took ${time(end - start)}.`,
    paced && `Before it, the client waited ${time(paced.millis)} for its turn.`,
    `Result: ${met(attempt)}`,
    retryAfter !== undefined && `The service asked to wait ${time(retryAfter)}.`,
    `Time left until the deadline: ${time(Math.max(0, policy.total - (end - call.start)))}.`,
    `Tokens in the retry budget: ${before} of ${policy.capacity} when it was sent${paid}.`,
    `Then ${attempt === call.attempts.at(-1) ? `the call ended: ${ending(call, policy)}` : next}.`
  ].filter((sentence) => typeof sentence === "string")
}

/** How calls failed that ended alike; nothing for a success. */
const failure = (ending: End, policy: Policy): string => {
  if (ending._tag === "Succeeded") return ""
  if (ending._tag === "Unfinished") return "did not end within an hour: nothing limits the wait"
  const { limit, reason } = ending
  return `failed ${limit === undefined ? `with ${reason}, which another attempt would not change` : limits[limit](policy)[1]}`
}

/** How calls succeeded that all did. */
const success = (calls: ReadonlyArray<Call>): string => {
  const assumed = calls.some(({ ending }) => ending._tag === "Succeeded" && ending.assumedDeleted)
  if (calls.length === 1)
    return ` at attempt ${calls[0]?.attempts.length}${assumed ? ": its 404 shows that the key is gone" : ""}`
  const again = calls.filter(({ attempts }) => attempts.length > 1).length
  return again === 0 ? ", each at its first attempt" : `, ${again.toLocaleString("en")} of them by a retry`
}

/** How many requests a call needed, on average. */
export const perCall = (calls: ReadonlyArray<Call>): string =>
  (calls.reduce((sum, { attempts }) => sum + attempts.length, 0) / calls.length).toFixed(2)

/** What came of a policy, in a sentence or two, from the endings of its calls. */
export const verdict = (calls: ReadonlyArray<Call>, policy: Policy): string => {
  const total = calls.length
  const all = total === 1 ? "The call" : `All ${count(total, "call")}`
  const of = (some: number) => (some === total ? all : `${some.toLocaleString("en")} of ${count(total, "call")}`)
  const failed = Map.groupBy(calls, ({ ending }) => failure(ending, policy))
  failed.delete("")
  const failures = [...failed]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([words, { length }]) => `${of(length)} ${words}.`)
  const unknown = calls.filter((call) => ending(call, policy).endsWith(effects.unknown)).length
  return [
    ...(failures.length === 0 ? [`${all} succeeded${success(calls)}.`] : failures),
    unknown > 0 && `${total === 1 ? "The key" : count(unknown, "key")} may be gone.`,
    total > 1 && `${perCall(calls)} attempts per call.`
  ]
    .filter((sentence) => sentence !== false)
    .join(" ")
}
