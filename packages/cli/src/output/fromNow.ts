const units = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
] as const

/** A moment as people tell it: `3 days ago`, or `in 2 hours`. */
export const fromNow = (moment: number, now: number): string => {
  const seconds = (moment - now) / 1000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1]
  return new Intl.RelativeTimeFormat("en").format(Math.round(seconds / size), unit)
}
