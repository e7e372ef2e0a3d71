import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Durability from "./run.ts"

it.live(
  "what serve acknowledged survives kill -9, and the file opens again",
  () =>
    Effect.gen(function* () {
      const { acknowledged, damaged, lost, vanished } = yield* Durability.run(3)
      expect({ damaged, lost, vanished }).toEqual({ damaged: [], lost: new Set(), vanished: new Set() })
      expect(acknowledged).toBeGreaterThan(2)
    }),
  60_000
)
