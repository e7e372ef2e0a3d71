/** A number or a choice that a visitor makes: its control, its check and its words in one. */
export interface Quantity {
  readonly label: string
  readonly unit: string
  // links come from anybody, so each number has an upper bound
  readonly min: number
  readonly max: number
  readonly whole: boolean
  readonly except?: ReadonlyArray<number>
}
export interface Choice {
  readonly label: string
  readonly options: Readonly<Record<string, string>>
}
export type Field = Quantity | Choice

export type Value<F> = F extends { readonly options: infer Options } ? keyof Options : number

/** A duration or moment for people: `40 ms`, `1.25 s`. */
export const time = (millis: number): string => {
  if (millis < 1000) return `${Number(millis.toFixed(1))} ms`
  return millis < 600_000 ? `${Number((millis / 1000).toFixed(2))} s` : `${Number((millis / 60_000).toFixed(1))} min`
}

/** An hour, after which a run stops, in milliseconds. */
export const hour = 3_600_000

/** Calls whose timelines are shown at once. */
export const page = 12

export const problemOf = (field: Field, text: string): string | undefined => {
  if ("options" in field)
    return Object.hasOwn(field.options, text) ? undefined : `one of ${Object.keys(field.options).join(", ")}`
  const { except = [], max, min, whole } = field
  const value = Number(text)
  return text.trim() !== "" &&
    value >= min &&
    value <= max &&
    !except.includes(value) &&
    (!whole || Number.isInteger(value))
    ? undefined
    : `${whole ? "a whole number" : "a number"} from ${min} to ${max}${except.length === 0 ? "" : `, but not ${except.join(", ")}`}`
}
