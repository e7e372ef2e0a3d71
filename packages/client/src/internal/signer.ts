import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Credentials, Scheme } from "../Credentials.ts"
import type * as Operation from "../Operation.ts"
import type { Sanitize } from "./redaction.ts"
import * as Redaction from "./redaction.ts"
import * as TimeLimit from "./timeLimit.ts"

/** What a request is signed with. */
export interface Signature extends Pick<Scheme, "redact" | "lacks"> {
  /** What tells two signatures apart; as secret as what it is made of. */
  readonly key: string
  /** Adds the credentials to a request. */
  readonly sign: (
    request: HttpClientRequest.HttpClientRequest,
    security: Operation.Any["security"]
  ) => HttpClientRequest.HttpClientRequest
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

/** The secrets of credentials, as text. */
export const secretsOf = (credentials: Credentials): ReadonlyArray<string> =>
  ("keySecret" in credentials ? [credentials.keySecret] : credentials.secrets).map(Redacted.value)

/** What credentials give to a signature. */
const of = (
  credentials: Credentials,
  secrets: ReadonlyArray<string>
): Pick<Signature, "key" | "sign" | "lacks" | "redact"> => {
  if ("keySecret" in credentials) {
    const key = Redaction.authorization(credentials.keyId, secrets[0] ?? "")
    return {
      key,
      sign: (request, security) =>
        security?.length === 0 ? request : HttpClientRequest.setHeader(request, "authorization", key)
    }
  }
  return {
    ...credentials,
    key: secrets.join("\n"),
    sign: (request, security) => credentials.sign(request, secrets, security)
  }
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
  const signature = (
    own: Pick<Signature, "key" | "sign" | "lacks" | "redact">,
    secrets: Signature["secrets"]
  ): Signature => ({
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
    const secrets = secretsOf(credentials)
    const own = of(credentials, secrets)
    if (own.key === before?.key) return before
    // of the signature before, only its own secrets, or all would be kept
    return signature(own, [...secrets.map(Redaction.makeRepeats), ...(before?.secrets.slice(0, secrets.length) ?? [])])
  }
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
  const evaluated = (refused: Signature): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!isCurrent(refused) || scope?.state._tag === "Closed") return Effect.void
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
          return evaluated(refused)
        }
      )
    })
  const signer: Signer = {
    current: () => current,
    renew: (refused) =>
      Effect.map(evaluated(refused), () =>
        isCurrent(refused) ? refused : signature(current, [...current.secrets, ...refused.secrets])
      )
  }
  return signer
})
