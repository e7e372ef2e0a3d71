import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Operation from "../Operation.ts"
import * as Content from "./content.ts"

/** The parts of an input, before they are encoded. */
interface Parts {
  readonly query?: unknown
  readonly headers?: unknown
  readonly payload?: unknown
}

/** Builds the request of one call. `idempotencyKey` goes where the operation asks for one. */
export type Build = (input: object & Parts, idempotencyKey: string) => HttpClientRequest.HttpClientRequest

/** The encoded side of one part of the input. What does not fit its schema is a defect. */
const orThrow = <E>(
  operation: Operation.Any,
  part: string,
  encoded: Result.Result<E, { readonly message: string }>
): E => {
  if (Result.isSuccess(encoded)) return encoded.success
  throw new TypeError(`${Operation.nameOf(operation)}: invalid ${part}: ${encoded.failure.message}`)
}

const encoder = <E>(operation: Operation.Any, part: string, schema: Schema.Codec<unknown, E>) => {
  const encode = Schema.encodeUnknownResult(schema)
  return (value: unknown): E => orThrow(operation, part, encode(value))
}

const segment = (name: string, value: string | undefined): string => {
  if (value === undefined || value === "" || value === "." || value === "..") {
    throw new TypeError(`${name}: ${JSON.stringify(value)} cannot be a segment of a path`)
  }
  return encodeURIComponent(Content.wellFormed(name, value))
}

const pathOf = (operation: Operation.Any): ((input: object) => string) => {
  if (operation.params === undefined) return () => operation.path
  const encode = encoder(operation, "parameters", operation.params)
  const segments = operation.path.split("/")
  return (input) => {
    const values = encode(input)
    return segments
      .map((text) => (text.startsWith(":") ? segment(text.slice(1), values[text.slice(1)]) : text))
      .join("/")
  }
}

const queryOf = (operation: Operation.Any): ((parts: Parts) => string) => {
  if (operation.query === undefined) return () => ""
  const encode = encoder(operation, "query", operation.query)
  return ({ query = {} }) => {
    const text = Content.urlEncoded(encode(query))
    return text === "" ? "" : `?${text}`
  }
}

/** RFC 9110 §5.5, without obs-text: what every platform sends alike. */
const fieldValue = /^[\t\x20-\x7e]*$/

const headersOf = (operation: Operation.Any): ((parts: Parts) => Readonly<Record<string, string>>) => {
  if (operation.headers === undefined) return () => ({})
  const encode = encoder(operation, "headers", operation.headers)
  return ({ headers = {} }) => {
    const encoded: Record<string, string> = {}
    for (const [name, value] of Object.entries(encode(headers))) {
      if (value === undefined) continue
      if (!fieldValue.test(value)) throw new TypeError(`${name}: a header holds printable ASCII only`)
      encoded[name.toLowerCase()] = value
    }
    return encoded
  }
}

const bodyOf = (operation: Operation.Any): ((parts: Parts) => HttpBody.HttpBody) => {
  const { payload } = operation
  return payload === undefined
    ? () => HttpBody.empty
    : (parts) => orThrow(operation, "payload", payload.write(parts.payload))
}

/**
 * Prepares the requests of an operation. An input that breaks its type, which only plain JavaScript or a cast can bring
 * about, is a defect: it must never become another request, least of all a deletion of something else.
 */
export const compile = (
  operation: Operation.Any,
  baseUrl: string,
  headers: Readonly<Record<string, string>>
): Build => {
  const [path, query, own, body] = [pathOf(operation), queryOf(operation), headersOf(operation), bodyOf(operation)]
  const { accept } = operation.success
  const make = HttpClientRequest.make(operation.method)
  return (input, idempotencyKey) =>
    make(baseUrl + path(input) + query(input), {
      headers: {
        accept,
        ...(typeof operation.repeat === "object" && { [operation.repeat.header]: idempotencyKey }),
        ...own(input),
        ...headers
      },
      body: body(input)
    })
}
