import type { Body, Operation } from "@cloud-management/client"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { isObject } from "../read/Json.ts"
import type * as Api from "./served/Api.ts"
import * as Difference from "./Difference.ts"
import * as Digits from "./served/Digits.ts"
import * as Media from "./served/Media.ts"
import * as Reply from "./served/Reply.ts"
import * as Request from "./served/Request.ts"
import { type Schema as Place, Unfollowed } from "./served/References.ts"
import type { Schemas } from "./served/Schemas.ts"
import { type Made, type Variation, withExamples } from "./served/Variation.ts"

/** The content of a request, and which of the declared ones it is. */
export interface Payload {
  readonly content: Media.Content
  readonly value: unknown
  readonly made: Made | undefined
}

/** The values that a request is to have, by the names of the document. */
export interface Sample {
  readonly parameters: ReadonlyArray<{ readonly parameter: Api.Parameter; readonly value: unknown }>
  /** How many known values its longest enum has. */
  readonly values: number
  /** How many examples the place with the most has. */
  readonly examples: number
  readonly body: Payload | undefined
  /** Whether the key of a repeated request is the caller's. */
  readonly hasKey: boolean
  /** Whether it is none of what it was to be. */
  readonly isApart: boolean
  /** Left out, since no value was found for it. */
  readonly dropped: ReadonlyArray<string>
  /** Why a value of it does not fit its schema. */
  readonly misfit: () => string | undefined
}

export interface Maker {
  readonly schemas: Schemas
  readonly values: (schema: Place, variation: Variation) => Made
}

/** The end of free texts: characters that each place has to escape. */
const letters = {
  path: "/?&=+%:ü",
  query: "/?&=+%:ü,",
  header: "",
  cookie: "/?&=+%:",
  json: ' ü😀"\\\n',
  form: ' ü😀"\\&=+%'
}

/** The texts that a place can have as they are. */
const sendable = {
  path: /^(?!\.{0,2}$)/,
  query: /^/,
  header: /^(?:[!-~](?:[ -~]*[!-~])?)?$/,
  cookie: /^[!#-+\--:<-[\]-~]*$/
}

/** Makes the input of a call. */
export const make = (
  { values }: Maker,
  target: Api.Operation,
  operation: Operation.Any,
  variation: Variation,
  choice = 0
): Sample => {
  const used = target.parameters.filter((one) => one.isRequired || variation.isFull || isOwnKey(operation, one))
  const all = used.map((parameter) => {
    const { examples, isJson, schema, style, where } = parameter
    const own = {
      ...variation,
      // an empty one would be another path
      isFull: variation.isFull || where === "path",
      isText: !isJson,
      letters: isJson && where !== "header" ? letters.json : letters[where]
    }
    const isSendable = ({ value }: Made) => {
      const texts = isJson ? [Digits.stringify(value)] : [value].flat(9)
      return texts.every((one) => typeof one !== "string" || sendable[where].test(one))
    }
    let made = values(schema, withExamples(own, examples))
    // in place of an example, and of a known value, that cannot be there
    for (let i = 0; i <= made.values && !isSendable(made); i++)
      made = values(schema, { ...own, example: undefined, skip: (variation.skip ?? 0) + i })
    return {
      parameter,
      made,
      value: written(made.value, where === "cookie" ? "pipeDelimited" : style)
    }
  })
  // HTTP does not tell headers apart by case
  const parameters = all.filter(
    ({ parameter }, i) =>
      all.findIndex((one) => one.parameter.where === parameter.where && keyOf(one.parameter) === keyOf(parameter)) === i
  )
  const { dropped, own } = apart(parameters)
  const { payload } = operation
  const type = (payload?._tag === "Choice" ? payload.payloads[choice] : payload)?.contentType ?? ""
  const contents = target.body?.contents ?? []
  const content = Media.find(contents, type) ?? contents[0]
  const isSent = content !== undefined && (target.body?.isRequired === true || variation.isFull)
  const body = isSent ? bodyOf(content, values, variation) : undefined
  const made = [...all.map((one) => one.made), ...(body?.made === undefined ? [] : [body.made])]
  return {
    parameters: own,
    values: Math.max(1, ...all.map((one) => one.made.values)),
    examples: Math.max(
      0,
      ...made.map((one) => one.examples),
      ...[...used, ...(isSent ? [content] : [])].map((one) => one.examples.length)
    ),
    body,
    // in a request without what is optional, the client makes it
    hasKey: variation.isFull && takesKey(operation, target.parameters),
    isApart: variation.example === undefined ? body?.made?.isApart === true : made.every((one) => one.isApart),
    dropped: [...dropped, ...made.flatMap((one) => one.dropped)],
    misfit: () => {
      const wrong = all.map(({ made, parameter }) => [parameter.name, made.misfit()] as const).find(([, one]) => one)
      return wrong === undefined ? body?.made?.misfit() : wrong.join(": ")
    }
  }
}

/** Parameters of the query without what another one of the same name stands for, where objects are spread in it. */
const apart = <One extends Sample["parameters"][number]>(parameters: ReadonlyArray<One>) => {
  const isSpread = ({ parameter: { explode, isJson, style, where }, value }: One) =>
    where === "query" && style === "form" && explode && !isJson && isObject(value)
  const taken = new Set(
    parameters.flatMap((one) => (one.parameter.where === "query" && !isSpread(one) ? one.parameter.name : []))
  )
  const dropped: Array<string> = []
  const own = parameters.map((one) => {
    if (!isSpread(one) || !isObject(one.value)) return one
    const fields = Object.entries(one.value).filter(([name]) => {
      const isFree = !taken.has(name)
      if (!isFree) dropped.push(`${one.parameter.name}.${name} is another parameter of the query too`)
      taken.add(name)
      return isFree
    })
    return { ...one, value: Object.fromEntries(fields) }
  })
  return { dropped, own }
}

/** An item between spaces or bars cannot have one, nor can a cookie. */
const withoutSeparators = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll(/[ |]/g, "-")
  if (Array.isArray(value)) return value.map(withoutSeparators)
  if (!isObject(value)) return value
  const parts = Object.entries(value).map(([name, child]) => [name.replaceAll(/[ |]/g, "-"), withoutSeparators(child)])
  return Object.fromEntries(parts)
}

/** Between brackets, an item that sends nothing is not there. */
const withoutSilent = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => !Difference.isSilent(item)).map(withoutSilent)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withoutSilent(child)]))
}

/** The value of a field that its style can write. */
const written = (value: unknown, style: string): unknown =>
  style.endsWith("Delimited") ? withoutSeparators(value) : style === "deepObject" ? withoutSilent(value) : value

const keyOf = ({ name, where }: Api.Parameter) => (where === "header" ? name.toLowerCase() : name)

const bodyOf = (content: Media.Content, values: Maker["values"], variation: Variation): Payload => {
  const { examples, kind, schema } = content
  if (kind === "bytes") return { content, value: Reply.bytes, made: undefined }
  if (kind === "json") {
    const made = values(schema, withExamples({ ...variation, letters: letters.json }, examples))
    return { content, value: made.value, made }
  }
  const own = { ...variation, letters: letters.form, isText: true, hasBytes: kind === "multipart" }
  const made = values(schema, withExamples(own, examples))
  if (kind === "form" || kind === "multipart") {
    if (Array.isArray(made.value)) throw new Unfollowed({ message: "a form has names, which a list does not give" })
    const fields = isObject(made.value) ? made.value : {}
    if (kind === "form") {
      const value = Object.entries(fields).map(([name, field]) => [
        name,
        written(field, Request.wayOf(content, name).style)
      ])
      return { content, value: Object.fromEntries(value), made }
    }
    // what the document calls an image is bytes, though its schema is a text
    const isFile = (name: string) => Request.partTypes(content, name).some(Media.isBytes)
    const value = Object.entries(fields).map(([name, field]) => [name, isFile(name) ? asBytes(field) : inPart(field)])
    return { content, value: Object.fromEntries(value), made }
  }
  const value = typeof made.value === "string" ? made.value : Digits.stringify(made.value)
  return { content, value, made }
}

/** In the JSON of a part, a file is text. */
const inPart = (field: unknown, isInside = false): unknown => {
  if (field instanceof Uint8Array) return isInside ? "a file" : field
  if (Array.isArray(field)) return field.map((item: unknown) => inPart(item, isInside))
  return isObject(field)
    ? Object.fromEntries(Object.entries(field).map(([name, child]) => [name, inPart(child, true)]))
    : field
}

const asBytes = (field: unknown): unknown =>
  Array.isArray(field) ? field.map(asBytes) : typeof field === "string" ? Reply.bytes : field

/** The header of an idempotency key, which the client makes. */
export const isOwnKey = (operation: Operation.Any, { name, where }: Api.Parameter): boolean =>
  where === "header" && typeof operation.repeat === "object" && operation.repeat.header === name.toLowerCase()

/** Whether a caller can give the key. */
const takesKey = (operation: Operation.Any, parameters: Api.Operation["parameters"]): boolean => {
  const { headers, repeat } = operation
  const { name } = parameters.find((one) => isOwnKey(operation, one)) ?? {}
  if (headers === undefined || typeof repeat !== "object" || name === undefined) return false
  const problem = Result.match(
    Schema.decodeUnknownResult(headers.schema, { onExcessProperty: "error" })({ [name]: "key" }),
    {
      onFailure: (error) => error.message,
      onSuccess: () => ""
    }
  )
  return !problem.includes(name)
}

/** The encoded side of a field: what an operation's schema is decoded from. */
type Encoded = string | ReadonlyArray<Encoded> | { readonly [name: string]: Encoded }

const text = (value: unknown): string => (typeof value === "string" ? value : Digits.stringify(value))

const isFlat = (value: unknown): boolean => !isObject(value) && !Array.isArray(value)

const encoded = (value: unknown, way: Pick<Api.Parameter, "style" | "explode">, depth = 0): Encoded => {
  const { explode, style } = way
  if (isObject(value) && (style === "simple" || (["label", "matrix"].includes(style) && !explode)))
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

const fieldsOf = (input: Sample, where: Api.Parameter["where"], rename: (name: string) => string = (name) => name) =>
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

const payloadOf = (payload: Body.SinglePayload, { content, value }: Payload): Result.Result<unknown, string> => {
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
export const typed = (operation: Operation.Any, input: Sample, choice = 0): Result.Result<object, string> =>
  Result.gen(function* () {
    const parameters = input.parameters.filter(({ parameter }) => input.hasKey || !isOwnKey(operation, parameter))
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
