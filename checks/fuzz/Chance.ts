/** A source of chance that a seed decides. */
export interface Chance {
  /** From 0 to below 1. */
  readonly next: () => number
  /** A whole number from 0 to below a limit. */
  readonly below: (limit: number) => number
  readonly pick: <A>(values: readonly [A, ...ReadonlyArray<A>]) => A
  /** Whether something of this probability happens. */
  readonly happens: (probability: number) => boolean
  /** Text of characters with codes from `low` to `high`. */
  readonly text: (length: number, low?: number, high?: number) => string
}

/** Mulberry32: small, and good enough for choices. */
export const make = (seed: number): Chance => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (values) => values[below(values.length)] ?? values[0],
    happens: (probability) => next() < probability,
    text: (length, low = 0x21, high = 0x7e) =>
      String.fromCharCode(...Array.from({ length }, () => low + below(high - low + 1)))
  }
}
