import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import { sha256 } from "@noble/hashes/sha2.js"

/**
 * The prefix of every generated secret, so that scanners find secrets that leaked into a repository or a log.
 *
 * @category constants
 * @since 0.1.0
 */
export const prefix = "cmk_"

/**
 * Generates a secret: {@link prefix} and 256 bits from a cryptographic random source, as base64url.
 *
 * @category constructors
 * @since 0.1.0
 */
export const generate: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> =
  SecureRandom.SecureRandom.use((random) =>
    Effect.map(random.randomBytes(32), (bytes) =>
      Redacted.make(prefix + Base64Url.encode(bytes), { label: "keySecret" })
    )
  )

const encoder = new TextEncoder()

/**
 * SHA-256 of a secret's UTF-8 bytes.
 *
 * @category hashing
 * @since 0.1.0
 */
export const hash = (secret: Uint8Array): Uint8Array => sha256(secret)

/**
 * The stored form of a secret: its {@link hash} in hexadecimal.
 *
 * **Details**
 *
 * A plain hash is enough for a random secret of 256 bits. Slow hashes are for passwords, which can be guessed.
 *
 * @category hashing
 * @since 0.1.0
 */
export const digest = (secret: Redacted.Redacted): string => Hex.encode(hash(encoder.encode(Redacted.value(secret))))

const none = "0".repeat(64)

/**
 * Whether a digest is the digest of a hash, compared in constant time.
 *
 * **Details**
 *
 * Without a digest (unknown key), it does the same work and returns `false`.
 *
 * @category hashing
 * @since 0.1.0
 */
export const verify = (hash: Uint8Array, digest: string | undefined): boolean => {
  const expected = Hex.decode(digest ?? none)
  const equal = Result.isSuccess(expected) && Mac.timingSafeEqual(hash, expected.success)
  return equal && digest !== undefined
}
