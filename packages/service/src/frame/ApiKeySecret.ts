import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import { sha256 } from "@noble/hashes/sha2.js"

/** The prefix of every generated secret, so that scanners find secrets that leaked into a repository or a log. */
export const prefix = "cmk_"

/** Generates a secret: {@link prefix} and 256 bits from a cryptographic random source, as base64url. */
export const generate: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> =
  SecureRandom.SecureRandom.use((random) =>
    Effect.map(random.randomBytes(32), (bytes) =>
      Redacted.make(prefix + Base64Url.encode(bytes), { label: "keySecret" })
    )
  )

type Crypto = typeof import("node:crypto")
interface Runtime {
  readonly getBuiltinModule?: (id: "node:crypto") => Partial<Crypto> | undefined
}

// a module of the runtime, nothing of its environment: faster where there is one. `crypto.subtle` is everywhere, but
// returns a promise
const { process: runtime }: { readonly process?: Runtime } = globalThis
const native = runtime?.getBuiltinModule?.("node:crypto")?.hash

/** SHA-256 of a secret's bytes, in lower-case hexadecimal. */
export const hash: (secret: Uint8Array) => string =
  native === undefined ? (secret) => Hex.encode(sha256(secret)) : (secret) => native("sha256", secret, "hex")

const encoder = new TextEncoder()

/**
 * The stored form of a secret: the {@link hash} of its UTF-8 bytes.
 *
 * **Details**
 *
 * A plain hash is enough for a random secret of 256 bits. Slow hashes are for passwords, which can be guessed.
 */
export const digest = (secret: Redacted.Redacted): string => hash(encoder.encode(Redacted.value(secret)))
