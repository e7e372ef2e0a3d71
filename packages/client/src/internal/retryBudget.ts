import type { Retry } from "../Retry.ts"

/** Makes a bucket of tokens that retries are paid from; one per client. */
export const make = ({ capacity }: Retry["budget"]) => {
  let available = capacity
  return {
    available: () => available,
    withdraw: (cost: number): void => {
      available -= cost
    },
    /** Returns tokens, up to the capacity; whether there was room for any. */
    deposit: (tokens: number): boolean => {
      const before = available
      available = Math.min(capacity, available + tokens)
      return available > before
    }
  }
}

export type RetryBudget = ReturnType<typeof make>
