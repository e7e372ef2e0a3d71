import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import type * as HttpBody from "effect/http/HttpBody"
import type { Head } from "./head.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import { orUndefined } from "./property.ts"
import type { Sanitize } from "./redaction.ts"

/**
 * Encodes one part of a request; the failure says what does not fit its schema, and never the value. `isFlat`: the value is
 * known to have no field that the schema could drop.
 */
export type Write<A> = (value: unknown, isFlat?: boolean) => Result.Result<A, { readonly message: string }>

/** Nothing is dropped on the way: a field that the schema lacks is a failure, and tells the members of a union apart. */
export const strict = { onExcessProperty: "error" } as const

/** Encodes with a schema, and converts the result with `write`. Either may throw instead of failing, with the same message. */
export const writer = <E, A>(schema: Schema.Codec<unknown, E>, write: (encoded: E) => A): Write<A> => {
  const encode = Schema.encodeUnknownResult(schema)
  return (value, isFlat) => Result.map(encode(value, isFlat ? {} : strict), write)
}

/** Whether a value is an object without a class, whatever its realm. */
export const isPlain = (value: unknown): value is object =>
  // of a primitive it is no end of a chain
  value != null && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) === null

/** A value without the fields that are `undefined`, at any depth of objects without a class. */
const defined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(defined)
  if (!isPlain(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, defined(field)]))
}

/** The same for a part whose fields can be optional: one that is `undefined` is left out, where the schema has it so. */
export const optionalWriter = <E, A>(schema: Schema.Codec<unknown, E>, write: (encoded: E) => A): Write<A> => {
  const encode = writer(schema, write)
  return (value) => {
    const written = encode(value)
    return Result.isSuccess(written) ? written : encode(orUndefined(() => defined(value)) ?? value)
  }
}

/** Whether an issue quotes only its schema: no name that a map has, and no message that was made of the value. */
const isOfSchema = (issue: SchemaIssue.Issue, ast?: SchemaAST.AST): boolean => {
  if ("issues" in issue) return issue.issues.every((inner) => isOfSchema(inner, issue.ast))
  if (issue._tag === "InvalidValue") return issue.annotations?.message === undefined
  if (!("issue" in issue)) return true
  const isDeclared = (name: PropertyKey) =>
    !Predicate.isString(name) ||
    (ast?._tag === "Objects" && ast.propertySignatures.some((field) => field.name === name))
  return (issue._tag !== "Pointer" || issue.path.every(isDeclared)) && isOfSchema(issue.issue, ast)
}

/** A value of the service that does not fit. `isOurs`: the message quotes the schema, and nothing of the value. */
export interface Mismatch {
  readonly message: string
  readonly isOurs: boolean
}

/** Decodes with a schema, which throws where a value is nested too deeply for it. */
export const safeDecoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown): Result.Result<A, Mismatch> =>
    Result.mapError(orUndefined(() => decode(value)) ?? Result.fail(undefined), (error) => ({
      message: error?.message ?? "it throws",
      isOurs: error === undefined || isOfSchema(error.issue)
    }))
}

/**
 * Reads the content of a response as the encoded side of a schema. The failure is the end of a sentence that begins with
 * "the body". `parse` reads JSON; it throws.
 */
export type Read = (
  body: Uint8Array,
  head: Head,
  sanitize: Sanitize,
  parse?: (text: string) => unknown
) => Result.Result<unknown, string>

/**
 * Reads the stream of a call outside Effect: `run` runs an effect until it ends, the call is aborted or the client is
 * closed, and `convert` is applied to each part.
 */
export type Iterate = (
  value: unknown,
  run: (effect: Effect.Effect<void, Failure>) => Promise<void>,
  convert: (part: unknown) => unknown
) => unknown

/** Another `JSON`, whose functions throw as well. */
export interface JsonCodec {
  readonly parse: (text: string) => unknown
  readonly stringify: (value: unknown) => string
}

/**
 * The content of a request or response: a schema, and the code that converts its encoded side to bytes and back. Each
 * kind carries its own code, so a program's bundle contains only the kinds that its operations use.
 */
export interface Body<out Tag extends string, out S extends Schema.Constraint> {
  readonly _tag: Tag
  readonly schema: S
}

export interface Writable {
  readonly write: Write<HttpBody.HttpBody>
  /** Whether a request may leave it out. Default: false. */
  readonly optional?: boolean
  /** Keeps the payload of an input until it is written. The result gives up one that was not. Default: nothing changes it. */
  readonly hold?: (input: unknown) => (() => void) | undefined
}

export interface Readable {
  /** The schema of what is read. Default: that of the content. */
  readonly form?: Schema.Codec<unknown, unknown>
  /** Reads and writes JSON. Default: the global `JSON`. */
  readonly codec?: JsonCodec
  readonly accept: string
  /** The status of a service's response. Default: 200, or 204 without content. */
  readonly status?: number
  readonly read: Read
  /** Reads a response whose body says nothing, and can be incomplete. */
  readonly readHead?: (head: Head, sanitize: Sanitize) => Result.Result<unknown, string>
  /** Whether a status outside 200 to 299 is a success. Default: none. */
  readonly takes?: (status: number) => boolean
  /**
   * Makes the value of a call from a response whose body is not read yet; `undefined` of one that is read at once. Default
   * of `codec`: the global `JSON`.
   */
  readonly open?: (response: OpenResponse, codec?: JsonCodec) => unknown
  /** Makes what a program outside Effect gets of the value of a call, if that can be a stream. */
  readonly iterate?: Iterate
  /** Selects the part of the decoded content that the client's method returns. Default: all of it. */
  readonly unwrap?: (value: unknown) => unknown
  /** The content to return for a deletion that found nothing to delete; absent if a success has a result. */
  readonly deletedValue?: (requestId: string | undefined) => unknown
}

/** One for all: to make one takes longer than to decode a body. */
const decoder = /* @__PURE__ */ new TextDecoder()

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export const utf8 = (body: Uint8Array): string => decoder.decode(body)

export const json: Read = (body, _, sanitize, parse = JSON.parse) => {
  const text = utf8(body)
  return Result.try({ try: (): unknown => parse(text), catch: () => `is not JSON: ${sanitize(text)}` })
}

/** A media type without its parameters. */
export const essence = (type = ""): string => type.replace(/;.*/s, "").trim().toLowerCase()

/** A field that does not fit, in the words of a schema. */
export const unexpected = (rule: string, name: string): TypeError => new TypeError(`Expected ${rule}\n  at ["${name}"]`)

/** Half of a surrogate pair, which UTF-8 cannot carry. */
export const unpaired = /\p{Surrogate}/u

export const wellFormed = (name: string, text: string): string => {
  if (unpaired.test(text)) throw unexpected("no unpaired surrogate", name)
  return text
}
