import * as Predicate from "effect/Predicate"
import type { Entry, Request } from "./cassette.ts"
import { placeholder } from "./secrets.ts"

const isRedacted = (recorded: unknown): boolean => JSON.stringify(recorded)?.includes(placeholder) === true

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 120))

/** Where two values differ: the order of fields does not count, and a text with a secret in it is any text. */
const compare = (recorded: unknown, sent: unknown, at: string): ReadonlyArray<string> => {
  if (Object.is(recorded, sent)) return []
  if (Predicate.isString(recorded) && Predicate.isString(sent) && isRedacted(recorded)) return []
  if (isObject(recorded) && isObject(sent) && Array.isArray(recorded) === Array.isArray(sent)) {
    const left = new Map<string, unknown>(Object.entries(recorded))
    const right = new Map<string, unknown>(Object.entries(sent))
    const names = new Set([...left.keys(), ...right.keys()])
    return [...names].flatMap((name) => compare(left.get(name), right.get(name), at === "" ? name : `${at}.${name}`))
  }
  // what stands where a secret was recorded may be one
  const other = isRedacted(recorded) && sent !== undefined ? "something else" : shown(sent)
  return [`${at}: recorded ${shown(recorded)}, sent ${other}`]
}
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const segments = ({ path }: Request) => path.split("/")

const differences = (recorded: Request, sent: Request) =>
  compare({ ...recorded, path: segments(recorded) }, { ...sent, path: segments(sent) }, "")

/** How far two requests are apart: the path counts for more than the method, and it for more than the rest. */
const distance = (differences: ReadonlyArray<string>): number =>
  differences.reduce((sum, text) => sum + (text.startsWith("path.") ? 1e6 : text.startsWith("method:") ? 1e5 : 1), 0)

const title = ({ method, path }: Request) => `${method} ${path}`

export const make = (entries: ReadonlyArray<Entry>) => {
  const used = new Set<number>()
  return {
    /** The first recording of a request that no other took; one with a secret in it only where no other is the same. */
    take: (request: Request): Entry | undefined => {
      const fitting = [...entries.entries()].filter(
        ([index, entry]) => !used.has(index) && differences(entry.request, request).length === 0
      )
      const [index, entry] = fitting.find(([, { request }]) => !isRedacted(request)) ?? fitting[0] ?? []
      if (index !== undefined) used.add(index)
      return entry
    },
    explain: (request: Request): string => {
      const near = [...entries.entries()]
        .map(([index, { request: recorded }]) => ({ index, recorded, all: differences(recorded, request) }))
        .sort((a, b) => distance(a.all) - distance(b.all) || Number(used.has(a.index)) - Number(used.has(b.index)))[0]
      if (near === undefined) return `${title(request)}\nThe cassette is empty.`
      const { all, index, recorded } = near
      const known = segments(recorded)
      // without what is a secret in the recorded one
      const path = segments(request).map((segment, i) => (isRedacted(known[i]) ? placeholder : segment))
      const nearest = `The nearest is entry ${index + 1} of ${entries.length}, ${title(recorded)}`
      return [
        title({ ...request, path: path.join("/") }),
        nearest + (used.has(index) ? ", which was already replayed" : ""),
        ...all.slice(0, 10).map((difference) => `  ${difference}`)
      ].join("\n")
    }
  }
}
