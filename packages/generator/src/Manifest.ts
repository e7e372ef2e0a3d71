import * as Predicate from "effect/Predicate"
import type * as Contract from "./Contract.ts"
import type { Named } from "./Emit.ts"
import { isObject, list, object, property, text } from "./Json.ts"
import type { Refused, Warning } from "./Refusal.ts"

/** A patch that was applied. */
export interface Patch {
  readonly file: string
  readonly digest: string
}

/** One operation, by method and path. */
export interface Entry extends Named, Contract.Contract {
  readonly id: string
}

/** What is committed beside the code: names that stay, and what the code was made of. */
export interface Manifest {
  readonly digest: string
  readonly patches: ReadonlyArray<Patch>
  readonly operations: Readonly<Record<string, Entry>>
  /** What the names stand for that operations give and take. */
  readonly answers: Readonly<Record<string, Contract.Parts>>
  readonly requests: Readonly<Record<string, Contract.Parts>>
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
  readonly answers: Manifest["answers"]
  readonly requests: Manifest["requests"]
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

/**
 * The operation of the last time: that of the method and path, else that of the ID, if no operation has its method and
 * path any more.
 */
export const last = (old: Manifest | undefined, keys: ReadonlySet<string>) => {
  const entries = Object.entries(old?.operations ?? {}).map(([key, entry]) => ({ key, entry }))
  const byKey = new Map(entries.map((one) => [one.key, one]))
  const gone = new Map(entries.filter(({ key }) => !keys.has(key)).map((one) => [one.entry.id, one]))
  return (key: string, id: string) => byKey.get(key) ?? gone.get(id)
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
    const [exported, group, id, name, type] = ["exported", "group", "id", "name", "type"].map((key) => text(entry, key))
    if (exported === undefined || group === undefined || id === undefined || name === undefined || type === undefined)
      return []
    if (![exported, group, name, type].every((name) => /^[A-Za-z_$][\w$]*$/.test(name))) return []
    const [takes, gives] = ["takes", "gives"].map((key) => strings(object(entry, key)))
    const isDeprecated = property(entry, "isDeprecated") === true
    return [[key, { id, group, name, exported, type, takes: takes ?? {}, gives: gives ?? {}, isDeprecated }] as const]
  })
  const parts = (key: string) =>
    Object.fromEntries(Object.entries(object(value, key)).map(([name, one]) => [name, strings(one)]))
  const identifiers = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).filter(([, name]) => /^[A-Za-z_$][\w$]*$/.test(name)))
  return {
    digest: text(value, "digest") ?? "",
    patches: list(value, "patches").map((one) => ({
      file: text(one, "file") ?? "",
      digest: text(one, "digest") ?? ""
    })),
    operations: Object.fromEntries(entries),
    answers: parts("answers"),
    requests: parts("requests"),
    schemas: identifiers(strings(value["schemas"])),
    refusals: identifiers(strings(value["refusals"])),
    refused: list(value, "refused").flatMap((one) => {
      const id = text(one, "id")
      return id === undefined ? [] : [{ id, code: "schema" as const, pointer: "", message: "" }]
    }),
    warnings: []
  }
}
