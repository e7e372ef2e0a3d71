import type { Body, Operation } from "@cloud-management/client"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { isObject } from "../read/Json.ts"
import type * as Api from "../served/Api.ts"
import * as Digits from "../served/Digits.ts"
import type * as Media from "../served/Media.ts"
import * as Request from "../served/Request.ts"
import * as Sample from "./Sample.ts"

/** The encoded side of a field: what an operation's schema is decoded from. */
type Encoded = string | ReadonlyArray<Encoded> | { readonly [name: string]: Encoded }

const text = (value: unknown): string => (typeof value === "string" ? value : Digits.stringify(value))

const isFlat = (value: unknown): boolean => !isObject(value) && !Array.isArray(value)

const encoded = (
  value: unknown,
  way: Pick<Api.Parameter, "style" | "explode"> & { readonly where?: string },
  depth = 0
): Encoded => {
  const { explode, style, where } = way
  const isPath = where === "path" && explode
  if (isObject(value) && ["simple", "label", "matrix"].includes(style) && !isPath)
    return Object.entries(value).flatMap(([name, child]) =>
      explode ? [`${name}=${text(child)}`] : [name, text(child)]
    )
  const isDeep = style === "deepObject"
  if (!isDeep && depth > 0) return text(value)
  if (Array.isArray(value)) return value.map((item: unknown) => encoded(item, way, depth + 1))
  if (!isObject(value)) return text(value)
  const isSpread = explode && (style === "form" || style === "cookie")
  const fieldOf = (child: unknown) =>
    isSpread && Array.isArray(child) && child.every(isFlat) ? child.map(text) : encoded(child, way, depth + 1)
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, fieldOf(child)]))
}

const decode = (name: string, schema: Schema.Codec<unknown, unknown> | undefined, value: unknown) => {
  if (schema === undefined) return Result.succeed(value)
  return Result.mapError(
    Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value),
    (error) => `${name} cannot have what the document says: ${error.message.replaceAll(/\s+/g, " ")}`
  )
}

/** Headers whose cookies are fields, before these are one text. */
const cookiesApart = (schema: Schema.Constraint): Schema.Codec<unknown, unknown> => {
  const apart = (ast: SchemaAST.AST): SchemaAST.AST => {
    if (!SchemaAST.isObjects(ast)) return ast
    const fields = ast.propertySignatures.map(
      ({ name, type }) => new SchemaAST.PropertySignature(name, name === "cookie" ? apart(type) : type)
    )
    return new SchemaAST.Objects(fields, ast.indexSignatures, ast.annotations, ast.checks, undefined, ast.context)
  }
  return Schema.make(apart(schema.ast))
}

const fieldsOf = (
  input: Sample.Sample,
  where: Api.Parameter["where"],
  rename: (name: string) => string = (name) => name
) =>
  Object.fromEntries(
    input.parameters.flatMap(({ parameter, value }) =>
      parameter.where === where
        ? [[rename(parameter.name), parameter.isJson ? Digits.stringify(value) : encoded(value, parameter)]]
        : []
    )
  )

/** A field of a form, as its schema is decoded from. */
const fieldOf = (content: Media.Content, name: string, field: unknown): unknown => {
  const [type] = Request.partTypes(content, name).filter(({ essence }) => !essence.includes("*"))
  const file = (value: unknown) =>
    value instanceof Uint8Array ? new Blob([Uint8Array.from(value)], { type: type?.essence ?? "" }) : text(value)
  const isParts = content.kind === "multipart"
  if (field instanceof Uint8Array || (Array.isArray(field) && isParts))
    return Array.isArray(field) ? field.map(file) : file(field)
  const way = Request.wayOf(content, name)
  const isJson = way.style !== "deepObject" && (isObject(field) || (Array.isArray(field) && !field.every(isFlat)))
  return isJson ? text(field) : encoded(field, way)
}

const payloadOf = (payload: Body.SinglePayload, { content, value }: Sample.Payload): Result.Result<unknown, string> => {
  switch (payload._tag) {
    case "Form":
    case "Multipart": {
      const fields = Object.entries(isObject(value) ? value : {}).map(([name, field]) => [
        name,
        fieldOf(content, name, field)
      ])
      return decode("payload", payload.schema, Object.fromEntries(fields))
    }
    case "Upload": {
      const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(text(value))
      return Result.succeed({ stream: Stream.succeed(bytes), length: bytes.length })
    }
    case "Bytes":
      return Result.succeed(value instanceof Uint8Array ? value : new TextEncoder().encode(text(value)))
    default:
      return value instanceof Uint8Array
        ? Result.fail(`${content.key} is bytes, which the payload cannot have`)
        : decode("payload", payload.schema, value)
  }
}

/** The input as a caller writes it, with what the generated schemas make of the document's values, or why there is none. */
export const make = (operation: Operation.Any, input: Sample.Sample, choice = 0): Result.Result<object, string> =>
  Result.gen(function* () {
    const parameters = input.parameters.filter(
      ({ parameter }) => input.hasKey || !Sample.isOwnKey(operation, parameter)
    )
    const sent = { ...input, parameters }
    const rename = (name: string) => operation.names?.params?.[name] ?? name
    const params = yield* decode("params", operation.params, fieldsOf(sent, "path", rename))
    const query = fieldsOf(sent, "query")
    // a list that can have objects too is JSON, whatever is in this one
    const whole = parameters.map((one) => ({ ...one, parameter: { ...one.parameter, explode: false } }))
    const asJson = fieldsOf({ ...sent, parameters: whole }, "query")
    const cookie = fieldsOf(sent, "cookie")
    const headers = { ...fieldsOf(sent, "header"), ...(Object.keys(cookie).length > 0 && { cookie }) }
    const parts: Array<readonly [string, unknown]> = Object.entries(isObject(params) ? params : {})
    if (Object.keys(query).length > 0) {
      const decoded = (given: object) => decode("query", operation.query?.schema, given)
      parts.push(["query", yield* Result.orElse(decoded(query), () => decoded(asJson))])
    }
    if (Object.keys(headers).length > 0)
      parts.push([
        "headers",
        yield* decode("headers", operation.headers && cookiesApart(operation.headers.schema), headers)
      ])
    if (input.body !== undefined) {
      const { payload } = operation
      const single = payload?._tag === "Choice" ? payload.payloads[choice] : payload
      const value = single === undefined ? input.body.value : yield* payloadOf(single, input.body)
      parts.push(["payload", payload?._tag === "Choice" ? { contentType: single?.contentType, value } : value])
    }
    return Object.fromEntries(parts)
  })
