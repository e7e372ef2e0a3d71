import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"

/** A completed request. */
export interface Entry {
  /** When its response was ready, in milliseconds since 1970. */
  readonly time: number
  /** The ID in its response. */
  readonly requestId: string
  /** The method; `_OTHER` if the request line is invalid. */
  readonly method: string
  /** The template of its path, such as `/v1/organizations/{organizationId}`; `undefined` if no route matches. */
  readonly route: string | undefined
  /** 499 if the caller disconnected before there was a response; `undefined` if a shutdown cut the request off. */
  readonly status: number | undefined
  /** The time from its head to its response, in milliseconds with a fraction, without sending the response. */
  readonly durationMillis: number
  /** The size of the response body; `undefined` if it is not known before the response is sent. */
  readonly bytes: number | undefined
  /** The caller's address, if the host knows it. */
  readonly address: string | undefined
  /** The key that authenticated it, not one that it only named. */
  readonly keyId: ApiKeyId | undefined
}

/**
 * Receives an entry for each request, including malformed and rejected ones.
 *
 * **Details**
 *
 * If it fails, this is logged, and the response is sent.
 *
 * **Gotchas**
 *
 * Each response waits until it has finished.
 */
export type Recorder = (entry: Entry) => Effect.Effect<void>
