import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Refused, Warning } from "../read/Refusal.ts"

/** A name that becomes code. */
const Identifier = Schema.String.check(Schema.isPattern(/^[A-Za-z_$][\w$]*$/))
const Names = Schema.Record(Schema.String, Identifier)
const Parts = Schema.Record(Schema.String, Schema.String)
const Declarations = Schema.Record(Schema.String, Parts)
const none = Effect.succeed({})

const filePattern = /^(?:operations\/)?[A-Za-z_$][\w$]*\.ts$/

/** Whether a file, by its path in the folder, has a name as generated ones do. */
export const isFile = (path: string): boolean => filePattern.test(path)

const Patch = Schema.Struct({ file: Schema.String, digest: Schema.String })

/** What earlier versions did not write is empty. */
const Entry = Schema.Struct({
  id: Schema.String,
  group: Identifier,
  name: Identifier,
  takes: Parts.pipe(Schema.withDecodingDefaultKey(none)),
  gives: Parts.pipe(Schema.withDecodingDefaultKey(none)),
  isDeprecated: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})

/** One operation, by method and path. */
export type Entry = typeof Entry.Type

const Locked = Schema.Struct({
  /** The digests of the other files, by path in the folder: only these may be replaced and removed. */
  files: Schema.Record(Schema.String.check(Schema.isPattern(filePattern)), Schema.String).pipe(
    Schema.withDecodingDefaultKey(none)
  ),
  patches: Schema.Array(Patch),
  operations: Schema.Record(Schema.String, Entry),
  /** What the names stand for that operations give and take. */
  answers: Declarations.pipe(Schema.withDecodingDefaultKey(none)),
  requests: Declarations.pipe(Schema.withDecodingDefaultKey(none)),
  /** Names of schemas, by pointer. */
  schemas: Names,
  /** Names of refusals, by status and body. */
  refusals: Names,
  refused: Schema.Array(Schema.Unknown)
})

/** What the next run needs of a manifest: names that stay, and what changes are told from. */
export type Locked = typeof Locked.Type

/** What is committed beside the code: what stays, and what the code was made of. */
export interface Manifest extends Locked {
  readonly digest: string
  readonly refused: ReadonlyArray<Refused>
  readonly warnings: ReadonlyArray<Warning>
}

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
