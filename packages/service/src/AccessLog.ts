import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"

/**
 * A request that has ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  /** When its response was made, in milliseconds since 1970. */
  readonly time: number
  /** The ID that its response carries. */
  readonly requestId: string
  /** Of a request line that was not understood: `_OTHER`. */
  readonly method: string
  /** The template of its path, as in `/v1/organizations/{organizationId}`; `undefined` if it has no route. */
  readonly route: string | undefined
  /**
   * Of the response; 499 if the caller left before there was one, `undefined` if the service cut the request off because
   * it ends.
   */
  readonly status: number | undefined
  /** From its head to its response, in milliseconds with a fraction. Sending the response is not included. */
  readonly durationMillis: number
  /** Of the response's content; `undefined` if it is not known before it is sent. */
  readonly bytes: number | undefined
  /** The caller's, if the host knows it. */
  readonly address: string | undefined
  /** The key that it was authenticated with, not one that it only named. */
  readonly keyId: ApiKeyId | undefined
}

/**
 * Takes an entry for each request, malformed and rejected ones included.
 *
 * **Gotchas**
 *
 * A response waits for it.
 *
 * @category models
 * @since 0.1.0
 */
export type Recorder = (entry: Entry) => Effect.Effect<void>
