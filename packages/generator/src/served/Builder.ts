import type { Judges } from "./Judge.ts"
import type { Schema } from "./References.ts"
import { once, type Schemas } from "./Schemas.ts"
import { type Alternatives, Beyond, type Variation } from "./Variation.ts"
import type { Choice, Whole } from "./Whole.ts"

/** So many values are in one, so many levels, and so many fields that are optional; each of these so often, and so deep. */
export const most = { values: 20_000, levels: 64, optional: 2_000, times: 2, optionalLevels: 10 }

/** A place of a value that is being made. */
export interface Context {
  /** Where in the value it is, as a JSON pointer. */
  readonly at: string
  readonly depth: number
  /** The schemas and choices that it is in. */
  readonly inside: ReadonlyArray<string>
  /** The value tells alternatives apart. */
  readonly isTag: boolean
}

/** The place of a schema: that of what it says itself. */
export const placeOf = once(({ nodes }: Whole): string =>
  nodes.flatMap((one) => (Object.keys(one.node).join() === "$ref" ? [] : [one.pointer])).join(" ")
)

const isInside = (at: string, outer: string) => at === outer || at.startsWith(`${outer}/`)

/** Whether a place of a value has fields that are optional. */
export const isFull = ({ focus, isFull }: Variation, at: string): boolean =>
  isFull && (focus === undefined || isInside(at, focus) || isInside(focus, at))

/** Findings while a value is made; see `Made`. */
export const tallying = () => ({
  alternatives: new Map<string, Alternatives>(),
  open: new Set<string>(),
  growing: new Map<string, string>(),
  nulls: new Map<number, Set<string>>(),
  objects: new Set<string>(),
  enums: new Set<string>(),
  known: new Map<string, number>(),
  lists: new Set<string>(),
  used: new Map<string, string>(),
  /** How often each field that is optional was there. */
  filled: new Map<string, number>(),
  position: 0,
  optional: 0,
  examples: 0,
  isApart: false
})

export type Tally = ReturnType<typeof tallying>

/** Counts a value; throws {@link Beyond} where there are too many. */
export const enter = (tally: Tally, { depth }: Context): void => {
  if (++tally.position > most.values) throw new Beyond({ message: `an example has more than ${most.values} values` })
  if (depth > most.levels) throw new Beyond({ message: `an example has more than ${most.levels} levels` })
}

export const noteChoice = ({ alternatives }: Tally, place: string, count: number, at: string): void => {
  if (!alternatives.has(place)) alternatives.set(place, { count, at })
}

export const noteNull = ({ nulls }: Tally, depth: number, place: string): void => {
  nulls.set(depth, (nulls.get(depth) ?? new Set()).add(place))
}

/** The alternatives of a choice, whatever the value. */
export interface Options {
  /** Those that are more than null. */
  readonly useful: ReadonlyArray<Schema>
  readonly levels: ReadonlyArray<number>
  readonly areBounded: boolean
  readonly isPlain: boolean
  readonly isOpen: boolean
  readonly canGrow: boolean
}

/** Facts about a document's schemas, for all of its values. */
export interface Known {
  readonly schemas: Schemas
  readonly judges: Judges
  /** How many levels the smallest value has; infinite if each contains itself. */
  readonly height: (parts: ReadonlyArray<Schema>) => number
  readonly options: (choice: Choice) => Options
  /** The value of an example, or `undefined` if it is none. */
  readonly described: (parts: ReadonlyArray<Schema>, value: unknown, variation: Variation) => unknown
}

/** Makes one value of a schema, of which the values inside are made by `of`. */
export interface Builder extends Known {
  readonly variation: Variation
  readonly tally: Tally
  readonly of: (parts: ReadonlyArray<Schema>, context: Context) => unknown
}
