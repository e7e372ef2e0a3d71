import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

/** The milliseconds of a duration. */
export const millis = (duration: Duration.Input): number =>
  typeof duration === "number" ? duration : Duration.toMillis(Duration.fromInputUnsafe(duration))

/** What a limit of a policy has to be, if it is not. */
export const ruleOf = (name: string, limit: Duration.Input): string | undefined => {
  const least = name === "attempts" ? 1 : 0
  // NaN for what is not a duration, and less than nothing
  return Number(Result.getOrUndefined(Result.try(() => millis(limit)))) >= least
    ? undefined
    : `a duration or number of at least ${least}`
}

/** Throws for the first limit that is not what it has to be. */
export const check = (policy: string, limits: object): void => {
  for (const [name, limit] of Object.entries<Duration.Input>({ ...limits })) {
    const rule = ruleOf(name, limit)
    if (rule !== undefined) throw new RangeError(`${policy}.${name} must be ${rule}`)
  }
}
