import * as Random from "effect/Random"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Body from "../Body.ts"
import * as Operation from "../Operation.ts"

/** The parts of an input, before they are encoded. */
interface Parts {
  readonly query?: unknown
  readonly headers?: unknown
  readonly payload?: unknown
}

/** Builds the request of one call. `idempotencyKey` goes where the operation asks for one. */
export type Build = (input: object & Parts, idempotencyKey: string) => HttpClientRequest.HttpClientRequest

/** Rejects what UTF-8 cannot carry: half of a surrogate pair. */
const wellFormed = (name: string, value: string): string => {
  if (/\p{Surrogate}/u.test(value)) throw new TypeError(`${name}: ${JSON.stringify(value)} has an unpaired surrogate`)
  return value
}

/** Encodes one part of the input. What does not fit its schema is a defect. */
const encoder = <E>(operation: Operation.Any, part: string, schema: Schema.Codec<unknown, E>) => {
  const encode = Schema.encodeUnknownResult(schema)
  return (value: unknown): E => {
    const encoded = encode(value)
    if (Result.isSuccess(encoded)) return encoded.success
    throw new TypeError(`${Operation.nameOf(operation)}: invalid ${part}: ${encoded.failure.message}`)
  }
}

const segment = (name: string, value: string | undefined): string => {
  if (value === undefined || value === "" || value === "." || value === "..") {
    throw new TypeError(`${name}: ${JSON.stringify(value)} cannot be a segment of a path`)
  }
  return encodeURIComponent(wellFormed(name, value))
}

const pathOf = (operation: Operation.Any): ((input: object) => string) => {
  if (operation.params === undefined) return () => operation.path
  const encode = encoder(operation, "parameters", operation.params)
  const segments = operation.path.split("/")
  return (input) => {
    const values = encode(input)
    return segments.map((text) => (text.startsWith(":") ? segment(text.slice(1), values[text.slice(1)]) : text)).join("/")
  }
}

const formUrlEncoded = (fields: Body.Fields): string => {
  const parameters = new URLSearchParams()
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values ?? []].flat()) parameters.append(name, wellFormed(name, value))
  }
  return parameters.toString()
}

const queryOf = (operation: Operation.Any): ((parts: Parts) => string) => {
  if (operation.query === undefined) return () => ""
  const encode = encoder(operation, "query", operation.query)
  return ({ query = {} }) => {
    const text = formUrlEncoded(encode(query))
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
  switch (payload?._tag) {
    case undefined:
      return () => HttpBody.empty
    case "Json": {
      const encode = encoder(operation, "payload", payload.schema)
      return (parts) => HttpBody.jsonUnsafe(encode(parts.payload))
    }
    case "Form": {
      const encode = encoder(operation, "payload", payload.schema)
      return (parts) => HttpBody.text(formUrlEncoded(encode(parts.payload)), "application/x-www-form-urlencoded")
    }
    case "Text":
      return (parts) => {
        if (typeof parts.payload !== "string") throw new TypeError(`${Operation.nameOf(operation)}: payload is no string`)
        return HttpBody.text(wellFormed("payload", parts.payload), payload.contentType)
      }
    case "Bytes":
      return (parts) => {
        if (!(parts.payload instanceof Uint8Array)) {
          throw new TypeError(`${Operation.nameOf(operation)}: payload is no Uint8Array`)
        }
        return HttpBody.uint8Array(parts.payload, payload.contentType)
      }
  }
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
  const accept = operation.success._tag === "Json" || operation.success._tag === "Envelope" ? "application/json" : "*/*"
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

/** 128 bits of the fiber's random source, in hexadecimal. */
export const idempotencyKey: Effect.Effect<string> = Effect.map(
  Effect.all(Array.from({ length: 4 }, () => Random.nextIntBetween(0, 0x1_0000_0000, { halfOpen: true }))),
  (words) => words.map((word) => word.toString(16).padStart(8, "0")).join("")
)
