import { element } from "../element.ts"

/** A value that controls show and change, to what a visitor typed: it may be invalid. */
export interface Cell<A> {
  readonly get: () => A
  readonly set: (value: A) => void
}

/** A cell that begins with a value. */
export const cell = <A>(value: A, onSet: (value: A) => void): Cell<A> => ({
  get: () => value,
  set: (next) => onSet((value = next))
})

/** A field of the value of a cell. */
export const field = <A extends object, Name extends keyof A>({ get, set }: Cell<A>, name: Name): Cell<A[Name]> => ({
  get: () => get()[name],
  set: (value) => set({ ...get(), [name]: value })
})

/** A control with its label. */
export const labelled = (text: string, control: HTMLElement, unit = ""): HTMLLabelElement =>
  element("label", {}, element("span", {}, text), element("span", { className: "lab-control" }, control, unit))

/** A choice among some values, by their names. */
export const choice = <Value extends string>(
  values: Readonly<Record<Value, string>>,
  { get, set }: Cell<Value>
): HTMLSelectElement => {
  const options = Object.entries<string>(values).map(([value, text]) => element("option", { value }, text))
  const select = element("select", {}, ...options)
  select.value = get()
  const isValue = (value: string): value is Value => Object.hasOwn(values, value)
  select.onchange = () => {
    if (isValue(select.value)) set(select.value)
  }
  return select
}

/** A number from 0 on, with its label; an empty field is `NaN`. */
export const numeric = (label: string, { get, set }: Cell<number>, unit = ""): HTMLLabelElement => {
  const input = element("input", { type: "number", min: "0", value: String(get()), inputMode: "numeric" })
  input.oninput = () => set(input.valueAsNumber)
  return labelled(label, input, unit)
}

export const text = (label: string, { get, set }: Cell<string>): HTMLLabelElement => {
  const input = element("input", { type: "text", value: get() })
  input.oninput = () => set(input.value)
  return labelled(label, input)
}
