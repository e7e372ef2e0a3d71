import { Effect, Random } from "effect"

/** One key deletes another; keys are numbered. */
export interface Deletion {
  readonly caller: number
  readonly target: number
}

export interface Race {
  readonly keys: number
  readonly deletions: ReadonlyArray<Deletion>
}

/** Each key deletes the next, and the last one the first; with two keys, each the other. */
export const ring = (keys: number): Race => ({
  keys,
  deletions: Array.from({ length: keys }, (_, n) => ({ caller: n, target: (n + 1) % keys }))
})

/** From 3 to 8 keys of which some delete some others, several of them perhaps the same one. */
export const graph: Effect.Effect<Race> = Effect.gen(function* () {
  const keys = yield* Random.nextIntBetween(3, 8)
  const deletion = Effect.gen(function* () {
    const caller = yield* Random.nextIntBetween(0, keys - 1)
    const target = yield* Random.nextIntBetween(0, keys - 2)
    return { caller, target: target < caller ? target : target + 1 }
  })
  const count = yield* Random.nextIntBetween(keys, 2 * keys)
  return { keys, deletions: yield* Effect.replicateEffect(deletion, count) }
})
