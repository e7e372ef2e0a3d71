import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { InvalidInput } from "../CloudError.ts"
import type * as Operation from "../Operation.ts"
import * as Content from "./content.ts"
import { property } from "./property.ts"

/** The parts of an input, before they are encoded. */
interface Parts {
  readonly query?: unknown
  readonly headers?: unknown
  readonly payload?: unknown
}

/** Builds the request of one call, unsigned. `idempotencyKey` goes where the operation asks for one. */
export type Build = (
  input: object & Parts,
  idempotencyKey: string
) => Result.Result<HttpClientRequest.HttpClientRequest, InvalidInput>

const invalid = (rule: string, name: string) => new TypeError(`Expected ${rule}\n  at ["${name}"]`)

/** A variable as a path carries it; a list has its commas. */
const variable = (name: string, value: string | ReadonlyArray<string> = ""): string =>
  [value]
    .flat()
    .map((text) => {
      if (text === "") throw invalid("text that is not empty", name)
      return encodeURIComponent(Content.wellFormed(name, text))
    })
    .join(",")

/** A segment that leads elsewhere (RFC 3986 §5.2.4). */
const dots = /\/\.\.?(?=\/|$)/

const noVariables: Schema.Codec<object, Readonly<Record<string, never>>> = Schema.Struct({}).check(
  Schema.makeFilter((variables) => Object.keys(variables).length === 0, { expected: "no path variables" })
)

/** The path with its variables, and its fixed query. */
const path = ({ params = noVariables, path: template }: Operation.Any): Content.Write<string> => {
  // every other part is a variable, or a colon
  const parts = template.split(/:(:|\w+)/)
  return Content.writer(params, (values) => {
    let path = ""
    /** The last variable that can make a dot segment. */
    let dotted: string | undefined
    for (const [i, part] of parts.entries()) {
      const text = i % 2 === 0 || part === ":" ? part : variable(part, values[part])
      if (text !== part && /^\.+$/.test(text)) dotted = part
      path += text
    }
    if (dotted !== undefined && dots.test(path)) throw invalid("text that is no dot segment", dotted)
    return path
  })
}

/** An issue of a schema as one line, and the path of the field that it names first. */
const toInvalidInput = (part: string, problem: unknown): InvalidInput => {
  const text = property(problem, "message")
  const lines = Predicate.isString(text) ? text.split("\n") : ["Expected another value"]
  const field = lines.find((line) => line.startsWith("  at "))?.slice(5) ?? ""
  // ["tags"][0] as .tags[0]
  const path = (part + field.replace(/\["([^"]*)"\]/g, ".$1")).replace(/^\./, "")
  const issues = lines.join("; ").replaceAll(";   at ", " at ")
  return new InvalidInput({ message: part === "" ? issues : `${part}: ${issues}`, path })
}

/** Prepares the requests of an operation. */
export const compile = (operation: Operation.Any, baseUrl: string): Build => {
  const writePath = path(operation)
  const { headers, payload, query, repeat, success } = operation
  const before = operation.path.includes("?") ? "&" : "?"
  const template = HttpClientRequest.make(operation.method)(baseUrl, {
    headers: { accept: success.accept }
  })
  /** The names that the input has for its other parts: what is not declared is refused as a variable. */
  const parts = (["headers", "payload", "query"] as const).filter((part) => operation[part] !== undefined)
  return (input, idempotencyKey) => {
    let part = ""
    const valid = <A>(name: string, write: Content.Write<A>, value: unknown): A => {
      part = name
      return Result.getOrThrowWith(write(value), identity)
    }
    // an input can be anything, and have getters
    const build = () => {
      let url = baseUrl + valid("", writePath, parts.length === 0 ? input : Struct.omit(input, parts))
      if (query !== undefined) {
        const text = valid("query", query.write, input.query ?? {})
        if (text !== "") url += before + text
      }
      let request = HttpClientRequest.setUrl(template, url)
      if (payload !== undefined) {
        request = HttpClientRequest.setBody(request, valid("payload", payload.write, input.payload))
      }
      if (headers !== undefined) {
        request = HttpClientRequest.setHeaders(request, valid("headers", headers.write, input.headers ?? {}))
      }
      return typeof repeat === "object" ? HttpClientRequest.setHeader(request, repeat.header, idempotencyKey) : request
    }
    return Result.try({ try: build, catch: (problem) => toInvalidInput(part, problem) })
  }
}
