import { Effect } from "effect"
import { fstatSync, statSync } from "node:fs"
import process from "node:process"
import * as Failure from "./Failure.ts"

export const failureOf = ({ message }: Error) =>
  Failure.make(
    "unexpected",
    "OutputFailed",
    `the result cannot be written: ${message}`,
    "Check where stdout goes, and that its disk has free space.\nChanges that the command has made remain. A new key, whose secret nobody has, is taken back."
  )

let isWhole = false

/** Waits until stdout cannot be written; a reader that has seen enough, as in `… | head -1`, is no failure. */
const lost = Effect.callback<Failure.Failure | undefined>((resume) => {
  const listener = (error: NodeJS.ErrnoException) =>
    resume(Effect.succeed(error.code === "EPIPE" && !isWhole ? undefined : failureOf(error)))
  process.stdout.on("error", listener)
  return Effect.sync(() => process.stdout.off("error", listener))
})

export const written = Effect.callback<undefined>((resume) => {
  process.stdout.write("", (error) => {
    if (error === null || error === undefined) resume(Effect.undefined)
  })
})

/** Runs a command until its result is written. If that fails, the command is interrupted; the result is the failure. */
export const deliver = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<Failure.Failure | undefined, E, R> =>
  Effect.raceFirst(Effect.andThen(command, written), lost)

/** Where stdout leads if it is closed: Node.js opens it there. */
const isNowhere = () => {
  const { rdev } = fstatSync(1)
  return rdev !== 0 && rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev
}

/** Prints a result of which a part is worth nothing, such as a backup; without a stdout to take it, it fails at once. */
export const whole = <A, E, R>(print: Effect.Effect<A, E, R>) =>
  Effect.suspend((): Effect.Effect<A, E | Failure.Failure, R> => {
    isWhole = true
    return isNowhere()
      ? Failure.usage("stdout is closed or /dev/null: the result would be lost", "Send it to a file or a pipe.")
      : print
  })

/**
 * An act whose result is a secret that nothing else has: what it did is undone if its result is not taken. The act says what it
 * has made before an interruption can end it.
 */
export const once = <A, E, R, E2, R2, R3>(
  act: (made: (result: A) => void) => Effect.Effect<unknown, E, R>,
  show: (result: A) => Effect.Effect<void, E2, R2>,
  undo: (result: A) => Effect.Effect<void, never, R3>
) =>
  whole(
    Effect.suspend(() => {
      // one, or none as long as nothing is done
      const results: Array<A> = []
      const shown = Effect.suspend(() => Effect.forEach(results, show))
      return act((result) => void results.push(result)).pipe(
        Effect.andThen(shown),
        Effect.andThen(written),
        Effect.onError(() => Effect.forEach(results, undo))
      )
    })
  )
