import * as Comment from "../model/Comment.ts"

/** Code that may be written in one line or in several. */
export type Layout = string | Brackets | ReadonlyArray<Layout>

/** One of the things between brackets, with its comment. */
export interface Item {
  readonly comment?: ReadonlyArray<string>
  readonly code: Layout
}

/** Brackets around items. */
export interface Brackets {
  readonly open: string
  readonly close: string
  /** Between items in one line, and between those in several. */
  readonly separator: readonly [flat: string, broken: string]
  /** Before each item that stands in a line of its own. */
  readonly prefix?: string
  readonly pad: string
  readonly items: ReadonlyArray<Item>
  /** In one line; `Infinity` if that cannot be. Each level asks for those of all below it. */
  readonly length: number
}

const width = 120

const item = (code: Layout | Item): Item => (typeof code === "object" && "code" in code ? code : { code })

const brackets = (
  [open, close]: readonly [open: string, close: string],
  separator: Brackets["separator"],
  all: ReadonlyArray<Layout | Item>,
  {
    isBroken = false,
    pad = "",
    prefix
  }: { readonly isBroken?: boolean; readonly pad?: string; readonly prefix?: string } = {}
): Brackets => {
  const items = all.map(item)
  const frame = open.length + close.length + 2 * pad.length + separator[0].length * (items.length - 1)
  const isLong = isBroken || items.some(({ comment = [] }) => comment.length > 0)
  const length = isLong ? Infinity : items.reduce((sum, { code }) => sum + flatLength(code), frame)
  return { open, close, separator, pad, items, length, ...(prefix !== undefined && { prefix }) }
}

const braces =
  (separator: Brackets["separator"], isBroken = false) =>
  (entries: ReadonlyArray<Layout | Item>): Layout =>
    entries.length === 0 ? "{}" : brackets(["{", "}"], separator, entries, { isBroken, pad: " " })

export const object = braces([", ", ","])

export const members = braces(["; ", ""])

/** The body of an interface, which is never in one line. */
export const body = braces(["", ""], true)

export const array = (all: ReadonlyArray<Layout>): Layout =>
  all.length === 0 ? "[]" : brackets(["[", "]"], [", ", ","], all)

const isHugged = (code: Layout): boolean => {
  if (typeof code === "string") return false
  if ("open" in code) return code.open === "{" || code.open === "["
  // a function that returns what has brackets
  const [head, body] = code
  return head === "() => " && body !== undefined && isHugged(body)
}

/** Whether a type is an object or null. */
const isNullable = (code: Layout): boolean => {
  if (typeof code === "string" || "open" in code) return false
  const [object, rest] = code
  return code.length === 2 && rest === " | null" && object !== undefined && isHugged(object)
}

/** A call; its last argument shares the brackets if it has some of its own. */
export const call = (name: Layout, args: ReadonlyArray<Layout>): Layout => {
  const last = args.at(-1)
  if (args.length === 1 && last !== undefined && isHugged(last)) return [name, "(", last, ")"]
  if (args.length === 0) return [name, "()"]
  return [name, brackets(["(", ")"], [", ", ","], args)]
}

export const union = (members: ReadonlyArray<Layout>): Layout => {
  // shapes that differ can have one type
  const all = [...new Map(members.map((code) => [typeof code === "string" ? code : render(code), code])).values()]
  const [first = "never", rest] = all
  const isReference = typeof first !== "string" && !("prefix" in first)
  return all.length === 2 && rest === "null" && isReference
    ? [first, " | null"]
    : all.length === 1
      ? first
      : brackets(["", ""], [" | ", ""], all, { prefix: "| " })
}

/** The length in one line; `Infinity` if that cannot be. */
export const flatLength = (code: Layout): number => {
  if (typeof code === "string") return code.includes("\n") ? Infinity : code.length
  return "items" in code ? code.length : code.reduce((sum, part) => sum + flatLength(part), 0)
}

const flat = (code: Layout): string => {
  if (typeof code === "string") return code
  if (!("items" in code)) return code.map(flat).join("")
  const inner = code.items.map(({ code }) => flat(code)).join(code.separator[0])
  return `${code.open}${code.pad}${inner}${code.pad}${code.close}`
}

/** The length of a text after its last line break, or after a column. */
const column = (text: string, before: number): number => {
  const at = text.lastIndexOf("\n")
  return at < 0 ? before + text.length : text.length - at - 1
}

const broken = (code: Brackets, indent: string): string => {
  const inner = `${indent}  `
  const lines = code.items.map(({ code: body, comment = [] }, i) => {
    const head = `${inner}${code.prefix ?? ""}`
    const after = i === code.items.length - 1 ? "" : code.separator[1]
    const isValue = code.separator[1] === ","
    const isUnion =
      typeof body !== "string" && "prefix" in body && head.length + flatLength(body) + after.length > width
    if (isUnion) return `${Comment.render(comment, inner)}${broken(body, indent).slice(1)}${after}`
    return `${Comment.render(comment, inner)}${head}${line(body, code.prefix === undefined ? inner : `${inner}  `, head.length, after.length, isValue)}${after}`
  })
  return `${code.open}\n${lines.join("\n")}${code.open === "" ? "" : `\n${indent}`}${code.close}`
}

/** Writes an item; a value that is too long for the line of its key has one of its own. */
const line = (code: Layout, indent: string, at: number, after: number, isValue: boolean): string => {
  const [key, text] = typeof code === "string" || "items" in code ? [] : code
  const isLongValue =
    isValue &&
    typeof key === "string" &&
    key.endsWith(": ") &&
    typeof text === "string" &&
    (text.startsWith('"') || text.startsWith("'") || !text.includes("(")) &&
    at + key.length + text.length + after > width
  if (isLongValue) return `${key.trimEnd()}\n${indent}  ${text}`
  return write(code, indent, at, after)
}

/** A call in whose first line all arguments fit but the last one, which is an object. */
const hugged = (code: Brackets, indent: string, at: number, after: number): string | undefined => {
  const last = code.items.at(-1)
  if (code.open !== "(" || code.items.length < 2 || last === undefined || !isHugged(last.code)) return undefined
  const others = code.items.slice(0, -1)
  if (others.some(({ code, comment = [] }) => comment.length > 0 || flatLength(code) === Infinity)) return undefined
  const head = `(${others.map(({ code }) => flat(code)).join(", ")}, `
  return at + head.length < width ? `${head}${write(last.code, indent, at + head.length, after + 1)})` : undefined
}

/** Writes code that begins at a column, with room after it. */
const write = (code: Layout, indent: string, at: number, after: number): string => {
  if (at + flatLength(code) + after <= width) return flat(code)
  if (typeof code === "string") return code
  if ("items" in code) return hugged(code, indent, at, after) ?? broken(code, indent)
  let text = ""
  for (const [i, part] of code.entries()) {
    const rest = code
      .slice(i + 1)
      .reduce((sum: number, next) => sum + (typeof next === "string" ? next.length : 0), after)
    const written = write(part, indent, column(text, at), rest)
    text = (written.startsWith("\n") ? text.trimEnd() : text) + written
  }
  return text
}

/** Code in lines of at most 120 characters, where that can be. */
export const render = (code: Layout, indent = "", after = 0): string => write(code, indent, indent.length, after)

export const brokenGeneric = (name: string, args: ReadonlyArray<Layout>): Layout => [
  name,
  brackets(["<", ">"], ["", ","], args, { isBroken: true })
]

export const generic = (name: string, args: ReadonlyArray<Layout>): Layout => {
  const [last] = args
  const isObject = last !== undefined && (isHugged(last) || isNullable(last))
  if (args.length === 1 && isObject) return [name, "<", last, ">"]
  return [name, brackets(["<", ">"], [", ", ","], args)]
}
