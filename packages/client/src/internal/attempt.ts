import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constTrue, identity } from "effect/Function"
import * as Result from "effect/Result"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { ClientReason, Outcome, Refused, Timeout, TransportFailed } from "../CallError.ts"
import type { Deadline } from "../Deadline.ts"
import type * as ResponseBody from "./responseBody.ts"
import { monotonicMillisOf } from "./clock.ts"
import * as Head from "./head.ts"
import { millis } from "../OptionRules.ts"
import type * as Response from "./response.ts"
import type { Sending } from "./upload.ts"
import type { Signature } from "./signer.ts"
import * as TimeLimit from "./timeLimit.ts"
import * as TransportFailure from "./transportFailure.ts"

export interface AttemptResult {
  /** Absent when no response began. */
  readonly head: Head.Head | undefined
  readonly result: Result.Result<Response.Decoded, ClientReason | Refused>
  /** The known effect of an attempt that failed. */
  readonly outcome: Outcome
}

/** The reference of `HttpClient`, by its key: a page does without its module (see `Transport`). It is only set here. */
const TracerDisabledWhen = Context.Service<never, () => boolean>("effect/http/HttpClient/TracerDisabledWhen")

/** The spans of attempts are ours, not `HttpClient`'s. */
const withoutSpans = Context.add(TracerDisabledWhen, constTrue)

/** Makes the value of a call from a response whose body is read later; `undefined` of one whose body is read now. */
export type Open = (response: HttpClientResponse.HttpClientResponse, head: Head.Head) => unknown

type Incomplete = (Timeout | TransportFailed) & { readonly transient?: boolean }

/**
 * Makes one attempt: a request and its response, sent, read and interpreted within `deadline.attempt`, and within `left`
 * milliseconds, the rest of the call's time. `deadline.stall` also limits the sending of a stream.
 */
export interface Run {
  (
    clock: Clock.Clock,
    request: Sending,
    signature: Pick<Signature, "sanitize" | "redact">,
    deadline: Deadline,
    left: number,
    release: Head.Release | undefined,
    open: Open | undefined
  ): Effect.Effect<AttemptResult>
}

export const compile =
  (
    client: HttpClient.HttpClient,
    requestIdHeader: string,
    read: ResponseBody.Read,
    interpret: Response.Interpret
  ): Run =>
  (clock, request, { redact = identity, sanitize }, deadline, left, release, open) => {
    const limit = Math.min(millis(deadline.attempt), left)
    let head: Head.Head | undefined
    let outcome: Outcome = "unknown"
    const ended = (result: AttemptResult["result"]): AttemptResult => ({ head, result, outcome })
    /** Without the whole response, the status of a refusal still decides. A success that no attempt can read is invalid. */
    const incomplete = (reason: Incomplete) =>
      ended(
        !head || (reason.transient !== false && head.status < 300)
          ? Result.fail(reason)
          : interpret(head, Result.fail(`cannot be read: ${reason.message}`), sanitize)
      )
    const receive = (response: HttpClientResponse.HttpClientResponse) => {
      const { headers, status } = response
      const received = Head.read(
        { status, headers, at: monotonicMillisOf(clock), nowMillis: clock.currentTimeMillisUnsafe() },
        requestIdHeader
      )
      head = received
      // A refusal changed nothing; but a 408 can come from a gateway that waited for the service, and a 303, for which many
      // still send 301 or 302, from a service that did the work (RFC 9110 §15.4).
      outcome = status > 303 && status < 500 && status !== 408 ? "refused" : "unknown"
      release?.(received)
      const value = status >= 200 && status < 300 ? open?.(response, received) : undefined
      return value !== undefined
        ? Effect.succeed(ended(Result.succeed({ value, status, headers, requestId: received.requestId })))
        : Effect.map(read(response), (content) => ended(interpret(received, content, sanitize)))
    }
    const recover = (error: HttpClientError.HttpClientError): Effect.Effect<AttemptResult> => {
      // a transport can check responses itself, and fail with one that it rejects
      if (!head && "response" in error.reason) {
        return Effect.catch(receive(error.reason.response), recover)
      }
      const { outcome: sent, reason, signal } = TransportFailure.classify(error, sanitize)
      if (signal !== undefined) return Effect.die(signal)
      // after a head, the request did arrive
      if (!head) outcome = sent
      return Effect.succeed(incomplete(reason))
    }
    const { guard = identity } = request.body
    return TimeLimit.within(
      guard(
        Effect.catch(Effect.flatMap(client.execute(request), receive), recover),
        deadline,
        incomplete,
        () => !!head
      ),
      limit,
      () => incomplete(TimeLimit.timeout(limit)),
      (context) => redact(withoutSpans(context))
    )
  }
