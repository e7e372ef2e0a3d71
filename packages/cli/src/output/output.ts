import * as Effect from "effect/Effect"
import process from "node:process"
import * as Failure from "./Failure.ts"

/** Why stdout cannot be written; a reader that has seen enough, as in `… | head -1`, is no failure. */
const failureOf = ({ code, message }: NodeJS.ErrnoException): Failure.Failure | undefined =>
  code === "EPIPE"
    ? undefined
    : new Failure.Failure({
        tag: "OutputFailed",
        message: `the result cannot be written: ${message}`,
        advice:
          "Check where stdout goes, and that its disk has free space. Changes that the command has made remain.\nIf it created a key, the secret is lost: delete that key, and create another.",
        exit: "unexpected"
      })

/** Waits until stdout cannot be written. */
const lost = Effect.callback<Failure.Failure | undefined>((resume) => {
  const listener = (error: NodeJS.ErrnoException) => resume(Effect.succeed(failureOf(error)))
  process.stdout.on("error", listener)
  return Effect.sync(() => process.stdout.off("error", listener))
})

/** Waits until stdout has taken all that was printed. */
export const written = Effect.callback<undefined>((resume) => {
  process.stdout.write("", (error) => {
    if (error === null || error === undefined) resume(Effect.undefined)
  })
})

/** Runs a command until its result is written. If that fails, the command is interrupted; the result is the failure. */
export const deliver = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<Failure.Failure | undefined, E, R> =>
  Effect.raceFirst(Effect.andThen(command, written), lost)
