import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { InvalidInput } from "../CallError.ts"
import type * as Operation from "../Operation.ts"
import * as Content from "./content.ts"
import type { Withheld } from "./parameters.ts"
import { property } from "./property.ts"

interface Parts {
  readonly query?: unknown
  readonly headers?: unknown
  readonly payload?: unknown
}

/**
 * Builds the request of one call, unsigned. The headers of the input come before the `ambient` ones, and both before the
 * header that the operation has for an `idempotencyKey`.
 */
export type Build = (
  input: object & Parts,
  idempotencyKey: string,
  ambient: Readonly<Record<string, string>> | undefined
) => Result.Result<HttpClientRequest.HttpClientRequest, InvalidInput>

/** A list whose items are joined by commas, or by another text. */
interface Joined extends ReadonlyArray<string | Joined> {
  readonly by?: string
}

/** A variable as a path carries it; in a pair, such as `R=`, a text can be empty. */
const variable = (name: string, value: string | Joined = "", by?: string): string => {
  if (by !== "=" && (value.length === 0 || value === "." || value === "..")) {
    throw Content.unexpected("non-empty text, not . or ..", name)
  }
  if (typeof value !== "string") return value.map((part) => variable(name, part, value.by)).join(value.by)
  return encodeURIComponent(Content.wellFormed(name, value))
}

/** The variables of a path, encoded; those that are declared. */
type Variables = Readonly<Record<string, string | Joined>>

/** An issue of a schema as one line, and the path of the field that it names first: `["tags"][0]` as `tags[0]`. */
const toInvalidInput = (part: string, problem: unknown): InvalidInput => {
  // only a value that makes the schema throw has a cause
  const issue = property(problem, "cause") ? "too deep" : [property(problem, "message")].join()
  const [, field = ""] = /\n +at (.*)/.exec(issue) ?? []
  return new InvalidInput({
    message: (part && `${part}: `) + issue.replaceAll("\n  at", " at").replaceAll("\n", "; "),
    path: (part + field).replace(/\["([^"]+)"\]/g, ".$1").replace(/^\./, "")
  })
}

/** A product with its version (RFC 9110 §10.1.5); what a token cannot have becomes a hyphen between what it can. */
const userAgent = ({ name, version = "" }: Operation.Api): string =>
  [name, version].flatMap((text, i) => text.match(/[\w.+~-]+/g)?.join("-") ?? (i === 0 ? "api" : [])).join("/")

export const compile = (operation: Operation.Any, baseUrl: string, withheld: () => Withheld): Build => {
  const { api, headers, params, payload, query, repeat, success } = operation
  // every other one is a variable, or a colon
  const pieces = operation.path.split(/:(:|\w+)/)
  /** The path with its variables, and its fixed query. */
  const writePath = Content.writer(params ?? Schema.Struct({}), (values: Variables) =>
    pieces.reduce((path, piece, i) => path + (i % 2 === 0 || piece === ":" ? piece : variable(piece, values[piece])))
  )
  const before = operation.path.includes("?") ? "&" : "?"
  const template = HttpClientRequest.make(operation.method)(baseUrl, {
    headers: { accept: success.accept, ...(api && { "user-agent": userAgent(api) }) }
  })
  /** The names that the input has for its other parts: what is not declared is rejected as a variable. */
  const parts: ReadonlyArray<string> = (["query", "headers", "payload"] as const).filter((part) => operation[part])
  return (input, idempotencyKey, ambient) => {
    let part = ""
    const valid = <A>(name: string, write: Content.Write<A>, value: unknown, isFlat?: boolean): A => {
      part = name
      const written = write(value, isFlat)
      if (Result.isFailure(written)) throw written.failure
      return written.success
    }
    // an input can be anything, and have getters
    const build = () => {
      const variables: Record<string, unknown> = { ...input }
      // to look for what could be dropped costs as much as all else that makes a request
      let isFlat = true
      for (const name of Object.keys(variables)) {
        if (parts.includes(name) || variables[name] === undefined) delete variables[name]
        // an empty struct would take it
        else if (params === undefined) throw Content.unexpected("no other fields", name)
        else isFlat &&= pieces.indexOf(name) % 2 > 0 && Predicate.isString(variables[name])
      }
      let url = baseUrl + valid("", writePath, variables, isFlat)
      if (query !== undefined) {
        const text = valid("query", query.write, input.query ?? {})
        if (text !== "") url += before + text
        part = ""
        url = query.locate?.(url, withheld) ?? url
      }
      const own = headers && valid("headers", headers.write, input.headers ?? {})
      let request = HttpClientRequest.setUrl(template, url)
      // last, since a stream belongs to this request from here on
      if (payload !== undefined) {
        request = HttpClientRequest.setBody(request, valid("payload", payload.write, input.payload))
      }
      if (ambient !== undefined) request = HttpClientRequest.setHeaders(request, ambient)
      if (own !== undefined) request = HttpClientRequest.setHeaders(request, own)
      return typeof repeat === "object" && !request.headers[repeat.header]
        ? HttpClientRequest.setHeader(request, repeat.header, idempotencyKey)
        : request
    }
    return Result.try({ try: build, catch: (problem) => toInvalidInput(part, problem) })
  }
}
