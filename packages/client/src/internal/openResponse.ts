import type * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { ClientReason, CallError, Refused } from "../CallError.ts"
import type { Deadline } from "../Deadline.ts"
import type { Failed, Source } from "../Event.ts"
import type { Retry } from "../Retry.ts"
import type { Sanitize } from "./redaction.ts"
import type { RetryBudget } from "./retryBudget.ts"

/** The error of a call of any operation. */
export type Failure = CallError<ClientReason | Refused>

/** A response whose body is read as it arrives, with what its call knows. */
export interface OpenResponse {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly deadline: Deadline
  readonly retry: Retry
  readonly sanitize: Sanitize
  readonly budget: RetryBudget
  readonly emit: (event: { readonly _tag: "StreamFailed" } & Omit<Failed, keyof Source>) => Effect.Effect<void>
  /** The error of the call for a reason that comes after its head. */
  readonly errorOf: (reason: ClientReason | Refused) => Failure
  /** The request, if it may be sent again. */
  readonly request: HttpClientRequest.HttpClientRequest | false
  /** Sends a request as another call, whose value is an open response. */
  readonly begin: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<{ readonly value: OpenResponse }, Failure>
}
