import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { SecureRandom } from "effect/crypto"
import * as RequestIds from "../src/frame/wire/requestIds.ts"

it.effect("each ID of a draw is the UUID of version 4 of its own 16 bytes", function* () {
  // a sequence of bytes for the draw, and the same once more, 16 at a time
  const bytes = (at = 0) => SecureRandom.make((size) => Uint8Array.from({ length: size }, () => at++ * 37))
  const [ids, each] = [RequestIds.make(bytes()), bytes()]
  expect(ids.next()).toBe(undefined)
  yield* ids.draw
  for (let id = ids.next(); id !== undefined; id = ids.next()) expect(id).toBe(yield* each.uuidV4())
})
