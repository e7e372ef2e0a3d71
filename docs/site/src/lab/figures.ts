import type { Call } from "./calls.ts"

/** What the calls of a run came to. Times are in milliseconds. */
export interface Figures {
  readonly calls: number
  readonly succeeded: number
  readonly attempts: number
  /** Attempts for each call. */
  readonly amplification: number
  /** From the end of the trouble to the end of the last attempt that failed; absent where trouble has no end. */
  readonly recovery: number | undefined
}

/** The figures of some calls; the trouble they met ended at `until`. */
export const of = (calls: ReadonlyArray<Call>, until: number | undefined): Figures => {
  const attempts = calls.flatMap(({ attempts }) => attempts)
  const failed = attempts.flatMap(({ end, reason }) => (reason === undefined || end === undefined ? [] : [end]))
  return {
    calls: calls.length,
    succeeded: calls.filter(({ ending }) => ending._tag === "Succeeded").length,
    attempts: attempts.length,
    amplification: calls.length === 0 ? 0 : attempts.length / calls.length,
    recovery: until === undefined ? undefined : failed.reduce((last, end) => Math.max(last, end - until), 0)
  }
}

/** How long calls took until their success, shortest first. */
export const latencies = (calls: ReadonlyArray<Call>): ReadonlyArray<number> =>
  calls
    .flatMap(({ end, ending, start }) => (ending._tag === "Succeeded" && end !== undefined ? [end - start] : []))
    .sort((a, b) => a - b)

/** The shares whose percentiles say something about so many calls: at least one call lies above each. */
export const shares = (calls: number): ReadonlyArray<number> =>
  [0.5, 0.9, 0.99].filter((share) => Math.ceil(share * calls) < calls)

/** The smallest of some sorted values that the given share of `total` does not exceed; none if there are too few. */
export const percentile = (sorted: ReadonlyArray<number>, share: number, total: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(share * total) - 1)]
