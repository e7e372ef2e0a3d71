import type { Schema } from "./References.ts"
import type { Schemas } from "./Schemas.ts"
import { Beyond, type Variation } from "./Variation.ts"

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

/** What is found while a value is made; see {@link Made}. */
export class Tally {
  readonly alternatives = new Map<string, number>()
  readonly open = new Set<string>()
  readonly growing = new Set<string>()
  /** The schemas whose example is the value, by place. */
  readonly used = new Map<string, string>()
  /** How often each field that is optional was there. */
  readonly filled = new Map<string, number>()
  position = 0
  optional = 0
  nullDepth = 0
  enums = 0
  values = 1
  examples = 0
  isApart = false

  /** Counts a value; throws {@link Beyond} where there are too many. */
  enter({ depth }: Context): void {
    if (++this.position > most.values) throw new Beyond({ message: `an example has more than ${most.values} values` })
    if (depth > most.levels) throw new Beyond({ message: `an example has more than ${most.levels} levels` })
  }

  /** Notes that there can be null at a depth. */
  nulls(depth: number): void {
    this.nullDepth = Math.max(this.nullDepth, depth)
  }
}

/** Makes one value of a schema, of which the values inside are made by `of`. */
export interface Builder {
  readonly schemas: Schemas
  readonly variation: Variation
  readonly tally: Tally
  /** How many levels the smallest value has; infinite if each contains itself. */
  readonly height: (parts: ReadonlyArray<Schema>) => number
  readonly fits: (part: Schema, value: unknown) => boolean
  readonly of: (parts: ReadonlyArray<Schema>, context: Context) => unknown
}
