import * as Effect from "effect/Effect"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"

/** How many IDs are made of one draw: drawing costs about the same however many bytes it gives. */
const block = 128

/** IDs of requests: UUIDs of version 4 (RFC 9562 §5.4). */
export interface RequestIds {
  /** The next ID; `undefined` when there is none left, before the next {@link draw}. */
  readonly next: () => string | undefined
  /** Draws random bytes for more of them. */
  readonly draw: Effect.Effect<void>
}

export const make = (random: SecureRandom.SecureRandom["Service"]): RequestIds => {
  let digits = ""
  let at = 0
  const next = () => {
    if (at === digits.length) return undefined
    const d = digits.slice(at, (at += 32))
    const variant = "89ab".charAt(Number.parseInt(d.charAt(16), 16) & 3)
    return `${d.slice(0, 8)}-${d.slice(8, 12)}-4${d.slice(13, 16)}-${variant}${d.slice(17, 20)}-${d.slice(20)}`
  }
  const draw = Effect.map(random.randomBytes(16 * block), (bytes) => {
    digits = Hex.encode(bytes)
    at = 0
  })
  return { next, draw }
}
