import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Deadline from "../src/Deadline.ts"
import * as Retry from "../src/Retry.ts"

describe("within takes the effect first, as it does in a pipe", () => {
  it.effect("of retries", () =>
    Effect.gen(function* () {
      const policy = { attempts: 7 }
      const override = Effect.service(Retry.Override)
      expect(yield* Retry.within(override, policy)).toEqual(policy)
      expect(yield* override.pipe(Retry.within(policy))).toEqual(policy)
      expect(() => Retry.within(override, { attempts: 0 })).toThrow(RangeError)
    })
  )

  it.effect("of deadlines", () =>
    Effect.gen(function* () {
      const deadline = { total: 1000 }
      const override = Effect.service(Deadline.Override)
      expect(yield* Deadline.within(override, deadline)).toEqual(deadline)
      expect(yield* override.pipe(Deadline.within(deadline))).toEqual(deadline)
      expect(() => Deadline.within(override, { total: -1 })).toThrow(RangeError)
    })
  )
})
