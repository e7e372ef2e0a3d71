import * as Predicate from "effect/Predicate"
import type { Request } from "./cassette.ts"

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Where two values differ: the order of fields does not count. */
const compare = (recorded: unknown, sent: unknown, at: string): ReadonlyArray<string> => {
  if (Object.is(recorded, sent)) return []
  if (!isObject(recorded) || !isObject(sent) || Array.isArray(recorded) !== Array.isArray(sent)) {
    return [`${at}: recorded ${shown(recorded)}, sent ${shown(sent)}`]
  }
  const names = new Set([...Object.keys(recorded), ...Object.keys(sent)])
  return [...names].flatMap((name) => compare(field(recorded, name), field(sent, name), `${at}.${name}`))
}
const field = (value: object, name: string): unknown => {
  if (!Object.hasOwn(value, name)) return undefined
  return Predicate.hasProperty(value, name) ? value[name] : undefined
}

/** The differences between a recorded request and one that is sent, which matches if there are none. */
export const differences = (recorded: Request, sent: Request): ReadonlyArray<string> =>
  (["method", "path", "query", "headers", "body"] as const).flatMap((part) => {
    const [left, right] = [recorded[part], sent[part]]
    return part === "query" || part === "headers" ? compare(left ?? {}, right ?? {}, part) : compare(left, right, part)
  })

/** How far a request is from a recorded one: another method or path counts for more than anything after them. */
export const distance = (recorded: Request, sent: Request): number => {
  const [left, right] = [recorded.path.split("/"), sent.path.split("/")]
  const segments = Math.abs(left.length - right.length) + left.filter((segment, i) => segment !== right[i]).length
  const parts = (["query", "headers", "body"] as const).map((part) => compare(recorded[part], sent[part], part).length)
  return (
    100 * segments + (recorded.method === sent.method ? 0 : 50) + parts.reduce((sum, count) => sum + Math.min(9, count))
  )
}
