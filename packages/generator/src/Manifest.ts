import * as Predicate from "effect/Predicate"
import * as Digest from "./Digest.ts"
import type { Named } from "./Emit.ts"
import { isObject, list, object, text } from "./Json.ts"
import type { Model } from "./Operations.ts"
import type { Refused, Warning } from "./Refusal.ts"
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

/** The contract of an operation, by the digests of the declarations of each side. */
export const contract = (
  { failures, headers, params, payload, query, successes }: Model,
  answers: ReadonlyMap<string, string>,
  requests: ReadonlyMap<string, string>
): Contract => {
  const sum = (shape: Shape.Shape | undefined, digests: ReadonlyMap<string, string>): string => {
    if (shape === undefined) return "none"
    const parts = [...Shape.references(shape)].map((name) => digests.get(name))
    return Digest.digest([Digest.shape(shape), ...parts].join()).slice(0, 12)
  }
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
  const contents = (payload?.contents ?? []).map((one) => ("shape" in one ? sum(one.shape, requests) : one.type))
  const content = contents.join("|") + (payload?.isOptional === true ? "?" : "")
  const results = successes.map(({ kind, shape, status }) => `${String(status)} ${kind} ${sum(shape, answers)}`)
  return {
    inputs: Object.fromEntries([...inputs, ...(payload === undefined ? [] : [["payload", content] as const])]),
    result: Digest.digest(results.join()).slice(0, 12),
    refusals: Object.fromEntries(failures.map(({ shape, status }) => [status, sum(shape, answers)]))
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
    const [exported, group, id, name, type] = ["exported", "group", "id", "name", "type"].map((key) => text(entry, key))
    if (exported === undefined || group === undefined || id === undefined || name === undefined || type === undefined)
      return []
    if (![exported, group, name, type].every((name) => /^[A-Za-z_$][\w$]*$/.test(name))) return []
    const result = text(entry, "result") ?? ""
    const inputs = strings(object(entry, "inputs"))
    return [
      [key, { id, group, name, exported, type, inputs, result, refusals: strings(object(entry, "refusals")) }] as const
    ]
  })
  const identifiers = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).filter(([, name]) => /^[A-Za-z_$][\w$]*$/.test(name)))
  return {
    digest: text(value, "digest") ?? "",
    patches: list(value, "patches").map((one) => ({
      file: text(one, "file") ?? "",
      digest: text(one, "digest") ?? ""
    })),
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
