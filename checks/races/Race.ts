import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** One key deletes another; keys are numbered. */
export interface Deletion {
  readonly caller: number
  readonly target: number
}

/** Deletions that are asked for at once, among so many keys. */
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

/** The service as the specification has it, where one deletion comes after the other. */
const statusOf = (left: ReadonlySet<number>, { caller, target }: Deletion) =>
  !left.has(caller) ? 401 : left.has(target) ? 200 : 404

/** Whether some order of the deletions gives these statuses and leaves these keys. One key at least is left by any. */
export const fits = (race: Race, statuses: ReadonlyArray<number>, left: ReadonlySet<number>): boolean => {
  const seen = new Set<string>()
  const from = (state: ReadonlySet<number>, pending: ReadonlyArray<number>): boolean => {
    const now = race.deletions.map((deletion) => statusOf(state, deletion))
    // what changes nothing may as well come now
    const rest = pending.filter((n) => statuses[n] === 200 || statuses[n] !== now[n])
    if (rest.length === 0) return state.size === left.size && state.isSubsetOf(left)
    const situation = [...state, "then", ...rest].join()
    if (seen.has(situation)) return false
    seen.add(situation)
    return rest.some(
      (n) =>
        statuses[n] === 200 &&
        now[n] === 200 &&
        from(
          new Set([...state].filter((key) => key !== race.deletions[n]?.target)),
          rest.filter((other) => other !== n)
        )
    )
  }
  return from(new Set(Array.from({ length: race.keys }).keys()), [...race.deletions.keys()])
}
