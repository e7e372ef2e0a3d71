import type { Retry } from "../Retry.ts"

/** A bucket of tokens that retries are paid from; one per client. */
export interface RetryBudget {
  readonly available: () => number
  /** Takes the price of a retry. */
  readonly pay: (price: number) => void
  /** Returns tokens, up to the capacity; whether there was room for any. */
  readonly refill: (tokens: number) => boolean
}

export const make = ({ capacity }: Retry["budget"]): RetryBudget => {
  let available = capacity
  return {
    available: () => available,
    pay: (price) => {
      available -= price
    },
    refill: (tokens) => {
      const before = available
      available = Math.min(capacity, available + tokens)
      return available > before
    }
  }
}
