/** Makes an element of a page: its properties and its content. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...content: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Tag] => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...content)
  return made
}

/** A control with its label. */
export const labelled = (text: string, control: HTMLElement, unit = ""): HTMLLabelElement =>
  element("label", {}, element("span", {}, text), element("span", { className: "lab-control" }, control, unit))

/** A choice among some values, by their names. */
export const choice = <Value extends string>(
  values: Readonly<Record<Value, string>>,
  selected: Value,
  onChoose: (value: Value) => void
): HTMLSelectElement => {
  const options = Object.entries<string>(values).map(([value, text]) =>
    element("option", { value, selected: value === selected }, text)
  )
  const select = element("select", {}, ...options)
  const isValue = (value: string): value is Value => Object.hasOwn(values, value)
  select.addEventListener("change", () => {
    if (isValue(select.value)) onChoose(select.value)
  })
  return select
}

/** A number from 0 on, with its label; an empty field is `NaN`. */
export const numeric = (
  label: string,
  value: number,
  onChange: (value: number) => void,
  unit = ""
): HTMLLabelElement => {
  const input = element("input", { type: "number", min: "0", value: String(value), inputMode: "numeric" })
  input.addEventListener("input", () => onChange(input.valueAsNumber))
  return labelled(label, input, unit)
}

export const button = (text: string, onPress: () => void): HTMLButtonElement => {
  const made = element("button", { type: "button" }, text)
  made.addEventListener("click", onPress)
  return made
}
