import * as Predicate from "effect/Predicate"
import * as Comment from "./Comment.ts"
import type { Document, Located } from "./Document.ts"
import { isObject, type JsonObject, list, object, pointer, property, text } from "./Json.ts"
import * as Media from "./Media.ts"
import * as Names from "./Names.ts"
import { Refusal, type Refused, type Warn } from "./Refusal.ts"
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
  /** How an object or a list is written; absent: the default of its place. */
  readonly style: "form" | "spaceDelimited" | "pipeDelimited" | "deepObject" | "json" | "pairs" | undefined
}

/** One content that a request can have. */
export type Content = { readonly pointer: string } & (
  | { readonly kind: "json"; readonly type: string; readonly shape: Shape.Shape }
  | { readonly kind: "form" | "multipart"; readonly shape: Shape.Shape }
  | { readonly kind: "text" | "bytes" | "upload"; readonly type: string }
)

/** What a request can have as its content, the usual one first. */
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
}

/** A refusal that an operation declares. */
export interface Failure {
  readonly status: string
  readonly shape: Shape.Shape | undefined
  readonly pointer: string
}

/** An operation of a document, before it has names and is code. */
export interface Model {
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
  readonly payload: Payload | undefined
  readonly successes: ReadonlyArray<Success>
  readonly failures: ReadonlyArray<Failure>
  readonly security: ReadonlyArray<ReadonlyArray<string>> | undefined
  /** The header of an idempotency key. */
  readonly idempotencyKey: string | undefined
  /** How the document says that a list is read page by page (`x-pagination`). */
  readonly pagination: JsonObject
}

/** What reading needs. */
export interface Options {
  readonly document: Document
  readonly answers: Reader
  readonly requests: Reader
  readonly warn: Warn
  /** Which operations to read, by ID, tags and path. */
  readonly isIncluded: (id: string, tags: ReadonlyArray<string>, path: string) => boolean
  readonly envelope: string
}

const otherMethods = ["trace", "query"]
/** Headers that HTTP or the client sets. */
const ownHeaders = new Set(
  ("accept accept-encoding authorization connection content-length content-type host " + "transfer-encoding").split(" ")
)
/** Names that a call's input uses for its other parts. */
const inputs = new Set(["query", "headers", "payload"])

/** All operations of a document, and why others are refused. */
export const read = (options: Options) => {
  const { document } = options
  const models: Array<Model> = []
  const refused: Array<Refused> = []
  const ids = new Set<string>()
  const attempt = (id: string, run: () => void) => {
    try {
      run()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused.push({ id, code: error.code, pointer: error.pointer, message: error.message })
    }
  }
  for (const [template, entry] of Object.entries(object(document.root, "paths"))) {
    if (template.startsWith("x-")) continue
    attempt(template, () => {
      const item = document.follow(entry, pointer("#", "paths", template))
      const extra = Object.keys(object(item.value, "additionalOperations"))
      for (const method of [...Responses.methods, ...otherMethods, ...extra]) {
        const isExtra = extra.includes(method)
        const keys = isExtra ? ["additionalOperations", method] : [method]
        const operation = keys.reduce(property, item.value)
        if (!isObject(operation)) continue
        // documents of several files refer to operations, too
        const { pointer: at, value: node } = document.follow(operation, pointer(item.pointer, ...keys))
        if (!isObject(node)) continue
        const key = `${method.toUpperCase()} ${template}`
        const named = text(node, "operationId")
        const isUnique = named !== undefined && named !== "" && !ids.has(named)
        const id = isUnique ? named : key
        const tags = list(node, "tags").filter(Predicate.isString)
        if (!options.isIncluded(id, tags, template)) continue
        if (named !== undefined && !isUnique) options.warn("operation-id", at, `${named} has another operation: ${key}`)
        if (named === undefined) options.warn("operation-id", at, `has no operationId: ${key}`)
        ids.add(id)
        attempt(id, () => {
          if (!Responses.methods.includes(method)) {
            throw new Refusal({
              code: "method",
              pointer: at,
              message: `operations cannot have the method ${method.toUpperCase()}`
            })
          }
          models.push(modelOf({ ...options, at, id, item, key, method, node, tags, template, named }))
        })
      }
    })
  }
  return { models, refused }
}

interface Place extends Options {
  readonly at: string
  readonly id: string
  readonly named: string | undefined
  readonly item: Located
  readonly key: string
  readonly method: string
  readonly node: JsonObject
  readonly tags: ReadonlyArray<string>
  readonly template: string
}

const modelOf = (place: Place): Model => {
  const { at, id, key, method, node, tags, template, warn } = place
  if (property(node, "servers") !== undefined || property(place.item.value, "servers") !== undefined) {
    warn("server", at, "has servers of its own: it is sent to the base URL of the client")
  }
  const given = parameters(place)
  const [address = "", ...fragments] = template.split("#")
  if (fragments.length > 0) warn("path-fragment", at, "what follows # in the path only names it: it is not sent")
  const whole = Template.split(address)
  const declared = new Map(given.filter(({ where }) => where === "path").map((one) => [one.parameter.name, one]))
  const { path, renamed, variables } = pathOf(whole, at, declared)
  const variableOf = (name: string): Parameter => {
    const parameter = declared.get(name)?.parameter
    if (parameter === undefined) warn("path-variable", at, `the path's ${name} is declared nowhere: a text`)
    return {
      ...(parameter ?? { shape: { _tag: "Text", checks: [] }, comment: [], pointer: at, style: undefined }),
      name: renamed.get(name) ?? name,
      isRequired: true
    }
  }
  const params = variables.map(variableOf)
  const headers = given.filter(({ where }) => where === "header").map(({ parameter }) => parameter)
  const idempotency = headers.find(({ name }) => /^(?:x-)?idempotency-key$/i.test(name))
  const hasKey = idempotency !== undefined && method !== "get" && method !== "head"
  const declaredQuery = given.filter(({ where }) => where === "query").map(({ parameter }) => parameter)
  const inPath = Array.from(whole.query).filter(([, name]) => !declaredQuery.some((one) => one.name === name))
  const query = [...inPath.map(([variable, name]) => ({ ...variableOf(variable), name })), ...declaredQuery]
  return {
    id,
    key,
    pointer: at,
    tag: tags[0] ?? template.split("/").find((part) => /^[A-Za-z][\w-]*$/.test(part) && !/^v\d+$/.test(part)) ?? "api",
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
    headers: hasKey ? headers.filter((header) => header !== idempotency) : headers,
    payload: payloadOf(place),
    successes: successesOf(place),
    failures: failuresOf(place),
    security: securityOf(place),
    idempotencyKey: hasKey ? idempotency.name : undefined,
    pagination: object(node, "x-pagination")
  }
}

/** The path in the client's syntax. */
const pathOf = ({ fixed, path: template }: Template.Template, at: string, declared: ReadonlyMap<string, Given>) => {
  const renamed = new Map<string, string>()
  const variables: Array<string> = []
  if (!template.startsWith("/")) throw new Refusal({ code: "path", pointer: at, message: "a path begins with a slash" })
  if (/[{}]/.test(fixed)) {
    const message = `a variable in the query of a path is a whole value, name={variable}: ${fixed}`
    throw new Refusal({ code: "path", pointer: at, message })
  }
  const parts = template.split(/\{([^{}]*)\}/)
  const names = Names.allocator(parts.filter((name, i) => i % 2 === 1 && isVariable(name)))
  const path = parts.map((part, i) => {
    if (i % 2 === 0) return literal(part, at)
    if (/^\w/.test(parts[i + 1] ?? "")) {
      throw new Refusal({
        code: "path",
        pointer: at,
        message: `nothing divides the variable ${part} from the text after it`
      })
    }
    if (!variables.includes(part)) {
      variables.push(part)
      if (!isVariable(part)) {
        const name = Names.camel(part) || "value"
        renamed.set(part, names.take(inputs.has(name) || !isVariable(name) ? `${name}Param` : name))
      }
    }
    return `${literal(declared.get(part)?.prefix ?? "", at)}:${renamed.get(part) ?? part}`
  })
  return { path: path.join("") + (fixed && `?${literal(fixed, at)}`), renamed, variables }
}

const isVariable = (name: string) =>
  /^[A-Za-z_]\w*$/.test(name) && name.length <= 100 && !inputs.has(name) && !Object.hasOwn(Object.prototype, name)

/** A fixed part of a path or its query, in which a colon is doubled, and what URLs escape is escaped. */
const literal = (part: string, at: string): string => {
  if (!part.isWellFormed()) {
    throw new Refusal({ code: "path", pointer: at, message: "a path cannot have half a surrogate pair" })
  }
  return part.replace(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (character) => encodeURIComponent(character)).replaceAll(":", "::")
}

interface Given {
  readonly where: string
  /** What is before the value in a path (RFC 6570 §3.2.5 and §3.2.7). */
  readonly prefix: string | undefined
  readonly parameter: Parameter
}

/** The parameters of an operation; its own take the place of those of its path. */
const parameters = ({ at, document, item, node, requests, warn }: Place): ReadonlyArray<Given> => {
  const all = new Map<string, Located & { readonly node: JsonObject }>()
  const sources = [
    [item.value, item.pointer],
    [node, at]
  ] as const
  for (const [source, place] of sources) {
    for (const [i, entry] of list(source, "parameters").entries()) {
      const located = document.follow(entry, pointer(place, "parameters", i))
      if (!isObject(located.value)) continue
      all.set(`${String(located.value["in"])} ${String(located.value["name"])}`, { ...located, node: located.value })
    }
  }
  const credentials = Security.parameters(document, node)
  const found: Array<Given> = []
  for (const { node: parameter, pointer: place } of all.values()) {
    const name = text(parameter, "name") ?? ""
    const [media] = Media.all(parameter["content"])
    const where = Media.place(parameter)
    // what the credentials send can be left out
    const isRequired = parameter["required"] === true && !credentials.has(Security.keyOf(where, name))
    if (where === "header" && ownHeaders.has(name.toLowerCase())) continue
    if (!["path", "query", "header"].includes(where)) {
      const message = `${name} is in ${where}: operations have parameters in path, query and headers`
      if (isRequired) throw new Refusal({ code: "parameter-cookie", pointer: place, message })
      warn("parameter-cookie", place, `${name} is in ${where}: left out, since it is optional`)
      continue
    }
    const problem = where === "path" ? undefined : misnamed(name, where)
    if (problem !== undefined) {
      if (isRequired) throw new Refusal({ code: "parameter-name", pointer: place, message: problem })
      warn("parameter-name", place, `${problem}: left out, since it is optional`)
      continue
    }
    const schema = media === undefined ? parameter["schema"] : Media.schema(media)
    const schemaAt = media === undefined ? pointer(place, "schema") : pointer(place, "content", media.key, "schema")
    const shape = requests.read(schema, schemaAt, `${name} Parameter`)
    const prefix = where === "path" ? prefixOf(parameter, shape) : undefined
    const style = media?.kind === "json" ? "json" : prefix === undefined ? styleOf(parameter, where, place) : undefined
    const { value: described } = document.follow(schema, schemaAt)
    const comment = Comment.of({ ...(isObject(described) ? described : {}), ...parameter })
    found.push({ where, prefix, parameter: { name, shape, isRequired, comment, pointer: place, style } })
  }
  return found
}

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Why a parameter cannot have its name. */
const misnamed = (name: string, where: string): string | undefined => {
  if (inherited.has(name)) return `${name} is a name that every object has`
  return where === "header" && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)
    ? `${name} cannot be the name of a header`
    : undefined
}

/** The prefix of the styles `label` and `matrix`, which would repeat it for each part of what is exploded. */
const prefixOf = (parameter: JsonObject, { _tag }: Shape.Shape): string | undefined => {
  const isWhole = !["Array", "Struct", "Record", "Reference", "Union"].includes(_tag)
  if (parameter["explode"] === true && !isWhole) return undefined
  const style = text(parameter, "style")
  return style === "label" ? "." : style === "matrix" ? `;${text(parameter, "name") ?? ""}=` : undefined
}

const styleOf = (parameter: JsonObject, where: string, at: string): Parameter["style"] => {
  const style = text(parameter, "style") ?? (where === "query" ? "form" : "simple")
  const explode = parameter["explode"] ?? style === "form"
  if (style === "deepObject") return "deepObject"
  if (where !== "query") {
    if (style === "simple") return explode === true ? "pairs" : undefined
    throw new Refusal({ code: "parameter-style", pointer: at, message: `the style ${style} is not one of operations` })
  }
  if (style === "spaceDelimited" || style === "pipeDelimited") return explode === true ? undefined : style
  return explode === true ? undefined : "form"
}

const payloadOf = (place: Place): Payload | undefined => {
  const { at, document, id, method, node, requests, warn } = place
  if (node["requestBody"] === undefined) return undefined
  const { pointer: bodyAt, value: body } = document.follow(node["requestBody"], pointer(at, "requestBody"))
  const isOptional = property(body, "required") !== true
  const all = Media.all(property(body, "content"))
  const [first] = all
  if (first === undefined) return undefined
  if (method === "get" || method === "head") {
    const message = `a ${method.toUpperCase()} request has no content (RFC 9110 §9.3)`
    if (!isOptional) throw new Refusal({ code: "payload-method", pointer: bodyAt, message })
    warn("payload-method", bodyAt, `${message}: left out, since it is optional`)
    return undefined
  }
  const hasFile = (media: Media.Media) => hasBinary(requests.read(Media.schema(media), bodyAt, `${id} Payload`))
  const multipart = all.find((media) => media.kind === "multipart" && first.kind === "form" && hasFile(media))
  const chosen = Media.distinct(multipart === undefined ? all : [multipart, ...all])
  const left = all.filter((media) => !chosen.includes(media)).map(({ key }) => key)
  const kept = chosen.map(({ key }) => key).join(" or ")
  if (left.length > 0) warn("payload-type", pointer(bodyAt, "content"), `${kept} is sent, not ${left.join(", ")}`)
  return { isOptional, contents: chosen.map((media) => contentOf(place, media, bodyAt)) }
}

const contentOf = ({ id, requests }: Place, media: Media.Media, at: string): Content => {
  const schema = Media.schema(media)
  const schemaAt = pointer(at, "content", media.key, "schema")
  const common = { pointer: schemaAt }
  const type = media.type.includes("*") ? concrete(media.kind) : media.type
  if (!Media.isWritable({ ...media, type })) {
    throw new Refusal({ code: "payload-type", pointer: schemaAt, message: `${media.key} cannot be written` })
  }
  switch (media.kind) {
    case "json": {
      const shape = requests.read(schema, schemaAt, `${id} Payload`)
      return { ...common, kind: "json", type, shape: requests.declare(shape, schema, schemaAt, `${id} Payload`) }
    }
    case "form":
    case "multipart":
      return { ...common, kind: media.kind, shape: requests.read(schema, schemaAt, `${id} Payload`) }
    case "bytes":
      return { ...common, kind: Media.isStream(media) ? "upload" : "bytes", type }
    case "text":
    case "lines":
    case "events":
      return { ...common, kind: "text", type }
  }
}

const concrete = (kind: Media.Kind) =>
  kind === "json" ? "application/json" : kind === "text" ? "text/plain" : "application/octet-stream"

const hasBinary = (shape: Shape.Shape): boolean => shape._tag === "Binary" || Shape.parts(shape).some(hasBinary)

/** The encodings of a form's fields. */
export const encodingOf = (document: Document, payload: Content): JsonObject => {
  const media = document.at(payload.pointer.replace(/\/schema$/, ""), payload.pointer)
  return object(media, "encoding")
}

const successesOf = (place: Place): ReadonlyArray<Success> => {
  const { answers, at, document, envelope, id, method, node, warn } = place
  const responses = object(node, "responses")
  const keys = Responses.successes(document, responses)
  const [first] = keys
  const responsesAt = pointer(at, "responses")
  if (first === undefined) {
    const message = `declares no success: ${Object.keys(responses).join(", ")}; a patch can add one (--patch)`
    throw new Refusal({ code: "success-count", pointer: responsesAt, message })
  }
  if (first === "default") warn("success-count", responsesAt, "the default is the success, since no other is declared")
  const exact = keys.filter((status) => /^\d+$/.test(status))
  const chosen = keys.length > 1 && exact.length > 0 ? exact : keys
  for (const status of keys) {
    if (!chosen.includes(status)) {
      warn("status", pointer(responsesAt, status), `${status} is left out beside its single statuses`)
    }
  }
  return chosen.map((status): Success => {
    const { pointer: here, value: response } = document.follow(responses[status], pointer(responsesAt, status))
    const code = /^\d+$/.test(status) ? Number(status) : undefined
    const hasLink = Object.keys(object(response, "headers")).some((name) => name.toLowerCase() === "link")
    const contents = Media.all(property(response, "content"))
    const [media] = contents
    const empty: Success = { status: code, kind: "empty", type: "", shape: undefined, hasLink }
    if (status.startsWith("3")) {
      warn("redirect", here, "the value is where a redirect leads, which browsers hide from pages")
      return { ...empty, kind: "redirect" }
    }
    if (media === undefined || method === "head" || code === 204 || code === 205) return empty
    if (contents.length > 1) {
      const others = contents.slice(1).map(({ key }) => key)
      warn("success-types", pointer(here, "content"), `${media.key} is asked for, not ${others.join(", ")}`)
    }
    const isStream = media.kind === "events" || media.kind === "lines"
    const isPlain = media.kind === "form" || media.kind === "multipart"
    const kind = isStream && chosen.length > 1 ? "text" : isPlain ? "bytes" : media.kind
    if (Media.isStream(media) && chosen.length === 1) return { ...empty, kind: "stream", type: media.type }
    if (kind === "text" || kind === "bytes") return { ...empty, kind, type: media.type }
    const hint = `${id} ${chosen.length > 1 ? status : ""} Result`
    const contentAt = pointer(here, "content", media.key)
    if (isStream) {
      const item = Media.itemOf(document, media, contentAt)
      if (item === undefined) return { ...empty, kind: "stream", type: media.type }
      const shape = answers.read(item.value, item.pointer, `${hint} Item`)
      const declared = answers.declare(shape, item.value, item.pointer, `${hint} Item`)
      return { ...empty, kind, type: media.type, shape: declared }
    }
    const schema = Media.schema(media)
    const schemaAt = pointer(contentAt, "schema")
    const result = kind === "json" ? enveloped(document, schema, schemaAt, envelope) : undefined
    if (result !== undefined) {
      const shape =
        result.node === undefined
          ? undefined
          : answers.declare(answers.read(result.node, result.pointer, hint), result.node, result.pointer, hint)
      return { ...empty, kind: "envelope", type: media.type, shape }
    }
    const shape = answers.read(schema, schemaAt, hint)
    const type = media.type.includes("*") ? "application/json" : media.type
    return { ...empty, kind, type, shape: answers.declare(shape, schema, schemaAt, hint) }
  })
}

/** The result in an envelope, where the schema is one. */
const enveloped = (document: Document, schema: unknown, at: string, option: string) => {
  if (option === "none") return undefined
  const { pointer: place, value } = document.follow(schema, at)
  const properties = object(value, "properties")
  const names = Object.keys(properties)
  const isEnvelope =
    option === "auto"
      ? names.includes("requestId") && names.every((name) => ["status", "requestId", "result"].includes(name))
      : names.includes(option.replace(/^\//, ""))
  if (!isEnvelope) return undefined
  const name = option === "auto" ? "result" : option.replace(/^\//, "")
  return { node: properties[name], pointer: pointer(place, "properties", name) }
}

const failuresOf = ({ answers, at, document, id, method, node, warn }: Place): ReadonlyArray<Failure> => {
  const successes = Responses.successes(document, object(node, "responses"))
  return Object.entries(object(node, "responses")).flatMap(([status, entry]): ReadonlyArray<Failure> => {
    const isDefault = status.toUpperCase() === "DEFAULT"
    if (status.startsWith("2") || status.startsWith("x-") || (successes.includes(status) && !isDefault)) return []
    if (!/^(?:[45](?:\d\d|XX)|default)$/i.test(status)) {
      warn(
        "status",
        pointer(at, "responses", status),
        `${status} is neither a success nor a refusal: an unexpected status`
      )
      return []
    }
    const { pointer: here, value: response } = document.follow(entry, pointer(at, "responses", status))
    const [media] = Media.all(property(response, "content"))
    const normal = isDefault ? "default" : status.toUpperCase()
    if (media?.kind !== "json" || method === "head" || successes.includes(status))
      return [{ status: normal, shape: undefined, pointer: here }]
    const schema = Media.schema(media)
    const schemaAt = pointer(here, "content", media.key, "schema")
    const shape = answers.read(schema, schemaAt, `${id} ${status}`)
    // a body that says nothing is as good as none
    const isAny = shape._tag === "Json" || (shape._tag === "Record" && shape.value._tag === "Json")
    return [{ status: normal, shape: isAny ? undefined : shape, pointer: schemaAt }]
  })
}

/** The credentials of an operation: alternatives, each a list of schemes. Client certificates belong to the connection. */
const securityOf = ({ at, document, node, warn }: Place): Model["security"] => {
  const given = node["security"] ?? document.root["security"]
  if (!Array.isArray(given)) return undefined
  const schemes = object(object(document.root, "components"), "securitySchemes")
  const alternatives = given.filter(isObject).map((alternative) =>
    Object.keys(alternative).filter((name) => {
      const scheme = property(schemes, name)
      if (scheme === undefined) warn("security", pointer(at, "security"), `${name} is declared nowhere: it is not sent`)
      return scheme !== undefined && text(document.follow(scheme, at).value, "type") !== "mutualTLS"
    })
  )
  // none at all is what is left when the client has no credentials for the others
  const some = alternatives.filter((names) => names.length > 0)
  return some.length > 0 && some.length < alternatives.length ? [...some, []] : some
}
