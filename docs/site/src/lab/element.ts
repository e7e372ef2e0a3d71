type Content = Node | string | undefined | false

/** Makes an element of a page: its properties, in `aria` its attributes, and its content. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> & {
    readonly aria?: Readonly<Record<string, string>>
  } = {},
  ...content: ReadonlyArray<Content>
): HTMLElementTagNameMap[Tag] => {
  const { aria, ...own } = properties
  const made = Object.assign(document.createElement(tag), own)
  for (const [name, value] of Object.entries(aria ?? {})) made.setAttribute(name, value)
  made.append(...content.filter((node) => node !== undefined && node !== false))
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
  const names = Object.entries<string>(values)
  const select = element(
    "select",
    {},
    ...names.map(([value, text]) => element("option", { value, selected: value === selected }, text))
  )
  const isValue = (value: string): value is Value => Object.hasOwn(values, value)
  select.addEventListener("change", () => {
    if (isValue(select.value)) onChoose(select.value)
  })
  return select
}

/** A number from 0 on; an empty field is `NaN`. */
export const numeric = (value: number, onChange: (value: number) => void): HTMLInputElement => {
  const input = element("input", { type: "number", min: "0", value: String(value), inputMode: "numeric" })
  input.addEventListener("input", () => onChange(input.valueAsNumber))
  return input
}

export const button = (text: string, onPress: () => void): HTMLButtonElement => {
  const made = element("button", { type: "button" }, text)
  made.addEventListener("click", onPress)
  return made
}
