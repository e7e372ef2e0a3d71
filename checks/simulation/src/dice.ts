import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Chance for one purpose. Each purpose has a stream of its own, so that one more draw for it leaves the others alone. */
export interface Dice {
  /** From 0 on, below 1. */
  readonly next: () => number
  readonly between: (min: number, max: number) => number
  /** A whole number from `min` to `max`, both included. */
  readonly int: (min: number, max: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(items: NonEmptyReadonlyArray<A>) => A
  readonly bytes: (size: number) => Uint8Array
  /** The stream as Effect's own service. */
  readonly service: Random.Random
}

/** The stream of a purpose within a run. */
export const make = (seed: number, purpose: string): Effect.Effect<Dice> =>
  Effect.map(Random.withSeed(Random.Random, `${purpose} ${seed}`), (service) => {
    const next = () => service.nextDoubleUnsafe()
    const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
    return {
      next,
      between: (min, max) => min + next() * (max - min),
      int,
      chance: (probability) => next() < probability,
      pick: (items) => items[int(0, items.length - 1)] ?? items[0],
      bytes: (size) => Uint8Array.from({ length: size }, () => int(0, 255)),
      service
    }
  })
