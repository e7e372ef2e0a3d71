import * as Predicate from "effect/Predicate"
import type { Named } from "./Emit.ts"
import { isObject, list, object, text } from "./Json.ts"
import type { Model } from "./Operations.ts"
import type { Refused, Warning } from "./Refusal.ts"
import type { Side } from "./Schemas.ts"
import * as Shape from "./Shape.ts"

/** A patch that was applied. */
export interface Patch {
  readonly file: string
  readonly digest: string
}

/** What an operation takes and gives, as digests: enough to tell what a change breaks. */
export interface Contract {
  /** Each input by its place; `?` at the end of the digest if it is optional. */
  readonly inputs: Readonly<Record<string, string>>
  readonly result: string
  readonly refusals: Readonly<Record<string, string>>
}

/** One operation, by method and path. */
export interface Entry extends Named, Contract {
  readonly id: string
}

/** What is committed beside the code: names that stay, and what the code was made of. */
export interface Manifest {
  readonly digest: string
  readonly patches: ReadonlyArray<Patch>
  readonly operations: Readonly<Record<string, Entry>>
  /** Names of schemas, by pointer. */
  readonly schemas: Readonly<Record<string, string>>
  /** Names of refusals, by status and body. */
  readonly refusals: Readonly<Record<string, string>>
  readonly refused: ReadonlyArray<Refused>
  readonly warnings: ReadonlyArray<Warning>
}

/** Puts a manifest together. */
export const make = (parts: {
  readonly digest: string
  readonly patches: ReadonlyArray<Patch>
  readonly operations: ReadonlyArray<{ readonly key: string; readonly entry: Entry }>
  readonly schemas: ReadonlyMap<string, string>
  readonly refusals: ReadonlyMap<string, string>
  readonly refused: ReadonlyArray<Refused>
  readonly warnings: ReadonlyArray<Warning>
}): Manifest => ({
  ...parts,
  operations: Object.fromEntries(parts.operations.map(({ entry, key }) => [key, entry])),
  schemas: Object.fromEntries(parts.schemas),
  refusals: Object.fromEntries(parts.refusals)
})

interface Shapes {
  readonly side: Side
  readonly shapeOf: (name: string) => Shape.Shape
}

/** The contract of an operation. */
export const contract = (
  model: Model,
  answers: Shapes,
  requests: Shapes,
  digest: (text: string) => string
): Contract => {
  const short = (text: string) => digest(text).slice(0, 12)
  /** A shape with all that it refers to, each once. */
  const whole = (shape: Shape.Shape | undefined, { shapeOf }: Shapes): string => {
    if (shape === undefined) return ""
    const seen = Shape.references(shape)
    for (const name of seen) Shape.references(shapeOf(name), seen)
    return JSON.stringify([shape, ...[...seen].toSorted().map((name) => [name, shapeOf(name)])])
  }
  const bare = (text: string) => text.replace(/"comment":\[(?:"(?:[^"\\]|\\.)*",?)*\]/g, "")
  const sum = (shape: Shape.Shape | undefined, shapes: Shapes) => short(bare(whole(shape, shapes)))
  const { headers, params, payload, query } = model
  const places = [
    ["params", params],
    ["query", query],
    ["headers", headers]
  ] as const
  const inputs = places.flatMap(([place, all]) =>
    all.map(
      ({ isRequired, name, shape }) => [`${place}.${name}`, sum(shape, requests) + (isRequired ? "" : "?")] as const
    )
  )
  const content =
    payload === undefined
      ? []
      : [
          [
            "payload",
            ("shape" in payload ? sum(payload.shape, requests) : short(payload.type)) + (payload.isOptional ? "?" : "")
          ] as const
        ]
  return {
    inputs: Object.fromEntries([...inputs, ...content]),
    result: short(
      model.successes.map(({ kind, shape, status }) => `${String(status)} ${kind} ${sum(shape, answers)}`).join()
    ),
    refusals: Object.fromEntries(model.failures.map(({ shape, status }) => [status, sum(shape, answers)]))
  }
}

const strings = (value: unknown): Readonly<Record<string, string>> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, one]) => (Predicate.isString(one) ? [[key, one] as const] : []))
      )
    : {}

/** Reads a manifest; what is not one is as good as none. */
export const parse = (value: unknown): Manifest | undefined => {
  if (!isObject(value) || !isObject(value["operations"])) return undefined
  const entries = Object.entries(value["operations"]).flatMap(([key, entry]) => {
    const [exported, group, id, name] = ["exported", "group", "id", "name"].map((key) => text(entry, key))
    if (exported === undefined || group === undefined || id === undefined || name === undefined) return []
    if (![exported, group, name].every((name) => /^[A-Za-z_$][\w$]*$/.test(name))) return []
    const result = text(entry, "result") ?? ""
    const inputs = strings(object(entry, "inputs"))
    return [[key, { id, group, name, exported, inputs, result, refusals: strings(object(entry, "refusals")) }] as const]
  })
  const identifiers = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).filter(([, name]) => /^[A-Za-z_$][\w$]*$/.test(name)))
  return {
    digest: text(value, "digest") ?? "",
    patches: [],
    operations: Object.fromEntries(entries),
    schemas: identifiers(strings(value["schemas"])),
    refusals: identifiers(strings(value["refusals"])),
    refused: list(value, "refused").flatMap((one) => {
      const id = text(one, "id")
      return id === undefined ? [] : [{ id, code: "schema" as const, pointer: "", message: "" }]
    }),
    warnings: []
  }
}
