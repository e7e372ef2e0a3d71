export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...content: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Tag] => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...content)
  return made
}

export const button = (text: string, onclick: () => void): HTMLButtonElement =>
  element("button", { type: "button", onclick }, text)
