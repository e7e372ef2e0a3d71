import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import type { Credentials } from "../Credentials.ts"
import type { Sanitize } from "./content.ts"
import * as Redaction from "./redaction.ts"
import * as TimeLimit from "./timeLimit.ts"

/** What a request is signed with. */
export interface Signature {
  readonly authorization: string
  /** This secret, and those that a call can have been signed with before. */
  readonly secrets: ReadonlyArray<Redaction.Repeats>
  /** Withholds texts that repeat one of these secrets, or the newest. */
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

/** A later evaluation belongs to no span, whichever call built the client. */
function withoutSpan<R>(context: Context.Context<R>): Context.Context<R>
function withoutSpan(context: Context.Context<never>) {
  return Context.omit(Tracer.ParentSpan)(context)
}

/**
 * Reads the credentials, for now, and makes the signer that can read them again within `limit` milliseconds. `host` is the
 * name of the service's. `onFailure` gets the error of a later evaluation, if it has one.
 */
export const make = Effect.fnUntraced(function* <E, R>(
  source: Effect.Effect<Credentials, E, R>,
  limit: number,
  host: string,
  onFailure: (error: E | undefined) => Effect.Effect<void>
) {
  const context = withoutSpan(yield* Effect.context<R>())
  const signature = (authorization: string, secrets: Signature["secrets"]): Signature => ({
    authorization,
    secrets,
    sanitize: Redaction.makeSanitize((text) => [...secrets, ...current.secrets].some((repeats) => repeats(text)), host)
  })
  const sign = (credentials: Credentials, before?: Signature): Signature => {
    const authorization = Redaction.authorization(credentials)
    if (authorization === before?.authorization) return before
    // made when a text is first searched: it takes longer than all else that makes a client
    let made: Redaction.Repeats | undefined
    const repeats: Redaction.Repeats = (text) => (made ??= Redaction.makeRepeats(credentials))(text)
    // of the signature before, only its own secret, or all would be kept
    return signature(authorization, [repeats, ...(before?.secrets.slice(0, 1) ?? [])])
  }
  let current = sign(yield* source)
  let running: Fiber.Fiber<void> | undefined
  const evaluate = Effect.suspend(() => {
    const reading = Effect.runForkWith(context)(source)
    // without waiting for its end, which an evaluation that cannot be interrupted puts off
    const read = TimeLimit.within<Exit.Exit<Credentials, E> | undefined>(Fiber.await(reading), limit, () => {
      reading.interruptUnsafe()
      return undefined
    })
    return Effect.flatMap(read, (exit) => {
      if (exit === undefined || Exit.isFailure(exit)) {
        return onFailure(exit?.cause.reasons.find(Cause.isFailReason)?.error)
      }
      current = sign(exit.value, current)
      return Effect.void
    })
  })
  const start = () => {
    const fiber = Effect.runForkWith(context)(evaluate)
    running = fiber
    fiber.addObserver(() => (running = undefined))
    return fiber
  }
  const isCurrent = ({ authorization }: Signature) => authorization === current.authorization
  const signer: Signer = {
    current: () => current,
    renew: (refused) =>
      Effect.map(
        Effect.suspend(() => (isCurrent(refused) ? Fiber.await(running ?? start()) : Effect.void)),
        () =>
          isCurrent(refused) ? refused : signature(current.authorization, [...current.secrets, ...refused.secrets])
      )
  }
  return signer
})
