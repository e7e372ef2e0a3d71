import * as Codec from "./Codec.ts"
import type { Named } from "../compare/Naming.ts"
import * as Constant from "./Constant.ts"
import * as Comment from "../model/Comment.ts"
import type { Document } from "../read/Document.ts"
import { object, property, text } from "../read/Json.ts"
import * as Layout from "./Layout.ts"
import * as Literal from "../model/Literal.ts"
import {
  type Content,
  type OperationModel,
  type Parameter,
  type Payload,
  type Success
} from "../model/OperationModel.ts"
import * as PaginationModel from "../model/PaginationModel.ts"
import type { Failures } from "./Refusals.ts"
import type { Warn } from "../read/Unsupported.ts"
import type { Declaration } from "../model/Schemas.ts"
import * as Names from "../model/Names.ts"
import * as Media from "../model/Media.ts"
import * as Shape from "../model/Shape.ts"
import * as TextCodec from "./TextCodec.ts"

export interface Context {
  readonly responses: Codec.Context
  readonly requests: Codec.Context
  readonly failures: Failures
  readonly warn: Warn
}

/**
 * The first lines of a file. All types are declared. What the compiler would infer of the values to compare is most of what a
 * document costs it, in each program anew; that they are the same is checked where the generator is tested.
 */
const head = `// generated: change the document, or a patch of it
// @ts-nocheck: the types are declared; that the values have them is not checked in each program again
`

const modules: ReadonlyArray<readonly [name: string, line: string]> = [
  ["Body", `import * as Body from "@cloud-management/client/Body"`],
  ["CallError", `import * as CallError from "@cloud-management/client/CallError"`],
  ["Envelope", `import * as Envelope from "@cloud-management/client/Envelope"`],
  ["Operation", `import * as Operation from "@cloud-management/client/Operation"`],
  ["Refusal", `import * as Refusal from "@cloud-management/client/Refusal"`],
  ["Style", `import * as Style from "@cloud-management/client/Style"`],
  ["Wire", `import * as Wire from "@cloud-management/client/Wire"`],
  ["Brand", `import type * as Brand from "effect/Brand"`],
  ["DateTime", `import type * as DateTime from "effect/DateTime"`],
  ["Schema", `import * as Schema from "effect/Schema"`]
]

/** Code without its texts and comments. */
const withoutText = (code: string): string => {
  const bare: Array<string> = []
  let from = 0
  for (const { 0: mark, index } of code.matchAll(/\/\*\*|["']/g)) {
    // within the last one
    if (index < from) continue
    bare.push(code.slice(from, index))
    from = index + 1
    if (mark === "/**") from = code.indexOf("*/", index) + 2
    else while (code.charAt(from++) !== mark) if (code.charAt(from - 1) === "\\") from++
  }
  return [...bare, code.slice(from)].join("")
}

/** Whether code, without its texts, uses a module. */
const uses = (bare: string, name: string): boolean => {
  for (let at = bare.indexOf(`${name}.`); at >= 0; at = bare.indexOf(`${name}.`, at + 1))
    if (!/[\w$.]/.test(bare.charAt(at - 1))) return true
  return false
}

/** A file with the imports that its code uses, and lines after them. */
export const file = (
  code: string,
  own: ReadonlyArray<readonly [name: string, line: string]> = [],
  after = ""
): string => {
  const bare = withoutText(code)
  const lines = [...modules, ...own].flatMap(([name, line]) => (uses(bare, name) ? [`${line}\n`] : []))
  return [`${head}${lines.join("")}${after}`, code]
    .filter((part) => part !== "")
    .join(lines.length + after.length > 0 ? "\n" : "")
}

/** The name of the API in spans, metrics and the header `user-agent`: by default the title of its document. */
export const api = ({ root }: Document, name: string | undefined): string => {
  const info = property(root, "info")
  const oneLine = (text = "") => text.replace(/\s+/g, " ").trim()
  const version = oneLine(text(info, "version"))
  const given = { name: name ?? (oneLine(text(info, "title")) || "api"), ...(version !== "" && { version }) }
  const fields = Object.entries(given).map(([key, value]) => ({ code: [`${key}: `, Literal.text(value)] }))
  return file(
    `/** The name of the API and the version of its document, in spans, metrics and the header \`user-agent\`. */
${Layout.render(["export const api: Operation.Api = ", Layout.object(fields)])}
`
  )
}

/** The types of declarations, and their schemas. */
export const declaration = (
  { comment, name }: Declaration,
  shape: Shape.Shape,
  context: Codec.Context,
  isSame: boolean
): string => {
  const doc = Comment.render(comment, "")
  const type = Codec.type(shape, context)
  const isInterface = shape._tag === "Struct" || shape._tag === "Record" || shape._tag === "Empty"
  const isBody = isInterface && typeof type === "object" && "items" in type
  const declared = isSame
    ? `export type ${name} =${name.length > 51 ? "\n " : ""} A.${name}\n`
    : `${doc}${Layout.render(isBody ? [`export interface ${name} `, Layout.body(type.items)] : [`export type ${name} = `, type])}\n`
  const value = Constant.write(name, Layout.generic("Schema.Codec", [name, "unknown"]), Codec.code(shape, context))
  // one text: pieces of 100,000 declarations would fill the memory
  return [declared, doc, value].join("")
}

interface Written {
  readonly type: Layout.Layout
  readonly code: Layout.Layout
}

const codec = (shape: Shape.Shape, context: Codec.Context): Written => ({
  type: Layout.generic("Schema.Codec", [Codec.type(shape, context), "unknown"]),
  code: Codec.code(shape, Codec.ofBody(shape, context))
})

/** A body that keeps the digits of all integers, if its shape has some of 64 bits. */
const exact = (code: Layout.Layout, shape: Shape.Shape, context: Codec.Context): Layout.Layout =>
  Codec.isExact(shape, context) ? Layout.call("Body.exact", [code]) : code

/** JSON of a shape, in a request or a response. What a response has is JSON, so that it needs no check. */
const json = (shape: Shape.Shape, type: string, context: Codec.Context): Written => {
  const schema = codec(shape, context)
  const media = type === "application/json" ? [] : [Literal.text(type)]
  const isRead = context.side === "response" && !Codec.isExact(shape, context)
  const code = Layout.call(isRead ? "Body.jsonResponse" : "Body.json", [schema.code, ...media])
  return {
    type: Layout.generic(isRead ? "Body.JsonResponse" : "Body.Json", [schema.type]),
    code: exact(code, shape, context)
  }
}

const styleOf = ({ style }: Parameter, where: Place): TextCodec.Style =>
  style === "json"
    ? "content"
    : style === "deepObject"
      ? "deep"
      : where === "body"
        ? "json"
        : where === "query" || where === "cookie"
          ? spread(style) === "spread"
            ? "spread"
            : "flat"
          : style === "pairs"
            ? "pairs"
            : "simple"

/** Where parameters are. */
type Place = "path" | "query" | "header" | "cookie" | "body" | "multipart"

/** The style of what is not a text under its own name, or several. */
const listed = ({ shape, style }: Parameter, where: Place, context: Codec.Context) => {
  // a cookie is one text, and what could end it is encoded
  if (where === "cookie") return style !== "json" && TextCodec.isScalar(shape, context) ? undefined : spread(style)
  if ((where !== "query" && where !== "body") || style === "json") return undefined
  // a query spreads an object over several parameters
  return where === "query" && Shape.canBe(shape, ["Struct", "Record", "Empty"], context.shapeOf) ? spread(style) : style
}

const spread = (style: Parameter["style"]) => (style === undefined || style === "json" ? "spread" : style)

/** Parameters of more parts are unsupported. */
const mostParts = 10_000

/** A struct of parameters or fields of a form, and the styles of its fields. `cookies` are a header. */
const fields = (
  all: ReadonlyArray<Parameter>,
  where: Place,
  context: Context,
  { cookies = [], isOpen = false }: { readonly cookies?: ReadonlyArray<Parameter>; readonly isOpen?: boolean } = {}
) => {
  const { requests, warn } = context
  const budget = { left: mostParts }
  const styles: Array<Layout.Item> = []
  const written = all.map((parameter) => {
    const { name, pointer } = parameter
    const style = listed(parameter, where, requests)
    const code = style === undefined ? "" : `Style.${style}`
    if (parameter.isReserved === true) styles.push({ code: `${Literal.key(name)}: Style.reserved(${code})` })
    else if (style !== undefined) styles.push({ code: `${Literal.key(name)}: ${code}` })
    const written = styleOf(parameter, where === "multipart" ? "body" : where)
    const hasFiles = where === "multipart"
    const options = { context: requests, style: written, hasFiles, pointer, warn, budget }
    const { separator } = parameter
    return separator === undefined || TextCodec.isScalar(parameter.shape, requests)
      ? TextCodec.field(parameter, options)
      : TextCodec.exploded(parameter, separator, { ...options, style: "flat" })
  })
  if (cookies.length > 0) {
    const { args, type } = fields(cookies, "cookie", context)
    const header = {
      name: "cookie",
      isRequired: cookies.some(({ isRequired }) => isRequired),
      comment: ["Left out by browsers, which send their own."]
    }
    const text = { type, encoded: "string | ReadonlyArray<string>", code: Layout.call("Wire.cookies", args) }
    written.push(TextCodec.keyed(header, text))
  }
  const struct = TextCodec.struct(written, isOpen ? TextCodec.othersOf(where === "multipart") : undefined)
  return {
    type: struct.type,
    schema: Layout.generic("Schema.Codec", [struct.type, struct.encoded]),
    args: [struct.code, ...(styles.length === 0 ? [] : [Layout.object(styles)])]
  }
}

/** The fields of an object; those of all alternatives together, of which each needs what all of them need. */
const fieldsOf = (
  shape: Shape.Shape,
  context: Codec.Context,
  known = new Map<Shape.Shape, ReadonlyArray<Shape.Field> | undefined>()
): ReadonlyArray<Shape.Field> | undefined => {
  const found = Shape.resolved(Shape.withoutNull(shape)[0], context.shapeOf)
  if (found._tag === "Struct") return found.fields
  // alternatives that many others share are read once
  if (found._tag !== "Union" || known.has(found)) return known.get(found)
  known.set(found, undefined)
  const all = found.members.map((member) => fieldsOf(member, context, known))
  const fields = new Map<string, Array<Shape.Field>>()
  for (const members of all) {
    if (members === undefined) return undefined
    for (const field of members) fields.set(field.name, [...(fields.get(field.name) ?? []), field])
  }
  const merged = [...fields.values()].flatMap((same) =>
    same.slice(0, 1).map((field) => ({
      ...field,
      shape: Shape.union(same.map(({ shape }) => shape)),
      isRequired: same.length === all.length && same.every(({ isRequired }) => isRequired)
    }))
  )
  known.set(found, merged)
  return merged
}

type Form = Extract<Content, { readonly encoding: unknown }>

/** Whether a form takes fields that are not described: where any are, or where it is not an object with fields. */
const takesOthers = (shape: Shape.Shape, context: Codec.Context, seen = new Set<Shape.Shape>()): boolean => {
  const found = Shape.resolved(Shape.withoutNull(shape)[0], context.shapeOf)
  if (found._tag === "Struct") return found.open
  if (found._tag !== "Union" || seen.has(found)) return found._tag !== "Empty" && found._tag !== "Union"
  seen.add(found)
  return found.members.some((member) => takesOthers(member, context, seen))
}

/** A text, or a list of them, as files. */
const withFiles = (shape: Shape.Shape, { requests }: Pick<Context, "requests">): Shape.Shape => {
  const [own] = Shape.withoutNull(shape)
  const [whole] = Shape.withoutNull(Shape.resolved(own, requests.shapeOf))
  if (whole._tag === "Array") return { ...whole, item: withFiles(whole.item, { requests }) }
  return whole._tag === "Text" ? { _tag: "Binary" } : shape
}

/** The fields of a form. */
const formFields = (payload: Form, context: Context): ReadonlyArray<Parameter> =>
  (fieldsOf(payload.shape, context.requests) ?? []).map((field) => {
    const own = object(payload.encoding, field.name)
    const [type = ""] = (text(own, "contentType") ?? "").split(/[;,]/)
    const isFile = payload.kind === "multipart" && type !== "" && Media.isBytes(type)
    const shape = isFile ? withFiles(field.shape, context) : field.shape
    const style = text(own, "style")
    const known = style === "deepObject" || style === "spaceDelimited" || style === "pipeDelimited" ? style : undefined
    const isComma = (style === "form" || style === undefined) && own["explode"] === false
    const isReserved = own["allowReserved"] === true
    return { ...field, shape, pointer: payload.pointer, style: known ?? (isComma ? "form" : undefined), isReserved }
  })

/** The media types of parts: the document's, which a file can have itself, and JSON of objects (OpenAPI 3.1 §4.8.15.1). */
const partTypes = (all: ReadonlyArray<Parameter>, payload: Form, { requests, warn }: Context) =>
  all.flatMap(({ name, shape }): ReadonlyArray<Layout.Item> => {
    const own = object(payload.encoding, name)
    const given = text(own, "contentType")
    if (Object.keys(object(own, "headers")).length > 0) {
      warn("part-headers", payload.pointer, `${name} is sent without headers of its own`)
    }
    const [whole] = Shape.withoutNull(shape)
    const part = whole._tag === "Array" ? whole.item : whole
    const isFile = part._tag === "Binary"
    // a text beside objects is sent as it is
    const members = part._tag === "Union" ? part.members : [part]
    const isJson = !isFile && members.every((member) => !TextCodec.isScalar(member, requests))
    const [essence = "", ...parameters] = (given ?? "").split(";")
    const isUsable =
      given !== undefined &&
      Media.isWritable({ kind: "text", type: essence, full: essence }) &&
      /^[!-+\--~ ]*$/.test(parameters.join(";"))
    if (isJson && given !== undefined && !/[/+]json *(?:[;,]|$)/i.test(given)) {
      warn("part-type", payload.pointer, `${name} is sent as JSON, not as ${given}`)
    }
    const type =
      isJson && !(isUsable && /[/+]json *(?:;|$)/.test(given)) ? "application/json" : isUsable ? given : undefined
    return type === undefined ? [] : [{ code: `${Literal.key(name)}: ${Literal.text(type)}` }]
  })

const payloadOf = (payload: Payload, context: Context): Written => {
  const written = choiceOf(payload.contents.map((content) => contentOf(content, context)))
  if (!payload.isOptional) return written
  return {
    type: [written.type, " & ", Layout.members([{ code: "readonly optional: true" }])],
    code: Layout.call("Body.optional", [written.code])
  }
}

/** One of several contents, or the only one. */
const choiceOf = (all: ReadonlyArray<Written>): Written => {
  const [first] = all
  if (first !== undefined && all.length === 1) return first
  return {
    type: Layout.generic("Body.Choice", [["readonly ", Layout.array(all.map(({ type }) => type))]]),
    code: Layout.call(
      "Body.choice",
      all.map(({ code }) => code)
    )
  }
}

/** A body without a schema. */
const plain = (kind: "text" | "bytes" | "upload", type: string): Written => ({
  type: `Body.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  code: Layout.call(`Body.${kind}`, [Literal.text(type)])
})

const contentOf = (payload: Content, context: Context): Written => {
  switch (payload.kind) {
    case "json":
      return json(payload.shape, payload.type, context.requests)
    case "text":
    case "bytes":
    case "upload":
      return plain(payload.kind, payload.type)
    case "form":
    case "multipart": {
      const [name, type] = payload.kind === "form" ? ["Body.form", "Body.Form"] : ["Body.multipart", "Body.Multipart"]
      const all = formFields(payload, context)
      const hasFiles = payload.kind === "multipart"
      const plain = hasFiles ? all.map((field) => ({ ...field, style: undefined, isReserved: false })) : all
      const isOpen = takesOthers(payload.shape, context.requests)
      if (Shape.canBe(payload.shape, ["Array"], context.requests.shapeOf))
        context.warn(
          "form-names",
          payload.pointer,
          "a list has no names: the fields of the form are any that callers give"
        )
      const { args, schema } = fields(plain, hasFiles ? "multipart" : "body", context, { isOpen })
      const types = hasFiles ? partTypes(all, payload, context) : []
      const more = types.length === 0 ? [] : [Layout.call("Body.partTypes", [Layout.object(types)])]
      return { type: Layout.generic(type, [schema]), code: Layout.call(name, [...args, ...more]) }
    }
  }
}

const successOf = ({ kind, others = [], shape, status, type }: Success, { responses }: Context): Written => {
  const media = Literal.text(type)
  switch (kind) {
    case "json":
      return json(shape ?? Shape.json, type, responses)
    case "envelope": {
      if (shape === undefined) return { type: "typeof Envelope.withoutResult", code: "Envelope.withoutResult" }
      const schema = codec(shape, responses)
      return {
        type: [Layout.generic("ReturnType", [Layout.generic("typeof Envelope.withJson", [schema.type])])],
        code: exact(Layout.call("Envelope.withJson", [schema.code]), shape, responses)
      }
    }
    case "text":
    case "bytes":
      return plain(kind, type)
    case "events":
    case "lines": {
      const item = shape ?? Shape.json
      const type = Codec.type(item, responses)
      const name = kind === "events" ? "Body.events" : "Body.jsonLines"
      const other = kind === "events" || media === Literal.text("application/x-ndjson") ? [] : [media]
      return {
        type: Layout.generic("Body.Streaming", [
          kind === "events" ? Layout.generic("Body.ServerSentEvent", [type]) : type
        ]),
        code: exact(Layout.call(name, [codec(item, responses).code, ...other]), item, responses)
      }
    }
    case "stream":
      return { type: "Body.Streaming<Uint8Array>", code: `Body.stream(${media})` }
    case "redirect":
      return { type: `Body.Redirect<${status}>`, code: Layout.call("Body.redirect", [String(status), ...others]) }
    case "empty":
      return { type: "Body.Empty", code: "Body.empty" }
  }
}

/** A success with its status, where that is not the one of its kind. */
const withStatus = ({ code, type }: Written, status: number): Written => ({
  type: [type, " & ", Layout.members([{ code: `readonly status: ${status}` }])],
  code: Layout.call("Body.status", [String(status), code])
})

const successesOf = (all: ReadonlyArray<Success>, context: Context): Written => {
  const [only] = all
  if (only !== undefined && all.length === 1) {
    const written = successOf(only, context)
    const isUsual = only.status === undefined || only.status === (only.kind === "empty" ? 204 : 200)
    const isStream = only.kind === "events" || only.kind === "lines" || only.kind === "stream"
    return isUsual || isStream || only.kind === "redirect" ? written : withStatus(written, only.status)
  }
  const written = all.map((success) => withStatus(successOf(success, context), success.status ?? 200))
  return {
    type: Layout.generic("Body.OneOf", [["readonly ", Layout.array(written.map(({ type }) => type))]]),
    code: Layout.call(
      "Body.oneOf",
      written.map(({ code }) => code)
    )
  }
}

/** An operation: its type, which declaration files need, and its value. */
export const operation = (model: OperationModel, { group, name }: Named, context: Context): string => {
  const { constant, type } = Names.ofOperation(name)
  const types: Array<Layout.Item> = []
  const codes: Array<Layout.Item> = []
  const put = (key: string, written: Written) => {
    types.push({ code: [`readonly ${key}: `, written.type] })
    codes.push({ code: [`${key}: `, written.code] })
  }
  const putLiteral = (key: string, value: string) => put(key, { type: Literal.text(value), code: Literal.text(value) })
  putLiteral("id", model.id)
  putLiteral("group", group)
  putLiteral("name", name)
  putLiteral("method", model.method)
  putLiteral("path", model.path)
  codes.push({ code: "api" })
  if (model.summary !== undefined) codes.push({ code: ["summary: ", Literal.text(model.summary)] })
  if (model.isDeprecated) codes.push({ code: "deprecated: true" })
  if (model.isBeta) codes.push({ code: `annotations: { stability: "beta" }` })
  if (model.renamed.size > 0) {
    const names = Array.from(model.renamed, ([from, to]) => ({ code: `${Literal.key(from)}: ${Literal.text(to)}` }))
    codes.push({ code: ["names: ", Layout.object([{ code: ["params: ", Layout.object(names)] }])] })
  }
  if (model.params.length > 0) {
    const { args, schema } = fields(model.params, "path", context)
    put("params", { type: schema, code: args[0] ?? "" })
  }
  if (model.query.length > 0) {
    const { args, schema } = fields(model.query, "query", context)
    put("query", { type: Layout.generic("Operation.Query", [schema]), code: Layout.call("Operation.query", args) })
  }
  if (model.headers.length + model.cookies.length > 0) {
    const { args, schema } = fields(model.headers, "header", context, model)
    put("headers", {
      type: Layout.generic("Operation.Headers", [schema]),
      code: Layout.call("Operation.headers", args.slice(0, 1))
    })
  }
  if (model.payload !== undefined) put("payload", payloadOf(model.payload, context))
  put("success", successesOf(model.successes, context))
  const failures = context.failures.of(model).map((failure) => `R.${failure}`)
  put("errors", {
    type: ["readonly ", Layout.array(failures.map((failure) => `typeof ${failure}`))],
    code: Layout.array(failures)
  })
  const { idempotencyKey, security } = model
  if (idempotencyKey !== undefined) {
    const { format, header } = idempotencyKey
    const isUsual = format === "uuid" && header === "idempotency-key"
    const args = [header, ...(format === "uuid" ? [] : [format])].map(Literal.text)
    const code = `Operation.idempotencyKey(${isUsual ? "" : args.join(", ")})`
    put("repeat", { type: "Operation.IdempotencyKey", code })
  }
  const pagination = PaginationModel.of(model, context)
  if (pagination !== undefined) {
    const entries = Object.entries(pagination.options).map(
      ([key, value]) => `${key}: ${typeof value === "number" ? value : Literal.text(value)}`
    )
    const literals = entries.map((entry) => ({ code: `readonly ${entry}` }))
    put("pagination", {
      type: Layout.members([
        { code: `readonly _tag: "${PaginationModel.tagOf(pagination)}"` },
        { code: "readonly reader: Operation.Reader" },
        ...literals
      ]),
      code: Layout.call(`Operation.${pagination.form}`, [Layout.object(entries.map((code) => ({ code })))])
    })
  }
  if (security !== undefined) {
    const alternatives = security.map((all) => Layout.array(all.map(Literal.text)))
    codes.push({ code: ["security: ", Layout.array(alternatives)] })
  }
  // as formatters break it
  const isLong = `export interface ${type} extends Operation.Declared<${type}, Methods> {`.length > 120
  const declared = Layout.render([
    `export interface ${type} extends Operation.Declared<${isLong ? `\n  ${type},\n  Methods\n` : `${type}, Methods`}> `,
    Layout.body(types)
  ])
  const comment = Comment.render(commentOf(model, context), "")
  const value = Constant.operation(
    `${constant === name ? "export " : ""}const ${constant}: ${type}`,
    Layout.object(codes)
  )
  const exported = constant === name ? "" : `export { ${constant} as ${name} }\n`
  return `/** The type of {@link ${constant}}. */\n${declared}\n\n${comment}${value}${exported}`
}

const commentOf = (model: OperationModel, context: Context) =>
  Comment.and(model.comment, PaginationModel.of(model, context)?.comment ?? [])

/** The methods of a group, of any client, as an editor shows them. */
export const methods = (
  members: ReadonlyArray<{ readonly model: OperationModel; readonly named: Named }>,
  context: Context
): string => {
  const all = members.map(({ model, named: { name } }) => {
    const { type } = Names.ofOperation(name)
    const input = `...input: Operation.Parameters<this, ${type}>`
    const end = `): Operation.Returned<this, ${type}>`
    const isLong = `  ${name}(${input}${end}`.length > 120
    return {
      comment: commentOf(model, context),
      code: isLong ? `${name}(\n    ${input}\n  ${end}` : `${name}(${input}${end}`
    }
  })
  const body = Layout.render(["export interface Methods extends Operation.Methods ", Layout.body(all)])
  return `/** The methods of a client for these operations. */\n${body}\n`
}
