import * as Predicate from "effect/Predicate"
import type { Request } from "./cassette.ts"
import { placeholder } from "./secrets.ts"

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether a recorded value has a secret in it. */
const isRedacted = (recorded: unknown): boolean => shownWhole(recorded).includes(placeholder)
const shownWhole = (value: unknown): string => JSON.stringify(value) ?? ""

/** Whether a text is a recorded one, with anything in place of its secrets: one may not be known yet when it is sent. */
const fits = (recorded: string, sent: string): boolean => {
  const [first = "", ...parts] = recorded.split(placeholder)
  const last = parts.pop()
  if (last === undefined) return recorded === sent
  if (!sent.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = sent.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return sent.length - last.length >= at && sent.endsWith(last)
}

/** Where two values differ: the order of fields does not count. */
const compare = (recorded: unknown, sent: unknown, at: string): ReadonlyArray<string> => {
  if (Object.is(recorded, sent)) return []
  if (Predicate.isString(recorded) && Predicate.isString(sent) && fits(recorded, sent)) return []
  if (!isObject(recorded) || !isObject(sent) || Array.isArray(recorded) !== Array.isArray(sent)) {
    // what stands where a secret was recorded may be one
    const other = isRedacted(recorded) && sent !== undefined ? "something else" : shown(sent)
    return [`${at}: recorded ${shown(recorded)}, sent ${other}`]
  }
  const names = new Set([...Object.keys(recorded), ...Object.keys(sent)])
  return [...names].flatMap((name) => compare(field(recorded, name), field(sent, name), `${at}.${name}`))
}
const field = (value: object, name: string): unknown => {
  if (!Object.hasOwn(value, name)) return undefined
  return Predicate.hasProperty(value, name) ? value[name] : undefined
}

const segmentsOf = (path: string) => path.split("/")

/** How many segments of two paths differ. A path whose secrets could not be cut out is any. */
const differingSegments = (recorded: string, sent: string): number => {
  if (recorded === placeholder) return 0
  const [left, right] = [segmentsOf(recorded), segmentsOf(sent)]
  return Math.abs(left.length - right.length) + left.filter((segment, i) => !fits(segment, right[i] ?? "")).length
}

/** The path that was sent, without what is a secret in a recorded one. */
export const pathBeside = (recorded: Request, sent: Request): string => {
  const segments = segmentsOf(recorded.path)
  return segmentsOf(sent.path)
    .map((segment, i) => (recorded.path === placeholder || isRedacted(segments[i]) ? placeholder : segment))
    .join("/")
}

/** The differences between a recorded request and one that is sent, which matches if there are none. */
export const differences = (recorded: Request, sent: Request): ReadonlyArray<string> => [
  ...compare(recorded.method, sent.method, "method"),
  ...(differingSegments(recorded.path, sent.path) === 0
    ? []
    : [`path: recorded ${shown(recorded.path)}, sent ${shown(pathBeside(recorded, sent))}`]),
  ...(["query", "headers"] as const).flatMap((part) => compare(recorded[part] ?? {}, sent[part] ?? {}, part)),
  ...compare(recorded.body, sent.body, "body")
]

/** How far a request is from a recorded one: another method or path counts for more than anything after them. */
export const distance = (recorded: Request, sent: Request): number => {
  const parts = (["query", "headers", "body"] as const).map((part) => compare(recorded[part], sent[part], part).length)
  return (
    100 * differingSegments(recorded.path, sent.path) +
    (recorded.method === sent.method ? 0 : 50) +
    parts.reduce((sum, count) => sum + Math.min(9, count))
  )
}

/** Whether a request matches a recorded one without anything in place of a secret. */
export const isSame = (recorded: Request, sent: Request): boolean =>
  !isRedacted(recorded) && differences(recorded, sent).length === 0
