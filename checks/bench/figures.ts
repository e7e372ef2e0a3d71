/** The value below which a share of all values lies, `0` to `1`. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)

/** The median of the ratios within rounds, in which a machine that slows down slows both. */
export const ratio = (of: ReadonlyArray<number>, to: ReadonlyArray<number>): number =>
  median(of.map((value, round) => value / (to[round] ?? NaN)))

/** A row of a table in Markdown. */
export const row = (...cells: ReadonlyArray<string | number | undefined>): string => `| ${cells.join(" | ")} |`

/** The head of such a table: one column of text, and others of numbers. */
export const head = (...titles: ReadonlyArray<string>): string =>
  `${row(...titles)}\n${row("---", ...titles.slice(1).map(() => "--:"))}`
