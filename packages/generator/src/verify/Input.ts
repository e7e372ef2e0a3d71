import type * as Body from "@cloud-management/client/Body"
import type * as Operation from "@cloud-management/client/Operation"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Document } from "../Document.ts"
import * as Media from "../Media.ts"
import { collect, isFile, type Part } from "../Facts.ts"
import { isObject, object, text } from "../Json.ts"
import * as Digits from "./Digits.ts"
import * as Example from "./Example.ts"
import * as FieldText from "./FieldText.ts"
import type { Parameter, Target } from "./Target.ts"

/** The content of a request, and which of the declared ones it is. */
export interface Payload {
  readonly content: Media.Media
  readonly value: unknown
  readonly example: Example.Example
}

/** The values that a request is to have, by the names of the document. */
export interface Input {
  readonly parameters: ReadonlyArray<{ readonly parameter: Parameter; readonly value: unknown }>
  /** How many known values its longest enum has. */
  readonly values: number
  readonly body: Payload | undefined
}

/** Which input to make. */
export interface Options {
  readonly variation: Example.Variation
  /** Which of several contents is sent. */
  readonly choice?: number
}

/** The declared content that an operation sends. */
const contentOf = (target: Target, operation: Operation.Any, choice: number): Media.Media | undefined => {
  const { payload } = operation
  const type = (payload?._tag === "Choice" ? payload.payloads[choice] : payload)?.contentType
  const contents = target.body?.contents ?? []
  return declared(contents, type ?? "") ?? contents[0]
}

/** The declared content of a media type: the type itself comes before a range that has it. */
export const declared = (contents: ReadonlyArray<Media.Media>, given: string): Media.Media | undefined => {
  const [essence = ""] = given.toLowerCase().split(";")
  const found = contents.find(({ full }) => full === given) ?? contents.find(({ type }) => type === essence.trim())
  return found ?? contents.find(({ type }) => accepts(type, given))
}

/** Whether a media type is one that a range of them has. */
export const accepts = (range: string, type: string): boolean => {
  const [essence = ""] = type.toLowerCase().split(";")
  const subtype = essence.trim()
  if (range === "*/*" || range === subtype) return true
  const [before = "", after] = range.split("*")
  if (after === undefined || !subtype.startsWith(before)) return false
  // a suffix also has what it is named after: application/*+json takes application/json
  return subtype.endsWith(after) || after === `+${subtype.slice(before.length)}`
}

/** Makes the input of a call. */
export const make = (document: Document, target: Target, operation: Operation.Any, options: Options): Input => {
  const { choice = 0, variation } = options
  const examples = target.parameters
    .filter(({ isRequired }) => isRequired || variation.isFull)
    .map((parameter) => ({ parameter, example: exampleOf(document, parameter, variation) }))
  const parameters = examples.map(({ example, parameter }) => ({
    parameter,
    value: hardened(document, parameter, example.value)
  }))
  const values = Math.max(1, ...examples.map(({ example }) => example.values))
  const content = contentOf(target, operation, choice)
  if (content === undefined || !(target.body?.isRequired === true || variation.isFull))
    return { parameters, values, body: undefined }
  const example = Example.make(document, content.schema, variation)
  const { kind } = content
  const isForm = kind === "form" || kind === "multipart"
  const value =
    isForm && !isObject(example.value)
      ? { field: "a text" }
      : isForm || kind === "json"
        ? example.value
        : kind === "bytes"
          ? Uint8Array.of(0, 1, 254, 255)
          : "a text: ü\n"
  return { parameters, values: Math.max(values, example.values), body: { content, value, example } }
}

const exampleOf = (document: Document, parameter: Parameter, variation: Example.Variation): Example.Example => {
  const { isJson, schema, where } = parameter
  const { skip = 0 } = variation
  const example = Example.make(document, schema, { side: "request", isFull: isJson ? variation.isFull : true, skip })
  // a path cannot have it
  const isEmpty = where === "path" && example.value === "" && skip < example.values
  if (isEmpty) return exampleOf(document, parameter, { ...variation, skip: skip + 1 })
  const hasFields = where !== "path" || isJson || !isObject(example.value) || Object.keys(example.value).length > 0
  return hasFields ? example : { ...example, value: { field: "a text" } }
}

/** What has to be escaped, where any text will do. */
const hardened = (document: Document, { name, schema, style, where }: Parameter, value: unknown) => {
  if (style === "spaceDelimited") return Digits.parse(Digits.stringify(value).replaceAll(" ", "-"))
  return typeof value === "string" && where !== "header" && Example.isFree(document, schema)
    ? `${value}/${name}?&=+%:ü`
    : value
}

/** How a parameter is written. */
export const wayOf = ({ explode, isJson, name, style }: Parameter): FieldText.Way => ({
  name,
  explode,
  isJson,
  style,
  isForm: false
})

/** How a field of a form is written. */
export const fieldOf = ({ kind, node }: Media.Media, name: string): FieldText.Way => {
  const own = object(object(node, "encoding"), name)
  const isPlain = kind === "multipart"
  const style = isPlain ? "form" : (text(own, "style") ?? "form")
  const explode = isPlain || (own["explode"] ?? style === "form") === true
  return { name, style, explode, isJson: false, isForm: true, isMultipart: isPlain }
}

const decode = (name: string, schema: Schema.Codec<unknown, unknown> | undefined, value: unknown) => {
  if (schema === undefined) return Result.succeed(value)
  return Result.mapError(
    Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value),
    (error) => `${name} cannot have what the document says: ${error.message.replaceAll(/\s+/g, " ")}`
  )
}

const fieldsOf = (input: Input, where: Parameter["where"], rename: (name: string) => string = (name) => name) =>
  Object.fromEntries(
    input.parameters.flatMap(({ parameter, value }) => {
      if (parameter.where !== where) return []
      const encoded = FieldText.encoded(value, wayOf(parameter))
      return [[rename(parameter.name), encoded]]
    })
  )

/** The header of an idempotency key, which the client makes. */
export const isOwnKey = (operation: Operation.Any, { name, where }: Parameter): boolean =>
  where === "header" && typeof operation.repeat === "object" && operation.repeat.header === name.toLowerCase()

/** Whether parts, their items or one of their alternatives stand for bytes. */
const isBinary = (document: Document, parts: ReadonlyArray<Part>, depth = 0): boolean => {
  const { alternatives, items, nodes } = collect(document, parts)
  if (nodes.some(isFile)) return true
  const inner = [items, ...alternatives.flatMap(({ parts }) => parts.map((part) => [part]))]
  return depth < 8 && inner.some((parts) => parts.length > 0 && isBinary(document, parts, depth + 1))
}

const payloadOf = (document: Document, payload: Body.SinglePayload, { content, value }: Payload) => {
  switch (payload._tag) {
    case "Form":
    case "Multipart": {
      if (!isObject(value)) return decode("payload", payload.schema, value)
      const fields = Object.entries(value).map(([name, field]) => {
        const encoded = FieldText.encoded(field, fieldOf(content, name))
        const parts = collect(document, [content.schema]).properties.get(name) ?? []
        const [type = ""] = (text(object(object(content.node, "encoding"), name), "contentType") ?? "").split(/[;,]/)
        const isFile =
          payload._tag === "Multipart" && (isBinary(document, parts) || (type !== "" && Media.isBytes(type)))
        const file = (text: unknown) => new Blob([String(text)])
        return [name, !isFile ? encoded : Array.isArray(encoded) ? encoded.map(file) : file(encoded)]
      })
      return decode("payload", payload.schema, Object.fromEntries(fields))
    }
    case "Upload": {
      const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(String(value))
      return Result.succeed({ stream: Stream.succeed(bytes), length: bytes.length })
    }
    default:
      return decode("payload", payload.schema, value)
  }
}

/** The input as a caller writes it, with what the generated schemas make of the document's values, or why there is none. */
export const typed = (
  document: Document,
  operation: Operation.Any,
  input: Input,
  choice = 0
): Result.Result<object, string> =>
  Result.gen(function* () {
    const sent = { ...input, parameters: input.parameters.filter(({ parameter }) => !isOwnKey(operation, parameter)) }
    const rename = (name: string) => operation.names?.params?.[name] ?? name
    const params = yield* decode("params", operation.params, fieldsOf(sent, "path", rename))
    const query = fieldsOf(sent, "query")
    const headers = fieldsOf(sent, "header")
    const parts: Array<readonly [string, unknown]> = Object.entries(isObject(params) ? params : {})
    if (Object.keys(query).length > 0) parts.push(["query", yield* decode("query", operation.query?.schema, query)])
    if (Object.keys(headers).length > 0)
      parts.push(["headers", yield* decode("headers", operation.headers?.schema, headers)])
    if (input.body !== undefined) {
      const { payload } = operation
      const single = payload?._tag === "Choice" ? payload.payloads[choice] : payload
      const value = single === undefined ? input.body.value : yield* payloadOf(document, single, input.body)
      parts.push(["payload", payload?._tag === "Choice" ? { contentType: single?.contentType, value } : value])
    }
    return Object.fromEntries(parts)
  })
