import { property, text } from "../read/Json.ts"
import { attempt, type Omitted, Unsupported, unsupported } from "../read/Unsupported.ts"
import * as Comment from "./Comment.ts"
import type { Context, Options } from "./Context.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Failure from "./Failure.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as Parameter from "./Parameter.ts"
import * as Path from "./Path.ts"
import * as Payload from "./Payload.ts"
import * as Responses from "./Responses.ts"
import * as Security from "./Security.ts"
import * as Success from "./Success.ts"

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
  readonly params: ReadonlyArray<Parameter.Parameter>
  readonly query: ReadonlyArray<Parameter.Parameter>
  readonly headers: ReadonlyArray<Parameter.Parameter>
  readonly cookies: ReadonlyArray<Parameter.Parameter>
  readonly payload: Payload.Payload | undefined
  readonly successes: ReadonlyArray<Success.Success>
  readonly failures: ReadonlyArray<Failure.Failure>
  readonly security: ReadonlyArray<ReadonlyArray<string>> | undefined
  readonly idempotencyKey: IdempotencyKey.IdempotencyKey | undefined
  /** How the document says that a list is read page by page (`x-pagination`), if it does. */
  readonly pagination: unknown
  /** How the document says that all lists are read which fit. */
  readonly listPagination: unknown
}

/** The first segments of all paths of many services: they name no group. */
const isRoot = /^(?:api|v\d+(?:(?:alpha|beta)\d*)?)$/i

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

const modelOf = (context: Context): OperationModel => {
  const { id, item, key, method, node, pointer: at, tags, template, warn } = context
  if (!Responses.methods.includes(method)) {
    throw unsupported("method", at, `operations cannot have the method ${method.toUpperCase()}`)
  }
  if (property(node, "servers") !== undefined || property(item.node, "servers") !== undefined) {
    warn("server", at, "has servers of its own: it is sent to the base URL of the client")
  }
  const all = Parameter.all(context)
  const placed = (place: string) => all.filter(({ where }) => where === place).map(({ parameter }) => parameter)
  const [address = "", ...fragments] = template.split("#")
  if (fragments.length > 0) warn("path-fragment", at, "what follows # in the path only names it: it is not sent")
  const declared = new Map(all.filter(({ where }) => where === "path").map((one) => [one.parameter.name, one]))
  const { path, query: inQuery, renamed, variables, wild } = Path.of(address, at, declared)
  const variableOf = (name: string): Parameter.Parameter => {
    const parameter = declared.get(name)?.parameter
    return {
      ...(parameter ?? { shape: { _tag: "Text", checks: [] }, comment: [], pointer: at, style: undefined }),
      name: renamed.get(name) ?? name,
      isRequired: true,
      isReserved: parameter?.isReserved === true || wild.has(name)
    }
  }
  const undeclared = [...variables, ...inQuery.keys()].filter((name) => !declared.has(name))
  if (undeclared.length > 0)
    warn(
      "path-variable",
      at,
      `the path's ${undeclared.join(", ")} ${undeclared.length > 1 ? "are declared nowhere: texts" : "is declared nowhere: a text"}`
    )
  const [query, headers, cookies] = [placed("query"), placed("header"), placed("cookie")]
  const isWhole = headers.some(({ name }) => name.toLowerCase() === "cookie")
  if (isWhole && cookies.length > 0)
    warn("parameter-cookie", at, "its cookies are a part of its header Cookie, which callers write as a whole")
  const inPath = Array.from(inQuery).filter(([, name]) => !query.some((one) => one.name === name))
  const idempotencyKey = IdempotencyKey.of(context, all)
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
    params: variables.map(variableOf),
    query: [...inPath.map(([variable, name]) => ({ ...variableOf(variable), name })), ...query],
    // a caller can give its own key
    headers: headers.map((header) =>
      header.name.toLowerCase() === idempotencyKey?.header ? { ...header, isRequired: false } : header
    ),
    cookies: isWhole ? [] : cookies,
    payload: Payload.of(context),
    successes: Success.all(context),
    failures: Failure.all(context),
    security: Security.of(context),
    idempotencyKey,
    pagination: property(node, "x-pagination"),
    listPagination: property(context.document.root, "x-pagination")
  }
}
