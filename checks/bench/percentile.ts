/** The value below which a share of all values lies, `0` to `1`. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)
