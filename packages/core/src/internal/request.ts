import * as Result from "effect/Result"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Operation from "../Operation.ts"
import * as Content from "./content.ts"

/** The parts of an input, before they are encoded. */
interface Parts {
  readonly query?: unknown
  readonly headers?: unknown
  readonly payload?: unknown
}

/** Builds the request of one call, unsigned. `idempotencyKey` goes where the operation asks for one. */
export type Build = (input: object & Parts, idempotencyKey: string) => HttpClientRequest.HttpClientRequest

const segment = (name: string, value: string | undefined): string => {
  if (value === undefined || value === "" || value === "." || value === "..") {
    throw new TypeError(`${name}: ${JSON.stringify(value)} cannot be a path segment`)
  }
  return encodeURIComponent(Content.wellFormed(name, value))
}

/** The path with its variables. */
const path = (operation: Operation.Any): Content.Write<string> => {
  if (operation.params === undefined) return () => Result.succeed(operation.path)
  // every other part is a variable
  const parts = operation.path.split(/:([^/]+)/)
  return Content.writer(operation.params, (values) =>
    parts.reduce((path, part, i) => path + (i % 2 === 0 ? part : segment(part, values[part])))
  )
}

/**
 * A part of an operation's input, as it is written. An input that breaks its type, which only plain JavaScript or a cast
 * can bring about, is a defect: it must never become another request, least of all a deletion of something else.
 */
export const orThrow =
  (operation: Operation.Any) =>
  <A>(part: string, written: Result.Result<A, { readonly message: string }>): A => {
    if (Result.isSuccess(written)) return written.success
    throw new TypeError(`${Operation.nameOf(operation)}: invalid ${part}: ${written.failure.message}`)
  }

/** Prepares the requests of an operation. */
export const compile = (operation: Operation.Any, baseUrl: string): Build => {
  const writePath = path(operation)
  const valid = orThrow(operation)
  const { headers: own, payload, query, repeat, success } = operation
  const template = HttpClientRequest.make(operation.method)(baseUrl, {
    headers: { accept: success.accept }
  })
  return (input, idempotencyKey) => {
    let url = baseUrl + valid("parameters", writePath(input))
    if (query !== undefined) url += valid("query", query.write(input.query ?? {}))
    let request = HttpClientRequest.setUrl(template, url)
    if (payload !== undefined) {
      request = HttpClientRequest.setBody(request, valid("payload", payload.write(input.payload)))
    }
    if (own !== undefined) {
      request = HttpClientRequest.setHeaders(request, valid("headers", own.write(input.headers ?? {})))
    }
    return typeof repeat === "object" ? HttpClientRequest.setHeader(request, repeat.header, idempotencyKey) : request
  }
}
