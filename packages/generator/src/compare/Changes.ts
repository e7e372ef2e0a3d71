import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Parts, unknown } from "./Signature.ts"
import * as Manifest from "./Manifest.ts"
import * as References from "../model/References.ts"
import type { Side } from "../model/Keywords.ts"

/** How one operation differs from the last time. */
export interface Change {
  readonly id: string
  readonly kind: "removed" | "changed" | "added"
  readonly isBreaking: boolean
  /** A sentence for each difference. */
  readonly details: ReadonlyArray<string>
}

type Finding = readonly [isBreaking: boolean, detail: string]

const read = (parts: Parts) =>
  new Map(
    Object.entries(parts).map(([key, text]) => {
      const isOptional = key.endsWith("?")
      return [isOptional ? key.slice(0, -1) : key, { isOptional, text }] as const
    })
  )

/** The kind of a value; an open value of a response is any of its kind. */
const kindOf = (value: string) => (value.startsWith('"') ? "Text" : /^[tf]/.test(value) ? "Boolean" : "Number")

/** All that take whatever an alternative does: it itself, its kind without checks, and all numbers where it is an integer. */
const wider = (alternative: string): ReadonlyArray<string> => {
  if (alternative.startsWith("=")) return [alternative, kindOf(alternative.slice(1))]
  const [kind = ""] = alternative.split(" ", 1)
  return [alternative, kind, ...(kind === "Integer" ? ["Number"] : [])]
}

/** Whether what can be one text can be the other. */
const fits = (narrow: string, wide: string, side: Side): boolean => {
  const all = (text: string) =>
    text.split("\n").map((one) => {
      if (!one.startsWith("~")) return one
      return side === "response" ? kindOf(one.slice(1)) : one.replace("~", "=")
    })
  const known = new Set(all(wide))
  const unnamed = [...known].filter((other) => other.startsWith("{"))
  return all(narrow).every(
    (one) =>
      one === unknown ||
      wider(one).some((kind) => known.has(kind)) ||
      (one.startsWith("{") && unnamed.some((other) => isWithin(one, other, side)))
  )
}

type Declarations = Readonly<Record<string, Parts>>

/** Whether all of an alternative's values are objects. */
const isObjects = (alternative: string, declarations: Declarations, depth = 9): boolean => {
  const { "": text = "" } = alternative.startsWith("#")
    ? (declarations[alternative.slice(1)] ?? {})
    : partsIn(alternative)
  const isNamed = (one: string) => depth > 0 && one.startsWith("#") && isObjects(one, declarations, depth - 1)
  return text.split("\n").every((one) => /^(?:(?:open )?object|record)$/.test(one) || isNamed(one))
}

/** Whether alternatives of a response are known ones and others, which callers read as unknown objects. */
const isGrown = (before: string, after: string, [old, current]: readonly [Declarations, Declarations]): boolean => {
  const [known = [], all = []] = [before, after].map((text) => text.split("\n").filter((one) => one !== unknown))
  const added = all.filter((one) => !fits(one, before, "response"))
  return (
    (known.length < before.split("\n").length || known.filter((one) => isObjects(one, old)).length > 1) &&
    known.every((one) => all.some((other) => fits(other, one, "response"))) &&
    added.every((one) => isObjects(one, current))
  )
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

/** The parts of an alternative without a name. */
const partsIn = (alternative: string): Parts => Option.getOrElse(parse(alternative), () => ({}))

/** Whether an object or a list without a name can stand where another can. */
const isWithin = (narrow: string, wide: string, side: Side): boolean => {
  const [old = {}, current = {}] = (side === "response" ? [wide, narrow] : [narrow, wide]).map(partsIn)
  return differences(side, old, current, "", [{}, {}]).every(([isBreaking]) => !isBreaking)
}

/**
 * How parts differ. What is sent may need no more and take no less, since callers write it; of what is received, nothing
 * may be gone and nothing new in its place, since callers read it; but alternatives can grow.
 */
const differences = (
  side: Side,
  old: Parts,
  current: Parts,
  name: string,
  declarations: readonly [old: Declarations, current: Declarations]
): ReadonlyArray<Finding> => {
  const [before, after] = [read(old), read(current)]
  const isResponse = side === "response"
  // what is in a part that is new or gone is not named
  const whole = new Set<string>()
  const isInside = (path: string) =>
    Array.from(path.matchAll(/[.[{]/g)).some(({ index }) => whole.has(path.slice(0, index)))
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path): ReadonlyArray<Finding> => {
    const [one, other] = [before.get(path), after.get(path)]
    const part = `${name}${path}`.replace(/^\./, "")
    if (isInside(path)) return []
    if (one === undefined || other === undefined) whole.add(path)
    if (other === undefined) return [[true, `${part} is gone`]]
    if (one === undefined) {
      // another of several successes is a value that callers do not tell apart
      const isFree = isResponse ? !/^result \S+$/.test(path) : other.isOptional
      return [[!isFree, `${part} is new${isFree || isResponse ? "" : " and required"}`]]
    }
    const found: Array<Finding> = []
    if (one.isOptional !== other.isOptional) {
      found.push([isResponse === other.isOptional, `${part} is ${other.isOptional ? "optional" : "required"} now`])
    }
    if (one.text !== other.text) {
      const isFree = isResponse
        ? fits(other.text, one.text, side) || isGrown(one.text, other.text, declarations)
        : fits(one.text, other.text, side)
      found.push([!isFree, `${part} has ${isFree ? "other values" : "another type"}`])
    }
    return found
  })
}

const namesIn = (parts: Parts = {}): ReadonlyArray<string> =>
  Object.values(parts).flatMap((text) => Array.from(text.matchAll(/#(\w+)/g), ([, name = ""]) => name))

const common = (one: Parts | undefined, other: Parts | undefined): ReadonlySet<string> => {
  const names = new Set(namesIn(one))
  return new Set(namesIn(other).filter((name) => names.has(name)))
}

/** No more differences of schemas are told of an operation: each of many can need each of many others. */
const most = 100

const breakingFirst = (all: Iterable<Finding>): ReadonlyArray<Finding> =>
  Array.from(new Set(all)).toSorted(([one], [other]) => Number(other) - Number(one))

const declarationsOf = ({ requests, responses }: Manifest.Locked, side: Side): Declarations => ({
  ...responses,
  ...(side === "request" && requests)
})

/** Tells of an operation that has another ID and kept its name. */
const stayOf = (before: Manifest.Entry, { group, id, name }: Manifest.Entry): ReadonlyArray<string> =>
  before.id === id ? [] : [`its ID was ${before.id}; its name stays ${group}.${name}`]

/** The operations whose names stay though their IDs are others: who changed an ID may have wanted another name. */
export const stays = (old: Manifest.Locked | undefined, { operations }: Manifest.Locked): ReadonlyArray<string> => {
  const lastOf = Manifest.last(old, new Set(Object.keys(operations)))
  return Object.entries(operations).flatMap(([key, entry]) => {
    const last = lastOf(key, entry.id)
    return last === undefined ? [] : stayOf(last.entry, entry).map((text) => `${entry.id}: ${text}`)
  })
}

/** The changes between two manifests, those that break callers first. */
export const between = (old: Manifest.Locked | undefined, current: Manifest.Locked): ReadonlyArray<Change> => {
  const all = Object.entries(current.operations)
  if (old === undefined) return all.map(([, { id }]) => ({ id, kind: "added", isBreaking: false, details: [] }))
  const lastOf = Manifest.last(old, new Set(all.map(([key]) => key)))
  const kept = new Set<Manifest.Entry>()
  const ofSide = (side: Side) => {
    const [before, after] = [declarationsOf(old, side), declarationsOf(current, side)]
    const edges = (name: string) => common(before[name], after[name])
    /** The differences of a schema, and of all that it refers to. */
    const known = new Map<string, ReadonlyArray<Finding>>()
    for (const circle of References.circles(Object.keys(after), edges)) {
      const own = circle.flatMap((name) =>
        differences(side, before[name] ?? {}, after[name] ?? {}, name, [before, after])
      )
      const others = new Set(circle.flatMap((name) => [...edges(name)]))
      const found = breakingFirst([...own, ...Array.from(others).flatMap((name) => known.get(name) ?? [])])
      for (const name of circle) known.set(name, found.slice(0, most))
    }
    return (one: Parts, other: Parts): ReadonlyArray<Finding> => [
      ...differences(side, one, other, "", [before, after]),
      ...Array.from(common(one, other)).flatMap((name) => known.get(name) ?? [])
    ]
  }
  const [ofRequest, ofResponse] = [ofSide("request"), ofSide("response")]
  const others = all.flatMap(([key, entry]): ReadonlyArray<Change> => {
    const last = lastOf(key, entry.id)
    if (last === undefined) return [{ id: entry.id, kind: "added", isBreaking: false, details: [] }]
    kept.add(last.entry)
    const { entry: before, key: was } = last
    const itself: ReadonlyArray<Finding | false> = [
      ...stayOf(before, entry).map((text): Finding => [false, text]),
      was !== key && [false, `it was ${was}`],
      before.isDeprecated !== entry.isDeprecated && [
        false,
        entry.isDeprecated ? "it is deprecated" : "it is no longer deprecated"
      ]
    ]
    const found = [
      ...itself.filter((one) => one !== false),
      ...ofRequest(before.takes, entry.takes),
      ...ofResponse(before.gives, entry.gives)
    ]
    if (found.length === 0) return []
    const isBreaking = found.some(([isBreaking]) => isBreaking)
    const details = breakingFirst(found).map(([, detail]) => detail)
    return [{ id: entry.id, kind: "changed", isBreaking, details }]
  })
  const removed = Object.values(old.operations).flatMap((entry): ReadonlyArray<Change> =>
    kept.has(entry) ? [] : [{ id: entry.id, kind: "removed", isBreaking: true, details: [] }]
  )
  return [...removed, ...others].toSorted((one, other) => Number(other.isBreaking) - Number(one.isBreaking))
}
