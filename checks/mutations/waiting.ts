import { mutations, type Mutation } from "./Mutation.ts"

const dead = '["Failed", "Rejected", "Expired", "Deleting"]'

/** Waiting for the state of an endpoint. */
export const waiting: ReadonlyArray<Mutation> = mutations("core/src/Waiting.ts", "core/test/waiting.test.ts", {
  "Failed is waited out": [dead, '["Rejected", "Expired", "Deleting"]'],
  "Rejected is waited out": [dead, '["Failed", "Expired", "Deleting"]'],
  "Expired is waited out": [dead, '["Failed", "Rejected", "Deleting"]'],
  "Deleting is waited out": [
    'status === "Deleting" || (dead.has(status) && !dead.has(wanted))',
    'status !== "Deleting" && dead.has(status) && !dead.has(wanted)'
  ],
  "a deletion can end in Failed": ['status === "Deleting" || ', ""],
  "Failed cannot be waited for": [" && !dead.has(wanted)", ""],
  "the state that is waited for can be hopeless": ["if (until(endpoint)) return Effect.succeed(true)\n", "\n"],
  "PendingAcceptance is hopeless": [dead, '["Failed", "Rejected", "Expired", "Deleting", "PendingAcceptance"]'],
  "a read that is refused is made again": ["error.isRetryable", "error.attempts > 0"],
  "a read that fails for now ends the wait": ["error.isRetryable", "error.attempts < 0"],
  "the next read does not wait as the service asks": ["asked === undefined ? 0 : Duration.toMillis(asked)", "0"],
  "all watchers ask at the same time": ["Random.nextBetween(0.8, 1.2)", "Effect.succeed(1)"],
  "reads may be made without a pause": ['Limits.check("waiting", Limits.given(options), kinds)', ""],
  "a wait may have no limit": ["onChange } = checked(options)", "onChange } = options"],
  "a failure that has passed is told of": ["(failed = undefined)", "failed"],
  "reads are made twice as often": [
    "Math.max(least, Limits.millis(every) * factor)",
    "Math.max(least, (Limits.millis(every) * factor) / 2)"
  ],
  "a state is told again and again": [".pipe(Stream.changes)", ""],
  "the wait is not given up in time": ["duration: limit", 'duration: "1 hour"'],
  "10 minutes are 11": ['deadline = "10 minutes"', 'deadline = "11 minutes"'],
  "any call ends a poll": ["Effect.sync(() => options.until(value))", "Effect.succeed(true)"],
  "nobody learns of a change": ["onChange === undefined ? Effect.void : onChange(value)", "Effect.void"],
  "the last state is not told": ["...(seen !== undefined && { status: seen }),", ""]
})
