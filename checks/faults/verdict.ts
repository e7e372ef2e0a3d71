import { Duration, Effect, Exit, Option, Predicate, Tracer } from "effect"
import { Deadline, Retry, Telemetry } from "@cloud-management/client"
import { api } from "@cloud-management/core/Operations"
import { ending, type AnyFailure, type AnyOperation } from "../fixtures/Scripted.ts"
import { tracing } from "../fixtures/Spans.ts"
import type { Facts, Row } from "./table.ts"

export interface Trial {
  readonly row: Row
  readonly operation: AnyOperation
  /** Whether the first attempt meets the fault, or each of them. */
  readonly frequency: "once" | "always"
}

const { attributes } = Telemetry.make(api.name)
const attemptMillis = Duration.toMillis(Duration.fromInputUnsafe(Deadline.standard.attempt))
const millis = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))

export const expected = ({ frequency, operation }: Trial, facts: Facts) => {
  const { again = false, hint, outcome, served = false, stalls = facts.ending === "Timeout" } = facts
  const isRefusal = facts.ending !== "ok"
  // the service's second response to a deletion that it did is that there is nothing to delete, but only its body says so
  const cut404 = facts.status === "service" && operation === "apiKeys.delete" && frequency === "always"
  const most = frequency === "once" || cut404 ? 2 : 3
  // a POST without an idempotency key is sent again only if it cannot have been applied
  const repeats = again && (outcome !== "unknown" || operation !== "echo.json")
  const attempts = isRefusal && repeats ? most : 1
  const succeeds = !isRefusal || (repeats && frequency === "once")
  const faulty = succeeds && isRefusal ? attempts - 1 : attempts

  const status = facts.status === "service" ? (cut404 ? 404 : 200) : facts.status
  const ending = cut404 ? "UnexpectedStatus" : facts.ending
  const failure = [ending, status, outcome].filter((part) => part !== undefined).join(" ")
  const deleted = operation === "apiKeys.delete" && served && isRefusal ? "ok, taken as deleted" : "ok"

  const timeouts = stalls ? faulty * attemptMillis : 0
  const base = status === 429 ? Retry.standard.baseRateLimited : Retry.standard.base
  const waits = Array.from({ length: attempts - 1 }, (_, n) => millis(base) * 2 ** n)
  const least = waits.map(() => hint ?? 0)
  const longest = waits.map((jitter) => Math.max(hint ?? 0, jitter))
  const sum = (parts: ReadonlyArray<number>) => parts.reduce((total, part) => total + part, timeouts)
  return {
    operation,
    frequency,
    ending: succeeds ? deleted : failure,
    attempts,
    attemptsOfError: succeeds ? undefined : attempts,
    served: (served ? faulty : 0) + (succeeds && isRefusal ? 1 : 0),
    /** The wait in the error, as the service asked for it. Reasons of incomplete responses carry no hint. */
    retryAfter: succeeds || ending === "Timeout" ? undefined : hint,
    /** Milliseconds of waits, and of attempts that were cut off. */
    elapsed: [sum(least), sum(longest)] as const,
    leftovers: new Array<string>()
  }
}

/** The end of a call; only its span says that it took a 404 as a deletion. */
export const watch = Effect.fnUntraced(function* (call: Effect.Effect<Exit.Exit<unknown, AnyFailure>>) {
  const { spans, tracer } = tracing()
  const exit = yield* Effect.provideService(call, Tracer.Tracer, tracer)
  const isAssumed = spans.some((span) => span.attributes.get(attributes.assumedDeleted) === true)
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  const retryAfter =
    error !== undefined && Predicate.hasProperty(error.reason, "retryAfter") ? error.reason.retryAfter : undefined
  return {
    ending: ending(exit) + (isAssumed ? ", taken as deleted" : ""),
    retryAfter: Duration.isDuration(retryAfter) ? Duration.toMillis(retryAfter) : undefined,
    attemptsOfError: error?.attempts
  }
})
