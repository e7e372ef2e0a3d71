/** A number or a choice that a visitor makes: its control, its check and its words in one. */
export interface Quantity {
  readonly label: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly whole: boolean
}
export interface Choice<Name extends string = string> {
  readonly label: string
  readonly options: Readonly<Record<Name, string>>
}
export type Field = Quantity | Choice

/** What a field stands for. */
export type Value<F> = F extends Choice<infer Name> ? Name : number

/** A duration or moment for people: `40 ms`, `1.25 s`. */
export const time = (millis: number): string =>
  millis < 1000
    ? `${Number(millis.toFixed(1))} ms`
    : millis < 600_000
      ? `${Number((millis / 1000).toFixed(2))} s`
      : `${Number((millis / 60_000).toFixed(1))} min`

/** An hour, after which a run stops, in milliseconds. */
export const hour = 3_600_000

// links come from anybody, so each number has an upper bound
export const whole = (label: string, min: number, max: number, unit = ""): Quantity => ({
  label,
  unit,
  min,
  max,
  whole: true
})
export const millis = (label: string): Quantity => ({ label, unit: "ms", min: 0, max: hour, whole: false })
export const tokens = (label: string): Quantity => ({ label, unit: "tokens", min: 0, max: 1_000_000, whole: false })
export const choice = <Name extends string>(label: string, options: Readonly<Record<Name, string>>): Choice<Name> => ({
  label,
  options
})

/** What is wrong with a text of a field, in words. */
export const problemOf = (field: Field, text: string): string | undefined => {
  if ("options" in field)
    return Object.hasOwn(field.options, text) ? undefined : `one of ${Object.keys(field.options).join(", ")}`
  const { max, min, whole } = field
  const value = Number(text)
  return text.trim() !== "" && value >= min && value <= max && (!whole || Number.isInteger(value))
    ? undefined
    : `${whole ? "a whole number" : "a number"} from ${min} to ${max}`
}
