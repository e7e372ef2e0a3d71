import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Body from "@cloud-management/core/Body"
import { BadRequest } from "@cloud-management/core/CloudError"
import type * as Operation from "@cloud-management/core/Operation"
import { propertiesOf } from "./properties.ts"

/** The parts of a request that an input is decoded from. */
export interface Parts {
  /** The path's variables. */
  readonly params: Readonly<Record<string, string>>
  /** The request target. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** Decodes the input of an operation. A part that does not fit is a `BadRequest` that names it. */
export type Decode = (parts: Parts) => Effect.Effect<object, BadRequest>

const badRequest = (message: string) => new BadRequest({ message: `BAD_REQUEST: ${message.replace(/\s+/g, " ")}` })

const uuid = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
/** IDs compare without regard to case (RFC 9562 §4). */
const lowerCaseIds = Record.map((value: string) => {
  const lower = value.toLowerCase()
  return lower !== value && uuid.test(value) ? lower : value
})

const utf8 = new TextDecoder("utf-8", { fatal: true })
const text = (bytes: Uint8Array) =>
  Effect.try({ try: () => utf8.decode(bytes), catch: () => badRequest("The body is not UTF-8") })

/** Whether all values are arrays, but for an absent one. */
const isArray = (type: SchemaAST.AST): boolean =>
  type._tag === "Arrays" ||
  (type._tag === "Union" && type.types.every((member) => member._tag === "Undefined" || isArray(member)))

/**
 * The fields of a form or a query. Those that the schema has as arrays are arrays, however often they occur: an empty one
 * is sent as nothing.
 */
const fieldsOf = (schema: Schema.Constraint): ((encoded: string) => Body.Fields) => {
  const { ast } = Schema.toEncoded(schema)
  const properties = propertiesOf(ast)
  const single = new Set(properties.flatMap(({ name, type }) => (isArray(type) ? [] : [name])))
  const arrays = properties.filter(({ name }) => !single.has(name))
  const repeated = new Set(arrays.map(({ name }) => String(name)))
  // of a union, what is absent tells the members apart
  const required = ast._tag === "Objects" ? arrays.filter(({ type }) => !SchemaAST.isOptional(type)) : []
  return (encoded) => {
    // a map, since a parameter can have the name "__proto__"
    const fields = new Map<string, string | Array<string>>()
    for (const { name } of required) fields.set(String(name), [])
    for (const [name, value] of new URLSearchParams(encoded)) {
      const before = fields.get(name)
      // a copy of the array for each would take quadratic time
      if (Array.isArray(before)) before.push(value)
      else fields.set(name, before === undefined ? (repeated.has(name) ? [value] : value) : [before, value])
    }
    return Object.fromEntries(fields)
  }
}

const payloadOf = (payload: Body.Payload): ((bytes: Uint8Array) => Effect.Effect<unknown, BadRequest>) => {
  switch (payload._tag) {
    case "Bytes":
      return Effect.succeed
    case "Text":
      return text
    case "Form": {
      const fields = fieldsOf(payload.schema)
      return (bytes) => Effect.map(text(bytes), fields)
    }
    case "Json":
      return (bytes) =>
        Effect.flatMap(text(bytes), (json) =>
          Effect.fromResult(
            Result.try({ try: (): unknown => JSON.parse(json), catch: () => badRequest("The body is not JSON") })
          )
        )
  }
}

/** Prepares the decoding of an operation's inputs. */
export const compile = ({ headers, params, payload, query }: Operation.Any): Decode => {
  const decode = (schema: Schema.Codec<unknown, unknown>) => {
    const decode = Schema.decodeUnknownEffect(schema)
    return (value: unknown) => Effect.mapError(decode(value), ({ message }) => badRequest(message))
  }
  let all: Decode = () => Effect.succeed({})
  if (params !== undefined) {
    const ids = Schema.decodeUnknownEffect(params)
    all = (parts) => Effect.mapError(ids(lowerCaseIds(parts.params)), ({ message }) => badRequest(message))
  }
  /** Decodes one more part after those before it. */
  const add = (part: Decode) => {
    const before = all
    all = (parts) =>
      Effect.flatMap(before(parts), (input) => Effect.map(part(parts), (more) => ({ ...input, ...more })))
  }
  if (query !== undefined) {
    const [fields, value] = [fieldsOf(query.schema), decode(query.schema)]
    add(({ target }) => {
      const mark = target.indexOf("?")
      return Effect.map(value(fields(mark === -1 ? "" : target.slice(mark + 1))), (query) => ({ query }))
    })
  }
  if (headers !== undefined) {
    const value = decode(headers.schema)
    // their names have no case (RFC 9110 §5.1), and come in lower case
    const names = propertiesOf(Schema.toEncoded(headers.schema).ast).map(({ name }) => String(name))
    const named = (received: Parts["headers"]) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = received[name.toLowerCase()]
          return value === undefined ? [] : [[name, value] as const]
        })
      )
    add((parts) => Effect.map(value({ ...parts.headers, ...named(parts.headers) }), (headers) => ({ headers })))
  }
  if (payload !== undefined) {
    const [read, value] = [payloadOf(payload), decode(payload.schema)]
    add(({ body }) => Effect.map(Effect.flatMap(read(body), value), (payload) => ({ payload })))
  }
  return all
}
