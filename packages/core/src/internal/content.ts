import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Head } from "./head.ts"

/**
 * Names with one value, several, or none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fields {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

/** Encodes one part of a request; the failure says what does not fit its schema. */
export type Write<A> = (value: unknown) => Result.Result<A, { readonly message: string }>

/** Encodes with a schema, and then makes of it what is sent. */
export const writer = <E, A>(schema: Schema.Codec<unknown, E>, write: (encoded: E) => A): Write<A> => {
  const encode = Schema.encodeUnknownResult(schema)
  return (value) => Result.map(encode(value), write)
}

/** Makes a foreign text fit for an error message. */
export type Sanitize = (text: string) => string

/**
 * Reads the content of a response as the encoded side of a schema. The failure is the end of a sentence that begins with
 * "the body".
 */
export type Read = (body: Uint8Array, head: Head, sanitize: Sanitize) => Result.Result<unknown, string>

/** Text of UTF-8; whatever is not becomes U+FFFD. */
export const utf8 = (body: Uint8Array): string => new TextDecoder().decode(body)

export const json: Read = (body, _, sanitize) => {
  const text = utf8(body)
  return Result.try({ try: (): unknown => JSON.parse(text), catch: () => `is not JSON: ${sanitize(text)}` })
}

/** Rejects what UTF-8 cannot carry: half of a surrogate pair. */
export const wellFormed = (name: string, text: string): string => {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError(`${name}: ${JSON.stringify(text)} has an unpaired surrogate`)
  return text
}

/** `application/x-www-form-urlencoded` (URL standard, section 5): of a query, and of a form. */
export const urlEncoded = (fields: Fields): string => {
  const parameters = new URLSearchParams()
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values ?? []].flat()) parameters.append(name, wellFormed(name, value))
  }
  return parameters.toString()
}
