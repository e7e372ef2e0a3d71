import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Credentials } from "../Credentials.ts"
import { monotonicMillisOf } from "./clock.ts"
import type { Sanitize } from "./redaction.ts"
import * as Redaction from "./redaction.ts"
import * as TimeLimit from "./timeLimit.ts"

export interface Signature extends Pick<Credentials, "redact" | "lacks"> {
  /** Tells two signatures apart; as secret as what it is made of. */
  readonly key: string
  readonly sign: ReturnType<Credentials["sign"]>
  /** When others are to be read, on the monotonic time of the clock. */
  readonly renewAt: number
  /** This secret, and those that a call can have been signed with before. */
  readonly secrets: ReadonlyArray<Redaction.Repeats>
  /** Whether a text is one of its secrets as they are. */
  readonly isSecret: (text: string) => boolean
  /** Withholds texts that repeat one of these secrets, or the newest. */
  readonly sanitize: Sanitize
}

export interface Signer {
  readonly current: () => Signature
  /** The signature that a call with an older one goes on with: the same one while the credentials are. */
  readonly newest: (old: Signature) => Signature
  /**
   * Reads the credentials again after a 401, or before they end, unless they are others already. Calls that wait share one
   * evaluation, which goes on when they are interrupted. Its failure leaves them as they are.
   */
  readonly renew: (old: Signature) => Effect.Effect<void>
}

/**
 * An evaluation ends within its limit. One that has not ended so many milliseconds later belonged to a request that
 * workerd has cancelled, and never will.
 */
const grace = 1000

/**
 * Reads the credentials, and makes the signer, which can read them again within `limit` milliseconds. `host` is the
 * service's. `onFailure` gets the error of a later evaluation, if it has one.
 */
export const make = Effect.fnUntraced(function* <E, R>(
  source: Effect.Effect<Credentials, E, R>,
  limit: number,
  host: string,
  onFailure: (error: E | undefined) => Effect.Effect<void>
) {
  // a later evaluation belongs to no span, whichever call built the client
  // oxlint-disable-next-line typescript/consistent-type-assertions -- credentials that need a span of their own have one
  const context = Context.omit(Tracer.ParentSpan)(yield* Effect.context<R>()) as Context.Context<R>
  const scope = Context.getOrUndefined(context, Scope.Scope)
  const clock = Context.get(context, Clock.Clock)
  const signature = (own: Omit<Signature, "secrets" | "sanitize">, secrets: Signature["secrets"]): Signature => ({
    ...own,
    secrets,
    // most are in both, and looking for one takes long
    sanitize: Redaction.makeSanitize(
      (text) => [...new Set([...secrets, ...current.secrets])].some((repeats) => repeats(text)),
      host
    )
  })
  const sign = (credentials: Credentials, before?: Signature): Signature => {
    // the program can wipe them later
    const secrets = credentials.secrets.map(Redacted.value)
    const key = [credentials.id, ...secrets].join("\n")
    const renewAt = Math.max(credentials.renewAt?.(clock) ?? Infinity, soon())
    if (key === before?.key) return { ...before, renewAt }
    return signature(
      { ...credentials, key, renewAt, isSecret: (text) => secrets.includes(text), sign: credentials.sign(secrets) },
      // of the signature before, only its own secrets, or all would be kept
      [...secrets.map(Redaction.makeRepeats), ...(before?.secrets.slice(0, secrets.length) ?? [])]
    )
  }
  /** Credentials that end at once, or cannot be renewed, are read once a second at most. */
  const soon = () => monotonicMillisOf(clock) + 1000
  let current = sign(yield* source)
  /** Nothing that the client starts outlives it: a layer always has a scope. */
  const fork = <A, E>(effect: Effect.Effect<A, E, R>) => {
    const fiber = Effect.runForkWith(context)(effect)
    return scope === undefined ? fiber : Fiber.runIn(fiber, scope)
  }
  const evaluate = Effect.suspend(() => {
    const reading = fork(source)
    // without waiting for its end, which an evaluation that cannot be interrupted puts off
    const read = TimeLimit.within<Exit.Exit<Credentials, E> | undefined>(Fiber.await(reading), limit, () => {
      reading.interruptUnsafe()
      return undefined
    })
    return Effect.flatMap(read, (exit) => {
      if (exit === undefined || Exit.isFailure(exit)) {
        current = { ...current, renewAt: Math.max(current.renewAt, soon()) }
        return onFailure(exit?.cause.reasons.find(Cause.isFailReason)?.error)
      }
      current = sign(exit.value, current)
      return Effect.void
    })
  })
  /** Calls wait for a promise: in workerd, only a promise may wake another request. */
  let running: Promise<true> | undefined
  const start = () => {
    let end = () => {}
    const evaluation = new Promise<true>((resolve) => (end = () => resolve(true)))
    running = evaluation
    fork(evaluate).addObserver(() => {
      if (running === evaluation) running = undefined
      end()
    })
    return evaluation
  }
  const isCurrent = ({ key }: Signature) => key === current.key
  const renew: Signer["renew"] = (old) =>
    Effect.suspend(() => {
      if (!isCurrent(old) || scope?.state._tag === "Closed") return Effect.void
      const evaluation = running ?? start()
      return Effect.flatMap(
        TimeLimit.within<boolean>(
          Effect.promise(() => evaluation),
          limit + grace,
          () => false
        ),
        (isEnded) => {
          if (isEnded) return Effect.void
          if (running === evaluation) running = undefined
          return renew(old)
        }
      )
    })
  const signer: Signer = {
    current: () => current,
    newest: (old) => (isCurrent(old) ? old : signature(current, [...current.secrets, ...old.secrets])),
    renew
  }
  return signer
})
