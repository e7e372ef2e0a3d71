import * as Layout from "./Layout.ts"

/** A constant whose initializer has no effect: a bundler drops it where nothing uses it. */
export const write = (name: string, type: Layout.Layout, code: Layout.Layout): string => {
  const line: ReadonlyArray<Layout.Layout> = [`export const ${name}: `, type, " = /* @__PURE__ */ (() => "]
  if (Layout.flatLength(line) + Layout.flatLength(code) + 3 <= 120) return `${Layout.render([...line, code, ")()"])}\n`
  const head = Layout.render([`export const ${name}: `, type, " ="])
  const last = head.slice(head.lastIndexOf("\n") + 1).length
  if (last + 22 <= 120) return `${head} /* @__PURE__ */ (() =>\n  ${Layout.render(code, "  ")})()\n`
  return `${head}\n  /* @__PURE__ */ (() =>\n    ${Layout.render(code, "    ")})()\n`
}
