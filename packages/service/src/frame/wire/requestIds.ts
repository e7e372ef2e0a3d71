import * as Effect from "effect/Effect"
import type * as SecureRandom from "effect/crypto/SecureRandom"

const digits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0))
/** Where the bytes of an ID begin in it. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** IDs of requests: UUIDs of version 4 (RFC 9562 §5.4). `next` has none left until `draw` draws bytes for more. */
export const make = (random: SecureRandom.SecureRandom["Service"]) => {
  let bytes: Uint8Array = new Uint8Array()
  let at = 0
  // its dashes stay; in one piece, since an ID of pieces takes three times the memory
  const characters = Array.from("00000000-0000-4000-8000-000000000000", (character) => character.charCodeAt(0))
  const put = (place: number, digit: number) => (characters[place] = digits[digit] ?? 0)
  const next = () => {
    if (at === bytes.length) return undefined
    for (const place of places) {
      const byte = bytes[at++] ?? 0
      put(place, byte >> 4)
      put(place + 1, byte & 15)
    }
    put(14, 4)
    put(19, 8 | (((bytes[at - 8] ?? 0) >> 4) & 3))
    return String.fromCharCode(...characters)
  }
  // for 128 IDs: drawing costs about the same however many bytes it gives
  const draw = Effect.map(random.randomBytes(16 * 128), (drawn) => {
    bytes = drawn
    at = 0
  })
  return { next, draw }
}
