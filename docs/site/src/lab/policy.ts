import * as Schema from "effect/Schema"
import type * as Client from "@cloud-management/client/Client"
import * as Deadline from "@cloud-management/client/Deadline"
import * as Duration from "effect/Duration"
import * as Pacing from "@cloud-management/client/Pacing"
import * as Retry from "@cloud-management/client/Retry"

/** An hour, after which a run stops, in milliseconds. */
export const hour = 3_600_000

/** A duration in milliseconds. Links come from anybody, so each value of a state has an upper bound. */
export const Millis = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: hour }))
const Tokens = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** The client's options that decide how a call ends, as plain data. Durations are in milliseconds. */
export const Policy = Schema.Struct({
  retry: Schema.Struct({
    attempts: count(100),
    base: Millis,
    baseRateLimited: Millis,
    cap: Millis,
    maxHint: Millis,
    budget: Schema.Struct({ capacity: Tokens, retry: Tokens, timeout: Tokens, success: Tokens })
  }),
  deadline: Schema.Struct({ attempt: Millis, total: Millis }),
  pacing: Schema.Union([
    Schema.TaggedStruct("None", {}),
    Schema.TaggedStruct("Adaptive", {}),
    Schema.TaggedStruct("Fixed", { limit: count(1_000_000), window: Millis })
  ])
})
export type Policy = typeof Policy.Type

const millis = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))

/** A policy of the library; what it does not name is as in `Retry.standard` and `Deadline.standard`. */
const of = (own: Partial<Retry.Retry>, limits: Partial<Deadline.Deadline> = {}): Policy => {
  const retry = { ...Retry.standard, ...own }
  const deadline = { ...Deadline.standard, ...limits }
  return {
    retry: {
      attempts: retry.attempts,
      base: millis(retry.base),
      baseRateLimited: millis(retry.baseRateLimited),
      cap: millis(retry.cap),
      maxHint: millis(retry.maxHint),
      budget: retry.budget
    },
    deadline: { attempt: millis(deadline.attempt), total: millis(deadline.total) },
    pacing: { _tag: "None" }
  }
}

/** What the client does without options. */
export const standard = of({})
/** One attempt. */
export const none = of(Retry.none)
/** For programs that have time. */
export const patient = of(Retry.patient, { total: "15 minutes" })

/** The policy as options of a client. */
export const toOptions = ({
  deadline,
  pacing,
  retry
}: Policy): Pick<Client.Options, "retry" | "deadline" | "pacing"> => ({
  retry,
  deadline,
  ...(pacing._tag === "Adaptive" && { pacing: Pacing.adaptive }),
  ...(pacing._tag === "Fixed" && { pacing: Pacing.fixed(pacing) })
})
