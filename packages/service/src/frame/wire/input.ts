import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import * as Multipart from "effect/http/Multipart"
import type * as Body from "@cloud-management/client/Body"
import { OrganizationId } from "@cloud-management/core/Organization"
import { BadRequest } from "@cloud-management/core/Refusals"
import type * as Operation from "@cloud-management/client/Operation"

export const propertiesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> =>
  ast._tag === "Objects" ? ast.propertySignatures : ast._tag === "Union" ? ast.types.flatMap(propertiesOf) : []

export interface Parts {
  readonly params: Readonly<Record<string, string>>
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** Decodes the input of an operation. A part that does not fit is a `BadRequest` that names it. */
export type Decode = (parts: Parts) => Effect.Effect<object, BadRequest>

const badRequest = (message: string) => new BadRequest({ message: `BAD_REQUEST: ${message.replace(/\s+/g, " ")}` })

const [isUuid] = OrganizationId.ast.checks ?? []
/** IDs of core compare without regard to case (RFC 9562 §4), as does that of an organization, which the service compares. */
const lowerCaseIds = (params: Schema.Constraint, annotations: Operation.Any["annotations"]) => {
  const ids = new Set<PropertyKey>(annotations?.["scope"] === "organization" ? ["organizationId"] : [])
  for (const { name, type } of propertiesOf(params.ast)) if (isUuid && type.checks?.includes(isUuid)) ids.add(name)
  return Record.map((value: string, name: string) => (ids.has(name) ? value.toLowerCase() : value))
}

const utf8 = new TextDecoder("utf-8", { fatal: true })
const text = (bytes: Uint8Array) =>
  Effect.try({ try: () => utf8.decode(bytes), catch: () => badRequest("The body is not UTF-8") })

/** Whether all values are arrays, but for an absent one. */
const isArray = (type: SchemaAST.AST): boolean =>
  type._tag === "Arrays" ||
  (type._tag === "Union" && type.types.every((member) => member._tag === "Undefined" || isArray(member)))

const isObject = (type: SchemaAST.AST): boolean =>
  type._tag === "Objects" || (type._tag === "Union" && type.types.some(isObject))

/** Whether an object has fields of any name. */
const isOpen = (type: SchemaAST.AST): boolean =>
  type._tag === "Objects" ? type.indexSignatures.length > 0 : type._tag === "Union" && type.types.some(isOpen)

/** Fields that the schema has as arrays are arrays, however often they occur: an empty one is sent as nothing. */
const arraysOf = (ast: SchemaAST.AST): (<Value>(entries: Iterable<readonly [string, Value]>) => object) => {
  const properties = propertiesOf(ast)
  const single = new Set(properties.flatMap(({ name, type }) => (isArray(type) ? [] : [name])))
  const arrays = properties.filter(({ name }) => !single.has(name))
  const repeated = new Set(arrays.map(({ name }) => String(name)))
  // of a union, what is absent tells the members apart
  const required = ast._tag === "Objects" ? arrays.filter(({ type }) => !SchemaAST.isOptional(type)) : []
  return (entries) => {
    // a map, since a parameter can have the name "__proto__"
    const fields = new Map<string, unknown>()
    for (const { name } of required) fields.set(String(name), [])
    for (const [name, value] of entries) {
      const before = fields.get(name)
      // a copy of the array for each would take quadratic time
      if (Array.isArray(before)) before.push(value)
      else fields.set(name, before === undefined ? (repeated.has(name) ? [value] : value) : [before, value])
    }
    return Object.fromEntries(fields)
  }
}

/** The encoded separators of styles that put a list into one parameter. */
const separators = { form: /,/, spaceDelimited: /%20|\+/, pipeDelimited: /%7c|\|/i, deepObject: /,/, cookie: /,/ }

const decoded = (text: string): string => new URLSearchParams(`_=${text}`).get("_") ?? ""

/** The fields of a query or a form, and those that have a style. */
const fieldsOf = (schema: Schema.Constraint, styles: Body.Styles = {}): ((encoded: string) => object) => {
  const { ast } = Schema.toEncoded(schema)
  const arrays = arraysOf(ast)
  if (Object.keys(styles).length === 0) return (encoded) => arrays(new URLSearchParams(encoded))
  const properties = propertiesOf(ast)
  const styled = Object.entries(styles).map(([name, style]) => {
    const type = properties.find((property) => property.name === name)?.type
    const isList = type !== undefined && isArray(type)
    const keys = new Set(type && propertiesOf(type).map(({ name }) => String(name)))
    const isPairs = type !== undefined && isObject(type)
    const isNeeded = style.explode && style.style !== "deepObject" && isPairs && !SchemaAST.isOptional(type)
    return { name, style, type, isList, isPairs, isNeeded, keys, arrays: type && arraysOf(type) }
  })
  const names = new Set(properties.map(({ name }) => String(name)))
  // what no other names is in an object with fields of any name
  const open = styled.find(
    ({ style, type }) => style.explode && style.style !== "deepObject" && type !== undefined && isOpen(type)
  )
  return (encoded) => {
    const plain: Array<readonly [string, string]> = []
    const own = noFields()
    const spread = new Map<string, Array<readonly [name: string, value: string]>>()
    for (const pair of encoded.split("&").filter(Boolean)) {
      const [rawName = "", rawValue = ""] = pair.split(/=(.*)/s, 2)
      const name = decoded(rawName)
      const named = styled.find(({ keys, name: field, style }) =>
        style.style === "deepObject" ? name.startsWith(`${field}[`) : style.explode ? keys.has(name) : name === field
      )
      const part = named ?? (names.has(name) ? undefined : open)
      if (part === undefined) plain.push([name, decoded(rawValue)])
      else if (part.style.style === "deepObject") {
        put(own, [part.name, ...name.slice(part.name.length + 1, -1).split("][")], decoded(rawValue))
      } else if (part.style.explode) {
        const entries = spread.get(part.name) ?? []
        entries.push([name, decoded(rawValue)])
        spread.set(part.name, entries)
      } else {
        const items = () => (rawValue === "" ? [] : rawValue.split(separators[part.style.style]).map(decoded))
        // the style of a text says nothing: documents have it beside any parameter
        own[part.name] = part.isList ? items() : part.isPairs ? pairs(items()) : decoded(rawValue)
      }
    }
    for (const { arrays, isNeeded, name, style, type } of styled) {
      // without a field it sends nothing
      const entries = spread.get(name) ?? (isNeeded ? [] : undefined)
      if (entries !== undefined) own[name] = arrays?.(entries)
      else if (style.style === "deepObject" && name in own) own[name] = listed(type, own[name])
    }
    return { ...arrays(plain), ...own }
  }
}

/** Without a prototype, whose names would be taken. */
const noFields = (): Record<string, unknown> => ({ __proto__: null })

/** Puts a text below the names of its path. In place, since a copy for each of many would take minutes. */
const put = (fields: Record<string, unknown>, path: ReadonlyArray<string>, text: string): void => {
  let parent = fields
  for (const name of path.slice(0, -1)) {
    const before = parent[name]
    const next = Predicate.isObject(before) ? before : noFields()
    parent[name] = next
    parent = next
  }
  parent[path.at(-1) ?? ""] = text
}

/** The types that a value can have, of what contains itself too. */
const membersOf = (type: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  type._tag === "Union" ? type.types.flatMap(membersOf) : type._tag === "Suspend" ? membersOf(type.thunk()) : [type]

/** Makes lists of objects whose names are numbers, where the schema has lists. */
const listed = (type: SchemaAST.AST | undefined, value: unknown): unknown => {
  // a path of any length may follow what no schema has
  if (type === undefined || !Predicate.isReadonlyObject(value)) return value
  const members = membersOf(type)
  const list = members.find(SchemaAST.isArrays)
  // of an object with fields of any name, the schema does not say which of them are lists
  const isNumbered = members.some(SchemaAST.isUnknown) && Object.keys(value).every((name, i) => name === String(i))
  if (list !== undefined || isNumbered) return Object.values(value).map((item) => listed(list?.rest[0], item))
  const objects = members.filter(SchemaAST.isObjects)
  const fields = objects.flatMap(({ propertySignatures }) => propertySignatures)
  const [others] = objects.flatMap(({ indexSignatures }) => indexSignatures)
  return Record.map(value, (field, name) => listed((fields.find((own) => own.name === name) ?? others)?.type, field))
}

const pairs = (items: ReadonlyArray<string>): object =>
  Object.fromEntries(items.flatMap((item, i) => (i % 2 === 0 ? [[item, items[i + 1] ?? ""] as const] : [])))

/** Reads a body as the encoded side of its schema; `contentType` is the request's. */
type Read = (bytes: Uint8Array, contentType: string) => Effect.Effect<unknown, BadRequest>

const essence = (type: string): string => type.replace(/;.*/s, "").trim().toLowerCase()

/** A name as browsers write them (HTML standard, "multipart/form-data"). */
const unquoted = (name: string) => name.replace(/%(22|0D|0A)/g, decodeURIComponent)

/** The parts of a form. `Response` of Node would read none in a page of jsdom, whose `File` is another. */
const partsOf = (bytes: Uint8Array, contentType: string) =>
  Stream.make(bytes).pipe(
    Stream.pipeThroughChannel(Multipart.makeChannel({ "content-type": contentType })),
    Stream.mapEffect((part) => {
      const value: Effect.Effect<string | File, Multipart.MultipartError> =
        part._tag === "Field"
          ? Effect.succeed(part.value)
          : // a copy, since a view can be of memory that is shared
            Effect.map(part.contentEffect, (content) => {
              return new File([new Uint8Array(content)], unquoted(part.name), { type: part.contentType })
            })
      return Effect.map(value, (value) => [unquoted(part.key), value] as const)
    }),
    Stream.runCollect,
    // a file of JSON is a file
    Effect.provideService(Multipart.FieldMimeTypes, []),
    // the length of the body is limited before
    Effect.provideService(Multipart.MaxFieldSize, ByteSize.bytes(bytes.length))
  )

const payloadOf = (payload: Body.Payload): Read => {
  switch (payload._tag) {
    case "Bytes":
      return Effect.succeed
    case "Upload":
      return (bytes) => Effect.succeed({ stream: Stream.succeed(bytes), length: bytes.length })
    case "Multipart": {
      const fields = arraysOf(Schema.toEncoded(payload.schema).ast)
      return (bytes, contentType) =>
        Effect.map(
          Effect.mapError(partsOf(bytes, contentType), () => badRequest("The body is not multipart/form-data")),
          fields
        )
    }
    case "Choice": {
      const kinds = payload.payloads.map((one) => ({ contentType: one.contentType, read: payloadOf(one) }))
      return (bytes, contentType) => {
        const type = essence(contentType)
        // of two versions of one type, the one that has the same parameters
        const kind =
          kinds.find((kind) => kind.contentType === contentType) ??
          kinds.find((kind) => essence(kind.contentType) === type)
        return kind === undefined
          ? Effect.fail(badRequest("The media type of the body is not one of the operation's"))
          : Effect.map(kind.read(bytes, contentType), (value) => ({ contentType: kind.contentType, value }))
      }
    }
    case "Text":
      return text
    case "Form": {
      const fields = fieldsOf(payload.schema, payload.styles)
      return (bytes) => Effect.map(text(bytes), fields)
    }
    case "Json": {
      const codec = payload.codec ?? JSON
      return (bytes) =>
        Effect.flatMap(text(bytes), (json) =>
          Effect.fromResult(
            Result.try({ try: (): unknown => codec.parse(json), catch: () => badRequest("The body is not JSON") })
          )
        )
    }
  }
}

const formOf = (payload: Body.Payload): Schema.Codec<unknown, unknown> => {
  if (payload._tag === "Choice")
    return Schema.Union(
      payload.payloads.map((one) => Schema.Struct({ contentType: Schema.Literal(one.contentType), value: formOf(one) }))
    )
  return payload._tag === "Json" ? (payload.form ?? payload.schema) : payload.schema
}

/** Splits the fields that a schema has as arrays at their commas. */
const listsOf = (schema: Schema.Constraint): ((fields: Readonly<Record<string, string>>) => object) => {
  const lists = new Set(
    propertiesOf(Schema.toEncoded(schema).ast).flatMap(({ name, type }) => (isArray(type) ? [String(name)] : []))
  )
  return lists.size === 0
    ? identity
    : Record.map((value: string, name: string) =>
        lists.has(name) ? value.split(",").map((item) => item.trim()) : value
      )
}

export const compile = ({ annotations, headers, params, payload, query }: Operation.Any): Decode => {
  const decode = <A>(schema: Schema.Codec<A, unknown>) => {
    const decode = Schema.decodeUnknownEffect(schema)
    return (value: unknown) => Effect.mapErrorEager(decode(value), ({ message }) => badRequest(message))
  }
  let all: Decode = () => Effect.succeed({})
  if (params !== undefined) {
    const [value, ids, split] = [decode(params), lowerCaseIds(params, annotations), listsOf(params)]
    all = (parts) => value(split(ids(parts.params)))
  }
  const add = (part: Decode) => {
    const before = all
    all = (parts) =>
      Effect.flatMap(before(parts), (input) => Effect.map(part(parts), (more) => ({ ...input, ...more })))
  }
  if (query !== undefined) {
    const [fields, value] = [fieldsOf(query.schema, query.styles), decode(query.schema)]
    add(({ target }) => {
      const mark = target.indexOf("?")
      return Effect.map(value(fields(mark === -1 ? "" : target.slice(mark + 1))), (query) => ({ query }))
    })
  }
  if (headers !== undefined) {
    const value = decode(headers.schema)
    // their names have no case (RFC 9110 §5.1), and come in lower case
    const names = propertiesOf(Schema.toEncoded(headers.schema).ast).map(({ name }) => String(name))
    const split = listsOf(headers.schema)
    const named = (received: Parts["headers"]) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = received[name.toLowerCase()]
          return value === undefined ? [] : [[name, value] as const]
        })
      )
    add((parts) => Effect.map(value({ ...parts.headers, ...split(named(parts.headers)) }), (headers) => ({ headers })))
  }
  if (payload !== undefined) {
    const form = formOf(payload)
    const [read, value] = [payloadOf(payload), decode(form)]
    // of a union, the alternative that holds every field
    const whole = Schema.decodeUnknownEffect(form, { onExcessProperty: "error" })
    const decoded = (content: unknown) =>
      Effect.catchDefect(
        Effect.suspend(() => Effect.catchEager(whole(content), () => value(content))),
        (defect) =>
          defect instanceof RangeError ? Effect.fail(badRequest("The body is nested too deeply")) : Effect.die(defect)
      )
    add(({ body, headers }) =>
      payload.optional === true && body.length === 0
        ? Effect.succeed({})
        : Effect.map(Effect.flatMap(read(body, headers["content-type"] ?? ""), decoded), (payload) => ({ payload }))
    )
  }
  return all
}
