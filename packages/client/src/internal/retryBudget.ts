import type { Retry } from "../Retry.ts"

/** A bucket of tokens that retries are paid from; one per client. */
export interface RetryBudget {
  readonly available: () => number
  readonly withdraw: (cost: number) => void
  /** Returns tokens, up to the capacity; whether there was room for any. */
  readonly deposit: (tokens: number) => boolean
}

export const make = ({ capacity }: Retry["budget"]): RetryBudget => {
  let available = capacity
  return {
    available: () => available,
    withdraw: (cost) => {
      available -= cost
    },
    deposit: (tokens) => {
      const before = available
      available = Math.min(capacity, available + tokens)
      return available > before
    }
  }
}
