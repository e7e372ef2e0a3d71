import * as Predicate from "effect/Predicate"
import * as Comment from "./Comment.ts"
import type { Document } from "../read/Document.ts"
import * as Endpoint from "./Endpoint.ts"
import { inside, isObject, type JsonObject, list, object, type Place, pointer, property, text } from "../read/Json.ts"
import * as Keywords from "./Keywords.ts"
import * as Media from "./Media.ts"
import * as Names from "./Names.ts"
import * as Pattern from "./Pattern.ts"
import { attempt, type Omitted, Unsupported, unsupported, type Warn } from "../read/Unsupported.ts"
import * as Responses from "./Responses.ts"
import type { Reader } from "./Schemas.ts"
import * as Security from "./Security.ts"
import * as Shape from "./Shape.ts"
import * as Template from "./Template.ts"

/** A parameter, or a field of a form. */
export interface Parameter {
  readonly name: string
  readonly shape: Shape.Shape
  readonly isRequired: boolean
  readonly comment: ReadonlyArray<string>
  readonly pointer: string
  /** The number that a list in pages begins with, if it can be known. */
  readonly first?: number | undefined
  /** How an object or a list is written; absent: the default of its place. */
  readonly style:
    | "cookie"
    | "cookies"
    | "form"
    | "spaceDelimited"
    | "pipeDelimited"
    | "deepObject"
    | "json"
    | "pairs"
    | undefined
  /** What is between the parts of a list or an object in a path, if it is not a comma. */
  readonly separator?: string
  /** Whether reserved characters stay as they are. */
  readonly isReserved?: boolean
}

/** One content that a request can have. */
export type Content = { readonly pointer: string } & (
  | { readonly kind: "json"; readonly type: string; readonly shape: Shape.Shape }
  | { readonly kind: "form" | "multipart"; readonly shape: Shape.Shape; readonly encoding: JsonObject }
  | { readonly kind: "text" | "bytes" | "upload"; readonly type: string }
)

/** The contents that a request can have, the usual one first. */
export interface Payload {
  readonly isOptional: boolean
  readonly contents: ReadonlyArray<Content>
}

/** The content of one success. */
export interface Success {
  readonly status: number | undefined
  readonly kind: Exclude<Media.Kind, "form" | "multipart"> | "empty" | "envelope" | "redirect" | "stream"
  readonly type: string
  readonly shape: Shape.Shape | undefined
  /** Whether the header `Link` is declared. */
  readonly hasLink: boolean
  /** More statuses of a redirect. */
  readonly others?: ReadonlyArray<string>
}

/** A refusal that an operation declares. */
export interface Failure {
  readonly status: string
  readonly shape: Shape.Shape | undefined
  readonly pointer: string
}

/** An operation of a document, before it has names and is code. */
export interface OperationModel {
  readonly id: string
  /** Method and path: what an operation is known by, whatever its ID. */
  readonly key: string
  readonly pointer: string
  readonly tag: string
  readonly method: string
  readonly path: string
  /** Inputs of path variables that another name stands for in the document. */
  readonly renamed: ReadonlyMap<string, string>
  readonly comment: ReadonlyArray<string>
  readonly summary: string | undefined
  readonly isDeprecated: boolean
  /** Whether it can still change (`x-stability`). */
  readonly isBeta: boolean
  readonly params: ReadonlyArray<Parameter>
  readonly query: ReadonlyArray<Parameter>
  readonly headers: ReadonlyArray<Parameter>
  readonly cookies: ReadonlyArray<Parameter>
  readonly payload: Payload | undefined
  readonly successes: ReadonlyArray<Success>
  readonly failures: ReadonlyArray<Failure>
  readonly security: ReadonlyArray<ReadonlyArray<string>> | undefined
  /** The header of an idempotency key, and the form of a key that the document allows. */
  readonly idempotencyKey: { readonly header: string; readonly format: KeyFormat } | undefined
  /** How the document says that a list is read page by page (`x-pagination`), if it does. */
  readonly pagination: unknown
  /** How the document says that all lists are read which fit. */
  readonly listPagination: unknown
}

export interface Options {
  readonly document: Document
  readonly responses: Reader
  readonly requests: Reader
  readonly warn: Warn
  readonly isIncluded: Endpoint.IsIncluded
  readonly envelope: string
}

/** The first segments of all paths of many services: they name no group. */
const isRoot = /^(?:api|v\d+(?:(?:alpha|beta)\d*)?)$/i

/** Names that a call's input uses for its other parts. */
const inputs = new Set(["query", "headers", "payload"])

/** All operations of a document, and why others are left out. */
export const readOperations = (options: Options) => {
  const { document, isIncluded, warn } = options
  const models: Array<OperationModel> = []
  const omitted: Array<Omitted> = []
  const omit = (id: string, { code, message, pointer }: Unsupported) => omitted.push({ id, code, pointer, message })
  for (const endpoint of Endpoint.all(document, isIncluded, omit)) {
    const { id, key, named, pointer: at } = endpoint
    if (named === undefined) warn("operation-id", at, `has no operationId: ${key}`)
    else if (id !== named) warn("operation-id", at, `${named} has another operation: ${key}`)
    const model = attempt(() => modelOf({ ...options, ...endpoint }))
    if (model instanceof Unsupported) omit(id, model)
    else models.push(model)
  }
  return { models, omit, omitted }
}

interface Context extends Options, Endpoint.Endpoint {}

const modelOf = (context: Context): OperationModel => {
  const { id, item, key, method, node, pointer: at, tags, template, warn } = context
  if (!Responses.methods.includes(method)) {
    throw unsupported("method", at, `operations cannot have the method ${method.toUpperCase()}`)
  }
  if (property(node, "servers") !== undefined || property(item.node, "servers") !== undefined) {
    warn("server", at, "has servers of its own: it is sent to the base URL of the client")
  }
  const given = parameters(context)
  const [address = "", ...fragments] = template.split("#")
  if (fragments.length > 0) warn("path-fragment", at, "what follows # in the path only names it: it is not sent")
  const whole = Template.split(address)
  const declared = new Map(given.filter(({ where }) => where === "path").map((one) => [one.parameter.name, one]))
  const { path, renamed, variables } = pathOf(whole, at, declared)
  const variableOf = (name: string): Parameter => {
    const parameter = declared.get(name)?.parameter
    return {
      ...(parameter ?? { shape: { _tag: "Text", checks: [] }, comment: [], pointer: at, style: undefined }),
      name: renamed.get(name) ?? name,
      isRequired: true
    }
  }
  const undeclared = [...variables, ...whole.query.keys()].filter((name) => !declared.has(name))
  if (undeclared.length > 0)
    warn(
      "path-variable",
      at,
      `the path's ${undeclared.join(", ")} ${undeclared.length > 1 ? "are declared nowhere: texts" : "is declared nowhere: a text"}`
    )
  const params = variables.map(variableOf)
  const headers = given.filter(({ where }) => where === "header").map(({ parameter }) => parameter)
  const isWhole = headers.some(({ name }) => name.toLowerCase() === "cookie")
  const inCookies = given.filter(({ where }) => where === "cookie").map(({ parameter }) => parameter)
  if (isWhole && inCookies.length > 0)
    warn("parameter-cookie", at, "its cookies are a part of its header Cookie, which callers write as a whole")
  const idempotency =
    method === "get" || method === "head"
      ? undefined
      : given.find(({ parameter, where }) => where === "header" && idempotencyHeader.test(parameter.name))
  const format = idempotency && keyFormat(idempotency)
  if (idempotency !== undefined && format === undefined) {
    warn("idempotency-key", idempotency.parameter.pointer, "the client makes no key of this form: only callers give it")
  }
  const declaredQuery = given.filter(({ where }) => where === "query").map(({ parameter }) => parameter)
  const inPath = Array.from(whole.query).filter(([, name]) => !declaredQuery.some((one) => one.name === name))
  const query = [...inPath.map(([variable, name]) => ({ ...variableOf(variable), name })), ...declaredQuery]
  return {
    id,
    key,
    pointer: at,
    tag: tags[0] ?? template.split("/").find((part) => /^[A-Za-z][\w-]*$/.test(part) && !isRoot.test(part)) ?? "api",
    method: method.toUpperCase(),
    path,
    renamed,
    comment: Comment.of(node),
    // one line: a page carries it
    summary: text(node, "summary")?.trim().split("\n")[0],
    isDeprecated: node["deprecated"] === true,
    isBeta: (text(node, "x-stability") ?? "stable") !== "stable",
    params,
    query,
    // a caller can give its own key
    headers: headers.map((header) =>
      format && header === idempotency?.parameter ? { ...header, isRequired: false } : header
    ),
    cookies: isWhole ? [] : inCookies,
    payload: payloadOf(context),
    successes: successesOf(context),
    failures: failuresOf(context),
    security: securityOf(context),
    idempotencyKey: idempotency && format && { header: idempotency.parameter.name.toLowerCase(), format },
    pagination: property(node, "x-pagination"),
    listPagination: property(context.document.root, "x-pagination")
  }
}

const longestPath = 2_000

const idempotencyHeader = /^(?:x-)?idempoten(?:cy|ce|t)-?key$/i

/** The forms of the keys that the client makes, each with an example. */
const keys = { uuid: "1b4e28ba-2fa1-4d2b-883f-0016d3cca427", hex: "1b4e28ba2fa14d2b883f0016d3cca427" }
type KeyFormat = keyof typeof keys

/** The form of a key that a document allows, if the client can make one. */
const keyFormat = ({ parameter: { shape }, schema }: Given): KeyFormat | undefined => {
  const format = text(schema, "format")
  const pattern = text(schema, "pattern") ?? ""
  const [least, most] = [property(schema, "minLength"), property(schema, "maxLength")]
  // the name of a text has its form, but for one of known values
  const isText =
    shape._tag === "Text" ||
    (shape._tag === "Reference" && text(schema, "type") === "string" && property(schema, "enum") === undefined)
  if (!isText || !/^$|uuid|guid|string|key/i.test(format ?? "")) return undefined
  const formats = format === "uuid" ? (["uuid"] as const) : (["uuid", "hex"] as const)
  return formats.find((format) => {
    const { length } = keys[format]
    return length >= Number(least ?? 0) && length <= Number(most ?? length) && Pattern.isMatch(pattern, keys[format])
  })
}

/** The path in the client's syntax. */
const pathOf = ({ fixed, path: template }: Template.Template, at: string, declared: ReadonlyMap<string, Given>) => {
  const renamed = new Map<string, string>()
  const variables = new Set<string>()
  // each variable has a pointer with the path in it
  if (template.length > longestPath) throw unsupported("path", at, `a path has at most ${longestPath} characters`)
  if (!template.startsWith("/")) throw unsupported("path", at, "a path begins with a slash")
  if (/[{}]/.test(fixed)) {
    const message = `a variable in the query of a path is a whole value, name={variable}: ${fixed}`
    throw unsupported("path", at, message)
  }
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(template)) {
    throw unsupported("path", at, "URLs leave out the segments . and .. of a path")
  }
  const parts = template.split(/\{([^{}]*)\}/)
  const names = Names.allocator(parts.filter((name, i) => i % 2 === 1 && isVariable(name)))
  const path = parts.map((part, i) => {
    if (i % 2 === 0) return literal(part, at)
    if (/^\w/.test(parts[i + 1] ?? "")) {
      throw unsupported("path", at, `nothing divides the variable ${part} from the text after it`)
    }
    if (!variables.has(part)) {
      variables.add(part)
      if (!isVariable(part)) {
        const name = Names.camel(part) || "value"
        renamed.set(part, names.take(inputs.has(name) || !isVariable(name) ? `${name}Param` : name))
      }
    }
    return `${literal(declared.get(part)?.prefix ?? "", at)}:${renamed.get(part) ?? part}`
  })
  return { path: path.join("") + (fixed && `?${literal(fixed, at)}`), renamed, variables: [...variables] }
}

const isVariable = (name: string) =>
  /^[A-Za-z_]\w*$/.test(name) && name.length <= 100 && !inputs.has(name) && !Object.hasOwn(Object.prototype, name)

/** A fixed part of a path or its query, in which a colon is doubled, and what URLs escape is escaped. */
const literal = (part: string, at: string): string => {
  if (!part.isWellFormed()) {
    throw unsupported("path", at, "a path cannot have half a surrogate pair")
  }
  return part.replace(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character)).replaceAll(":", "::")
}

interface Given {
  readonly where: string
  /** Before the value in a path (RFC 6570 §3.2.5 and §3.2.7). */
  readonly prefix?: string
  readonly parameter: Parameter
  readonly schema: unknown
}

const parameters = (context: Context): ReadonlyArray<Given> => {
  const { document, node, requests, warn } = context
  const credentials = Security.parameters(document, node)
  const found: Array<Given> = []
  for (const place of Endpoint.parameters(document, context)) {
    const { node: parameter, pointer: at } = place
    const name = text(parameter, "name") ?? ""
    const [media] = Media.all(document, place)
    const where = Media.place(document, parameter)
    const schema = media?.schema ?? inside(place, "schema")
    const isCredential = credentials.has(Security.keyOf(where, name))
    // what the credentials send can be left out
    const isRequired = parameter["required"] === true && !isCredential
    if (Endpoint.isOwn(where, name) || (isCredential && where === "cookie")) continue
    const isPlaced = ["path", "query", "header", "cookie"].includes(where)
    const code = isPlaced && where !== "cookie" ? "parameter-name" : "parameter-cookie"
    const problem = !isPlaced
      ? `${name} is in ${where}: operations have parameters in path, query, headers and cookies`
      : where === "path"
        ? undefined
        : misnamed(name, where)
    if (problem !== undefined) {
      if (isRequired) throw unsupported(code, at, problem)
      warn(code, at, `${isPlaced ? problem : `${name} is in ${where}`}: left out, since it is optional`)
      continue
    }
    const shape = requests.read(schema, `${name} Parameter`)
    const { prefix, separator } = where === "path" ? prefixOf(context, place, schema) : {}
    const style =
      media?.kind === "json" ? "json" : prefix === undefined ? styleOf(context, parameter, where, at) : undefined
    const isReserved = where === "query" && parameter["allowReserved"] === true
    const { node: described } = document.follow(schema)
    const comment = Comment.of({ ...(isObject(described) ? described : {}), ...parameter })
    const first = firstOf(described)
    found.push({
      where,
      ...(prefix !== undefined && { prefix }),
      schema: described,
      parameter: {
        name,
        shape,
        isRequired,
        comment,
        pointer: at,
        style,
        isReserved,
        first,
        ...(separator !== undefined && { separator })
      }
    })
  }
  return found
}

/** The number of the first page: the default of its parameter, or else 1, unless a page can be 0. */
const firstOf = (schema: unknown): number | undefined => {
  const [value, least] = [property(schema, "default"), property(schema, "minimum")]
  return Predicate.isNumber(value) ? value : least === 0 ? undefined : 1
}

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Why a parameter cannot have its name. */
const misnamed = (name: string, where: string): string | undefined => {
  if (inherited.has(name)) return `${name} is a name that every object has`
  return where !== "query" && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)
    ? `${name} cannot be the name of a ${where}`
    : undefined
}

/** What the styles `label` and `matrix` have before a value, and between the parts of one that is exploded. */
const prefixOf = (
  { document }: Context,
  { node }: Place,
  schema: Place
): { readonly prefix?: string; readonly separator?: string } => {
  const style = text(node, "style")
  if (style !== "label" && style !== "matrix") return {}
  const types = Keywords.typesOf(Keywords.collect(document, [schema]))
  const isExploded = property(node, "explode") === true
  const isNamed = isExploded && types.includes("object")
  const prefix = style === "label" ? "." : isNamed ? ";" : `;${text(node, "name") ?? ""}=`
  return { prefix, ...(isExploded && { separator: prefix }) }
}

const styleOf = ({ warn }: Context, parameter: JsonObject, where: string, at: string): Parameter["style"] => {
  const isForm = where === "query" || where === "cookie"
  const style = text(parameter, "style") ?? (isForm ? "form" : "simple")
  const explode = parameter["explode"] ?? (isForm && (style === "form" || style === "cookie"))
  if (where === "cookie") {
    if (style === "cookie") return explode === true ? "cookies" : style
    if (style !== "form") warn("parameter-style", at, `a cookie has no style ${style}: it is sent as form`)
    return explode === true ? undefined : "form"
  }
  if (where !== "query") {
    if (style !== "simple") warn("parameter-style", at, `a ${where} has no style ${style}: it is sent as simple`)
    return explode === true ? "pairs" : undefined
  }
  if (style === "deepObject") return style
  if (style === "spaceDelimited" || style === "pipeDelimited") return explode === true ? undefined : style
  return explode === true ? undefined : "form"
}

const payloadOf = (context: Context): Payload | undefined => {
  const { document, id, method, node, requests, warn } = context
  if (node["requestBody"] === undefined) return undefined
  const body = document.child(context, "requestBody")
  const isOptional = property(body.node, "required") !== true
  const all = Media.all(document, body)
  const [first] = all
  if (first === undefined) return undefined
  if (method === "get" || method === "head") {
    const message = `a ${method.toUpperCase()} request has no content (RFC 9110 §9.3)`
    if (!isOptional) throw unsupported("payload-method", body.pointer, message)
    warn("payload-method", body.pointer, `${message}: left out, since it is optional`)
    return undefined
  }
  const hasFile = ({ schema }: Media.Media) => Shape.has(requests.read(schema, `${id} Payload`), "Binary")
  const multipart = all.find((media) => media.kind === "multipart" && first.kind === "form" && hasFile(media))
  const chosen = Media.distinct(multipart === undefined ? all : [multipart, ...all])
  const left = all.filter((media) => !chosen.includes(media)).map(({ key }) => key)
  const kept = chosen.map(({ key }) => key).join(" or ")
  if (left.length > 0) warn("payload-type", pointer(body.pointer, "content"), `${kept} is sent, not ${left.join(", ")}`)
  return { isOptional, contents: chosen.flatMap(Media.each).map((media) => contentOf(context, media)) }
}

const contentOf = ({ id, requests }: Context, media: Media.Media): Content => {
  const { kind, schema } = media
  const common = { pointer: schema.pointer }
  const type = Media.concrete(media)
  if (!Media.isWritable({ ...media, type: type.replace(/;.*/, "") })) {
    throw unsupported("payload-type", schema.pointer, `${media.key} cannot be written`)
  }
  switch (kind) {
    case "json": {
      const shape = requests.read(schema, `${id} Payload`)
      return { ...common, kind, type, shape: requests.declare(shape, schema, `${id} Payload`) }
    }
    case "form":
    case "multipart": {
      const shape = requests.read(schema, `${id} Payload`)
      return { ...common, kind, shape, encoding: object(media.node, "encoding") }
    }
    case "bytes":
      return { ...common, kind: Media.isStream(media) ? "upload" : "bytes", type }
    case "text":
    case "lines":
    case "events":
      return { ...common, kind: "text", type }
  }
}

const successesOf = (context: Context): ReadonlyArray<Success> => {
  const { document, envelope, id, method, node, responses: reader, warn } = context
  const responses = inside(context, "responses")
  const keys = Responses.successes(document, object(node, "responses"))
  const [first] = keys
  if (first === undefined) {
    const declared = Object.keys(object(node, "responses")).join(", ")
    const message = `declares no success: ${declared}; a patch can add one (--patch)`
    throw unsupported("success-count", responses.pointer, message)
  }
  if (first === "default")
    warn("success-count", responses.pointer, "the default is the success, since no other is declared")
  const exact = keys.filter((status) => /^\d+$/.test(status))
  const chosen = keys.length > 1 && exact.length > 0 ? exact : keys
  for (const status of keys) {
    if (!chosen.includes(status)) {
      warn("status", pointer(responses.pointer, status), `${status} is left out beside its single statuses`)
    }
  }
  const declare = (place: Place, hint: string) => reader.declare(reader.read(place, hint), place, hint)
  // a guess holds for all successes, or for none
  const option = envelope === "auto" && node["x-envelope"] === true ? "declared" : envelope
  const hasEnvelopes =
    option !== "auto" ||
    chosen.every((status) => {
      const [media] = Media.all(document, document.child(responses, status))
      return media?.kind !== "json" || enveloped(document, media.schema, option) !== undefined
    })
  return chosen.flatMap((status): ReadonlyArray<Success> => {
    const response = document.child(responses, status)
    const code = /^\d+$/.test(status) ? Number(status) : undefined
    const hasLink = Object.keys(object(response.node, "headers")).some((name) => name.toLowerCase() === "link")
    const [media, ...rest] = Media.all(document, response)
    // a field of the request asks for one or the other
    const streams = media?.kind === "json" ? rest.filter(({ kind }) => kind === "events").slice(0, 1) : []
    const others = rest.filter((other) => !streams.includes(other))
    const empty: Success = { status: code, kind: "empty", type: "", shape: undefined, hasLink }
    if (status.startsWith("3")) {
      const [first, ...others] = chosen
      if (status !== first) return []
      warn("redirect", response.pointer, "the value is where a redirect leads, which browsers hide from pages")
      return [{ ...empty, kind: "redirect", others }]
    }
    if (media === undefined || method === "head" || code === 204 || code === 205) return [empty]
    if (others.length > 0) {
      const keys = others.map(({ key }) => key).join(", ")
      warn("success-types", pointer(response.pointer, "content"), `${media.key} is asked for, not ${keys}`)
    }
    const hint = `${id} ${chosen.length > 1 ? status : ""} Result`
    return [media, ...streams].map((media): Success => {
      const { full: type, schema } = media
      const isStream = media.kind === "events" || media.kind === "lines"
      const isPlain = media.kind === "form" || media.kind === "multipart"
      const kind = isPlain ? "bytes" : media.kind
      if (Media.isStream(media)) return { ...empty, kind: "stream", type }
      if (kind === "text" || kind === "bytes") return { ...empty, kind, type }
      if (isStream) {
        const item = Media.itemOf(document, media)
        return item === undefined
          ? { ...empty, kind: "stream", type }
          : { ...empty, kind, type, shape: declare(item, `${hint} Item`) }
      }
      const result = kind === "json" && hasEnvelopes ? enveloped(document, schema, option) : undefined
      if (result !== undefined) {
        const shape = result.node === undefined ? undefined : declare(result, hint)
        return { ...empty, kind: "envelope", type, shape }
      }
      return { ...empty, kind, type: Media.concrete(media), shape: declare(schema, hint) }
    })
  })
}

/** The result in an envelope, where the schema is one. */
const enveloped = (document: Document, schema: Place, option: string): Place | undefined => {
  if (option === "none") return undefined
  const whole = document.follow(schema)
  const names = Object.keys(object(whole.node, "properties"))
  const isAuto = option === "auto" || option === "declared"
  const name = isAuto ? "result" : option.replace(/^\//, "")
  const required = list(whole.node, "required")
  // of a request ID alone, the ID is the result
  const isEnvelope = isAuto
    ? names.includes("requestId") &&
      names.every((one) => ["status", "requestId", "result"].includes(one)) &&
      (option === "declared" ||
        (names.length > 1 &&
          (!names.includes("result") || required.includes("result")) &&
          (required.includes("status") || required.includes("requestId"))))
    : names.includes(name)
  return isEnvelope ? inside(whole, "properties", name) : undefined
}

const failuresOf = (context: Context): ReadonlyArray<Failure> => {
  const { document, id, method, node, responses: reader, warn } = context
  const responses = inside(context, "responses")
  const successes = Responses.successes(document, object(node, "responses"))
  return Object.keys(object(node, "responses")).flatMap((status): ReadonlyArray<Failure> => {
    const isDefault = status.toUpperCase() === "DEFAULT"
    if (status.startsWith("2") || status.startsWith("x-") || (successes.includes(status) && !isDefault)) return []
    if (!/^(?:[45](?:\d\d|XX)|default)$/i.test(status)) {
      const message = `${status} is neither a success nor a refusal: an unexpected status`
      warn("status", pointer(responses.pointer, status), message)
      return []
    }
    const response = document.child(responses, status)
    const all = Media.all(document, response)
    const [media] = all
    const normal = isDefault ? "default" : status.toUpperCase()
    if (media?.kind !== "json" || method === "head" || successes.includes(status))
      return [{ status: normal, shape: undefined, pointer: response.pointer }]
    // whichever of them arrives is read
    const bodies = Media.distinct(all).filter(({ kind }) => kind === "json")
    const shape = Shape.union(
      bodies.map(({ schema }) => reader.read(schema, `${id} ${status}`)),
      bodies.length > 1 ? { isAny: true } : {}
    )
    const isAny = shape._tag === "Empty" || (shape._tag === "Record" && shape.value._tag === "Json")
    return [{ status: normal, shape: isAny ? Shape.json : shape, pointer: media.schema.pointer }]
  })
}

/** The credentials of an operation: alternatives, each a list of schemes. */
const securityOf = ({ document, node, pointer: at, warn }: Context): OperationModel["security"] => {
  const alternatives = Security.alternatives(document, node, (name) =>
    warn("security", pointer(at, "security"), `${name} is declared nowhere: it is not sent`)
  )
  if (alternatives === undefined) return undefined
  // none at all is what is left when the client has no credentials for the others
  const some = alternatives.filter((names) => names.length > 0)
  return some.length > 0 && some.length < alternatives.length ? [...some, []] : some
}
