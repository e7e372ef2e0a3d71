import * as Data from "effect/Data"
import type { Side } from "./Schemas.ts"

/** A value would be larger than a call may be. */
export class Beyond extends Data.TaggedError("Beyond")<{ readonly message: string }> {}

/** The name of a field that no document has. */
export const extra = "x-verify-extra"

/** Which value of a schema is made. */
export interface Variation {
  readonly side: Side
  /** Whether it has all fields, or only those that are required. */
  readonly isFull: boolean
  /** The alternatives at each place that has some; of `anyOf`, several together. Default: the first. */
  readonly chosen?: ReadonlyMap<string, ReadonlyArray<number>>
  /** The place that it is about, as a JSON pointer: of all fields, it has those of this place, and those that lead to it. */
  readonly focus?: string
  /** Whether lists have no items. */
  readonly areEmpty?: boolean
  /** How many known values are skipped before the one that an enum or a boolean has. */
  readonly skip?: number
  /** How deep the fields are that are `null`. */
  readonly nullDepth?: number
  /** Whether enums have a value that the document does not name. */
  readonly hasNewValues?: boolean
  /** Whether objects have a field that the document does not name. */
  readonly hasExtra?: boolean
  /** The place that has an alternative which the document does not name. */
  readonly newVariant?: string
  /** Whether texts that stand for bytes are bytes. */
  readonly hasBytes?: boolean
  /** Which of the document's examples is the value, where it has some; and one for the whole. */
  readonly example?: number | undefined
  readonly given?: unknown
  /** Whether integers of 64 bits are more than a number of JavaScript holds. */
  readonly hasLongs?: boolean
  /** Whether numbers are as large as they can be, and lists and texts long, or numbers as small as they can be. */
  readonly extreme?: "greatest" | "least"
  /** The end of free texts, as far as they can have it. */
  readonly letters?: string
  /** Whether what may be anything is a text, as in a query. */
  readonly isText?: boolean
}

/** Alternatives: how many, and where in the value their first place is, as a JSON pointer. */
export interface Alternatives {
  readonly count: number
  readonly at: string
}

/** A value, and what else it could be. Places are those of schemas. */
export interface Made {
  readonly value: unknown
  /** How many values it has. */
  readonly size: number
  readonly alternatives: ReadonlyMap<string, Alternatives>
  /** The places of which several alternatives may fit. */
  readonly open: ReadonlySet<string>
  /** The places that can have a new variant, and where in the value they are. */
  readonly growing: ReadonlyMap<string, string>
  /** The places that can be null, by how deep they are. */
  readonly nulls: ReadonlyMap<number, ReadonlySet<string>>
  /** The objects that can have fields which the document does not name. */
  readonly objects: ReadonlySet<string>
  /** The enums that can have values which the document does not name. */
  readonly enums: ReadonlySet<string>
  /** The lists that can be empty. */
  readonly lists: ReadonlySet<string>
  /** How many known values each enum has, and each boolean. */
  readonly known: ReadonlyMap<string, number>
  /** How many examples the place with the most has. */
  readonly examples: number
  /** The schemas whose example is the value, by place. */
  readonly used: ReadonlyMap<string, string>
  /** Whether it is none of what it was to be: alternatives that no value fits at once, or one that is not new. */
  readonly isApart: boolean
  /** The required fields at the top that have no alternatives. */
  readonly required: ReadonlyArray<string>
  /** Left out, since no value was found for it. */
  readonly dropped: ReadonlyArray<string>
  /** Why it does not fit the schema, if none was found that does. */
  readonly misfit: () => string | undefined
}

/** A variation with the example of a place that has some of its own. */
export const withExamples = (variation: Variation, examples: ReadonlyArray<unknown>): Variation => {
  const { example } = variation
  return example === undefined || examples.length === 0
    ? variation
    : { ...variation, given: examples[example % examples.length] }
}
