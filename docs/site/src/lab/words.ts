import type { Attempt, Call, End, Limit, Wait } from "./calls.ts"
import { time } from "./field.ts"
import { priceOf, type Policy } from "./policy.ts"

/** A number of things for people: `1 call`, `1,000 calls`. */
const count = (many: number, thing: string): string => `${many.toLocaleString("en")} ${thing}${many === 1 ? "" : "s"}`

export const causes: Readonly<Record<Wait["cause"], string>> = {
  backoff: "backoff",
  hint: "the service asked for it",
  pacing: "pacing",
  credentials: "the key was read again"
}

/** The key of a deletion that failed, as the client knows it, or as a gateway hid it. */
const effects = { "not-sent": "never sent", refused: "refused, nothing changed", unknown: "may have been applied" }
const hidden = "reported as refused, but the key is gone"
const effectOf = ({ acted, ending, operation }: Call): string => {
  if (operation !== "apiKeys.delete" || ending._tag !== "Failed") return ""
  return acted && ending.outcome !== "unknown" ? hidden : effects[ending.outcome]
}
const unfinished = "had not ended when the run stopped"

const whyAttempts = ({ attempts, clients, jitter }: Policy) => {
  if (attempts === 1) return "failed without a retry: the policy has one attempt"
  if (jitter === "none") return `failed after ${attempts} attempts: with equal waits they came back together`
  return `failed after ${attempts} attempts${clients === "one" ? "" : ": each client has its own retry budget, so nothing ended the retries; share one client"}`
}

const limits: Readonly<Record<Limit, (policy: Policy) => readonly [name: string, failed: string]>> = {
  attempts: (policy) => [count(policy.attempts, "attempt"), whyAttempts(policy)],
  deadline: ({ total }) => [`the deadline, ${time(total)}`, `gave up: the deadline of ${time(total)} was too near`],
  budget: () => ["the retry budget", "gave up early: the retry budget was spent, so that retries add no load"],
  hint: ({ maxHint }) => [`the longest hint, ${time(maxHint)}`, "gave up early: the service asked for a longer wait"],
  pacing: () => ["no turn before the deadline", "gave up: the next turn would have come after the deadline"]
}

export const ending = (call: Call, policy: Policy): string => {
  const end = call.ending
  if (end._tag === "Unfinished") return unfinished
  if (end._tag === "Succeeded") return `succeeded${end.assumedDeleted ? ": the 404 shows that the key is gone" : ""}`
  const limit = end.limit === undefined ? [] : [`limit: ${limits[end.limit](policy)[0]}`]
  return [`failed: ${end.reason}`, ...limit, effectOf(call)].filter((words) => words !== "").join(" · ")
}

export const met = ({ end, error, status }: Attempt): string => {
  if (end === undefined) return "nothing yet"
  return `${status ?? ""} ${error === undefined ? "success" : `${error.name}: ${error.message}`}`.trim()
}

/** A sentence each: of the end of an attempt, and of what followed. */
export const knowledge = (call: Call, attempt: Attempt, policy: Policy): ReadonlyArray<string> => {
  const { end, error, number, retryAfter, start } = attempt
  const sent = `Attempt ${number} of at most ${policy.attempts}, sent ${time(start - call.start)} after the call began.`
  if (end === undefined) return [`${sent} It ${unfinished}.`]
  // a retry without a wait is paid for at its start
  const before = call.budget.findLast(({ at }) => at < start + (number - 1) / 1000)?.tokens ?? policy.capacity
  const after = call.waits.find((wait) => wait.cause !== "pacing" && wait.start >= end)
  const paced = call.waits.find((wait) => wait.cause === "pacing" && Math.abs(wait.start + wait.millis - start) < 1)
  const price = priceOf(policy, error?.name)
  const others = Number((before - price - (after?.tokens ?? 0)).toFixed(3))
  const rest = others === 0 ? "" : `; other calls ${others > 0 ? "took" : "earned"} ${Math.abs(others)}`
  const paid = after?.tokens === undefined ? "" : `, ${after.tokens} after paying ${price} for the next attempt${rest}`
  const next = after ? `the client waited ${time(after.millis)}: ${causes[after.cause]}` : "the next attempt followed"
  const last = `the call ${call.end === undefined ? "" : "ended: "}${ending(call, policy)}`
  return [
    `${sent} It took ${time(end - start)}.`,
    paced && `Before it, the client waited ${time(paced.millis)} for its turn.`,
    `Result: ${met(attempt)}`,
    retryAfter !== undefined && `The service asked to wait ${time(retryAfter)}.`,
    `Time left until the deadline: ${time(Math.max(0, policy.total - (end - call.start)))}.`,
    `Tokens in the retry budget: ${before} of ${policy.capacity} when it was sent${paid}.`,
    `Then ${attempt === call.attempts.at(-1) ? last : next}.`
  ].filter((sentence) => typeof sentence === "string")
}

/** How calls failed that ended alike; nothing for a success. */
const failure = (ending: End, policy: Policy): string => {
  if (ending._tag === "Succeeded") return ""
  if (ending._tag === "Unfinished") return `${unfinished}: no deadline came sooner`
  const { limit, reason } = ending
  return limit === undefined ? `failed with ${reason}, which the client does not send again` : limits[limit](policy)[1]
}

/** How calls succeeded that all did. */
const success = (calls: ReadonlyArray<Call>): string => {
  const assumed = calls.some(({ ending }) => ending._tag === "Succeeded" && ending.assumedDeleted)
  if (calls.length === 1)
    return ` at attempt ${calls[0]?.attempts.length}${assumed ? ": its 404 shows that the key is gone" : ""}`
  const again = calls.filter(({ attempts }) => attempts.length > 1).length
  return again === 0 ? ", each at its first attempt" : `, ${again.toLocaleString("en")} of them by a retry`
}

export const perCall = (calls: ReadonlyArray<Call>): string =>
  (calls.reduce((sum, { attempts }) => sum + attempts.length, 0) / calls.length).toFixed(2)

export const verdict = (calls: ReadonlyArray<Call>, policy: Policy): string => {
  const total = calls.length
  const all = total === 1 ? "The call" : `All ${count(total, "call")}`
  const of = (some: number) => (some === total ? all : `${some.toLocaleString("en")} of ${count(total, "call")}`)
  // a single call meets no others
  const own: Policy = total === 1 ? { ...policy, clients: "one", jitter: "full" } : policy
  const failed = Map.groupBy(calls, ({ ending }) => failure(ending, own))
  failed.delete("")
  const failures = [...failed]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([words, { length }]) => `${of(length)} ${words}.`)
  const [unknown = 0, gone = 0] = [effects.unknown, hidden].map(
    (effect) => calls.filter((call) => effectOf(call) === effect).length
  )
  return [
    ...(failures.length === 0 ? [`${all} succeeded${success(calls)}.`] : failures),
    unknown > 0 && `${total === 1 ? "The key" : count(unknown, "key")} may be gone.`,
    gone > 0 &&
      `The client takes such a response for a refusal: here a gateway hid the deletion of ${total === 1 ? "the key" : count(gone, "key")}.`,
    total > 1 && `${perCall(calls)} attempts per call.`
  ]
    .filter((sentence) => sentence !== false)
    .join(" ")
}
