import type { Retry } from "../Retry.ts"

/** A bucket of tokens that retries are paid from; one per client. */
export interface RetryBudget {
  /** Takes the price of a retry, or nothing when there is too little: then the call must not be sent again. */
  readonly take: (price: number) => boolean
  /** Gives tokens back, at most up to the capacity. */
  readonly give: (tokens: number) => void
  readonly available: () => number
}

export const make = ({ capacity }: Retry["budget"]): RetryBudget => {
  let tokens = capacity
  return {
    take: (price) => {
      if (tokens < price) return false
      tokens -= price
      return true
    },
    give: (returned) => {
      tokens = Math.min(capacity, tokens + returned)
    },
    available: () => tokens
  }
}
