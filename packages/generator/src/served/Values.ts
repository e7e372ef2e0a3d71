import { isObject } from "../read/Json.ts"
import * as Build from "./Build.ts"
import * as Example from "./Example.ts"
import * as Height from "./Height.ts"
import * as Judge from "./Judge.ts"
import { mend } from "./Mend.ts"
import type { Schema } from "./References.ts"
import type { Known } from "./Builder.ts"
import { once, type Schemas } from "./Schemas.ts"
import type { Choice } from "./Whole.ts"
import type { Made, Variation } from "./Variation.ts"

/** A value without what does not fit, or why it does not fit. */
const judged = (judge: Judge.Judge, schema: Schema, made: Made): Made => {
  const wrong = judge(schema, made.value)
  if (wrong === undefined) return made
  return { ...made, ...(mend(schema, made.value, judge) ?? { misfit: () => Judge.show(wrong) }) }
}

/** A value with the examples that fit; one for the whole is not replaced. */
const exemplary = (known: Known, schema: Schema, variation: Variation): Made => {
  const off = new Set<string>()
  for (;;) {
    const made = Build.make(known, schema, variation, off)
    const wrong = known.judges[variation.side](schema, made.value)
    if (wrong === undefined) return { ...made, isApart: made.used.size === 0 && variation.given === undefined }
    const [, bad] = [...made.used].findLast(([at]) => wrong.instancePath.startsWith(at)) ?? []
    // OpenAPI follows one in place of the example, but takes its value as it is
    const isReference = isObject(variation.given) && Object.keys(variation.given).join() === "$ref"
    const misfit = () => (isReference ? "its value is a $ref, which is not followed there" : Judge.show(wrong))
    if (bad === undefined) return { ...made, misfit }
    off.add(bad)
  }
}

/** Makes and judges the values of a document. */
export interface Maker {
  readonly schemas: Schemas
  readonly judges: Judge.Judges
  /** Makes a value: the same each time. Throws `Beyond` where it would be too large. */
  readonly values: (schema: Schema, variation: Variation) => Made
}

export const maker = (schemas: Schemas): Maker => {
  const judges = Judge.all(schemas)
  const height = Height.make(schemas)
  const known: Known = {
    schemas,
    judges,
    height,
    options: once((choice: Choice) => Build.optionsOf(schemas, height, choice)),
    described: Example.make(schemas, judges)
  }
  const values = (schema: Schema, variation: Variation): Made => {
    if (variation.example !== undefined) return exemplary(known, schema, variation)
    const made = Build.make(known, schema, variation)
    const { hasExtra, hasNewValues, newVariant, nullDepth, side } = variation
    // what comes later, and null in place of an absent field, is not in the document
    const isLater = hasExtra === true || hasNewValues === true || newVariant !== undefined
    return isLater || (nullDepth !== undefined && side === "response") ? made : judged(judges[side], schema, made)
  }
  return { schemas, judges, values }
}
