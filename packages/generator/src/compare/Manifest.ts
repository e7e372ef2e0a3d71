import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { digest } from "../read/Digest.ts"
import type { Omitted, Warning } from "../read/Unsupported.ts"

/** A name that becomes code. */
const Identifier = Schema.String.check(Schema.isPattern(/^[A-Za-z_$][\w$]*$/))
const Names = Schema.Record(Schema.String, Identifier)
const Parts = Schema.Record(Schema.String, Schema.String)
const Declarations = Schema.Record(Schema.String, Parts)

const filePattern = /^(?:operations\/)?[A-Za-z_$][\w$]*\.ts$/

/** Whether a file, by its path in the folder, has a name as generated ones do. */
export const isFile = (path: string): boolean => filePattern.test(path)

const Patch = Schema.Struct({ file: Schema.String, digest: Schema.String })

const Entry = Schema.Struct({
  id: Schema.String,
  group: Identifier,
  name: Identifier,
  takes: Parts,
  gives: Parts,
  isDeprecated: Schema.Boolean
})

/** One operation, by method and path. */
export type Entry = typeof Entry.Type

const Locked = Schema.Struct({
  /** That of the document, with its patches. */
  digest: Schema.String,
  /** The digests of the other files, by path in the folder: only these may be replaced and removed. */
  files: Schema.Record(Schema.String.check(Schema.isPattern(filePattern)), Schema.String),
  patches: Schema.Array(Patch),
  operations: Schema.Record(Schema.String, Entry),
  /** The declarations of the names that operations give and take. */
  responses: Declarations,
  requests: Declarations,
  /** Names of schemas, by pointer. */
  schemas: Names,
  /** Names of refusals, by status and body. */
  refusals: Names,
  omitted: Schema.Array(Schema.Unknown)
})

/** The part of a manifest that the next run needs: names that stay, and what changes are told from. */
export type Locked = typeof Locked.Type

/** It is committed beside the code: what stays, and what the code was made of. */
export interface Manifest extends Locked {
  readonly omitted: ReadonlyArray<Omitted>
  readonly warnings: ReadonlyArray<Warning>
}

export const digestOf = (root: unknown): string => digest(JSON.stringify(root))

/**
 * The operation of the last time: that of the method and path, else that of the ID, if no operation has its method and
 * path any more.
 */
export const last = (old: Locked | undefined, keys: ReadonlySet<string>) => {
  const entries = Object.entries(old?.operations ?? {}).map(([key, entry]) => ({ key, entry }))
  const byKey = new Map(entries.map((one) => [one.key, one]))
  const gone = new Map(entries.filter(({ key }) => !keys.has(key)).map((one) => [one.entry.id, one]))
  return (key: string, id: string) => byKey.get(key) ?? gone.get(id)
}

/** Reads a manifest, or says on one line where it is not one. */
export const parse = (text: string): Result.Result<Locked, string> =>
  Result.mapError(decode(text), ({ message }) => message.replaceAll(/\s+/g, " "))

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Locked))
