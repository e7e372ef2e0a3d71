import * as Layout from "./Layout.ts"

const pure = "/* @__PURE__ */ (() =>"
const end = ")()"

/** A constant whose initializer has no effect: a bundler drops it where nothing uses it. */
export const write = (name: string, type: Layout.Layout, code: Layout.Layout, broken = type): string => {
  const length = Layout.flatLength(code) + end.length
  const line: ReadonlyArray<Layout.Layout> = [`export const ${name}: `, type, ` = ${pure} `]
  if (Layout.flatLength(line) + length <= 120) return `${Layout.render([...line, code, end])}\n`
  const start = [`export const ${name}: `, type, ` = ${pure}`]
  const head = Layout.render([`export const ${name}: `, Layout.flatLength(start) <= 120 ? type : broken, " ="])
  const last = head.slice(head.lastIndexOf("\n") + 1).length
  const body = (indent: string) => `${pure}\n${indent}${Layout.render(code, indent, end.length)}${end}\n`
  if (last + 1 + pure.length + 1 + length <= 120) return `${head} ${pure} ${Layout.render(code)}${end}\n`
  if (last + 1 + pure.length <= 120) return `${head} ${body("  ")}`
  if (3 + pure.length + length <= 120) return `${head}\n  ${pure} ${Layout.render(code)}${end}\n`
  return `${head}\n  ${body("    ")}`
}

/** An operation of a declared type, which a bundler drops as well. */
export const operation = (head: string, object: Layout.Layout): string => {
  const call = "/* @__PURE__ */ Operation.declare("
  const body = (indent: string) => `() => (${Layout.render(object, indent)})`
  if (`${head} = ${call}() => ({`.length <= 120) return `${head} = ${call}${body("")})\n`
  if (`${head} = ${call}`.length <= 120) return `${head} = ${call}\n  ${body("  ")}\n)\n`
  return `${head} =\n  ${call}${body("  ")})\n`
}
