import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Deadline from "../src/Deadline.ts"
import * as Retry from "../src/Retry.ts"

describe("within takes the effect first, as it does in a pipe", () => {
  it.effect("of retries", () =>
    Effect.gen(function* () {
      const policy = { attempts: 7 }
      const current = Effect.service(Retry.Current)
      expect(yield* Retry.within(current, policy)).toEqual(policy)
      expect(yield* current.pipe(Retry.within(policy))).toEqual(policy)
      expect(() => Retry.within(current, { attempts: 0 })).toThrow(RangeError)
    })
  )

  it.effect("of retries, whose budget stays that of the client", () =>
    Effect.gen(function* () {
      const whole: Partial<Omit<Retry.Retry, "budget">> = Retry.standard
      expect(yield* Retry.within(Effect.service(Retry.Current), whole)).not.toHaveProperty("budget")
    })
  )

  it.effect("of deadlines", () =>
    Effect.gen(function* () {
      const deadline = { total: 1000 }
      const current = Effect.service(Deadline.Current)
      expect(yield* Deadline.within(current, deadline)).toEqual(deadline)
      expect(yield* current.pipe(Deadline.within(deadline))).toEqual(deadline)
      expect(() => Deadline.within(current, { total: -1 })).toThrow(RangeError)
    })
  )
})
