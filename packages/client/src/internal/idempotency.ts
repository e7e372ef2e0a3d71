import * as Effect from "effect/Effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

/**
 * An `Idempotency-Key`: one value per call, the same for all its attempts, unless the caller gives its own.
 */
export interface IdempotencyKey {
  /** Name of the header, in lower case. */
  readonly header: string
  /** Creates the key of a call. */
  readonly make: Effect.Effect<string>
}

/**
 * Makes a POST or PATCH safe to send again through a header, by default `idempotency-key`.
 *
 * **Details**
 *
 * Each call sends one key, the same for all its attempts: a service that honours it does the work only once
 * (draft-ietf-httpapi-idempotency-key-header). A second call has another key, and is other work, unless the caller gives
 * the key: as the header of that name in the input, if `headers` declares it, or by `RequestHeaders.within`. Otherwise it
 * is a random UUID (RFC 9562 §5.4), with `hex` one without hyphens. It is not drawn from Effect's `Random`: a program that sets a seed again would repeat it, and
 * the service would leave out the work.
 */
export const idempotencyKey = (header = "idempotency-key", format: "uuid" | "hex" = "uuid"): IdempotencyKey => ({
  header: header.toLowerCase(),
  make: Effect.sync(() => SecureRandom.uuidV4Unsafe().replaceAll("-", format === "hex" ? "" : "-"))
})
