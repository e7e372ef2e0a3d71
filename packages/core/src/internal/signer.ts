import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { Credentials } from "../Credentials.ts"
import type { Sanitize } from "./content.ts"
import * as Redaction from "./redaction.ts"
import * as TimeLimit from "./timeLimit.ts"

/** What a request is signed with. */
export interface Signature {
  readonly authorization: string
  readonly repeats: Redaction.Repeats
  /** Withholds texts that repeat this secret, the one before it, or the newest. */
  readonly sanitize: Sanitize
}

/** Signs the requests of one client. */
export interface Signer {
  readonly current: () => Signature
  /**
   * The signature to send a request with again after a 401. It is the one that was refused if the credentials are still the
   * same, or could not be read. Calls that wait share one evaluation, which goes on when they are interrupted.
   */
  readonly renew: (refused: Signature) => Effect.Effect<Signature>
}

/** Reads the credentials, for now, and makes the signer that can read them again within `limit` milliseconds. */
export const make = Effect.fnUntraced(function* <E, R>(source: Effect.Effect<Credentials, E, R>, limit: number) {
  const context = yield* Effect.contextWith((context: Context.Context<R>) => Effect.succeed(context))
  const sign = (credentials: Credentials, before?: Signature): Signature => {
    const authorization = Redaction.authorization(credentials)
    if (authorization === before?.authorization) return before
    // made when a text is first searched: it takes longer than all else that makes a client
    let made: Redaction.Repeats | undefined
    const repeats: Redaction.Repeats = (text) => (made ??= Redaction.makeRepeats(credentials))(text)
    // not the signature, which holds the one before it, and so on
    const earlier = before?.repeats
    return {
      authorization,
      repeats,
      sanitize: Redaction.makeSanitize((text) => repeats(text) || earlier?.(text) || current.repeats(text))
    }
  }
  let current = sign(yield* source)
  let running: Fiber.Fiber<Exit.Exit<unknown, unknown>> | undefined
  const evaluate = TimeLimit.within(
    Effect.exit<unknown, unknown, never>(
      Effect.map(Effect.provideContext(source, context), (credentials) => (current = sign(credentials, current)))
    ),
    limit,
    (): Exit.Exit<unknown, unknown> => Exit.void
  )
  const signer: Signer = {
    current: () => current,
    renew: (refused) =>
      Effect.suspend(() => {
        if (current !== refused) return Effect.succeed(current)
        const fiber = (running ??= Effect.runForkWith(context)(evaluate))
        fiber.addObserver(() => (running = undefined))
        return Effect.map(Fiber.await(fiber), () => current)
      })
  }
  return signer
})
