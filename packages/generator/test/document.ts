import { Record } from "effect"

export interface Parts {
  /** Of OpenAPI; 3.1.0 if absent. */
  readonly version?: string
  /** By method and path. An operation without responses has no content. */
  readonly operations?: Readonly<Record<string, object>>
  /** Operations that send a value and read another one of the same schema, by ID. */
  readonly puts?: Readonly<Record<string, object>>
  /** Paths that are references, or have more than operations. */
  readonly paths?: Readonly<Record<string, object>>
  readonly schemas?: object
  readonly components?: object
  readonly security?: ReadonlyArray<object>
}

export const empty = { description: "" }
export const none = { "204": empty }

export const make = ({
  components,
  paths: others,
  puts = {},
  schemas,
  security,
  version = "3.1.0",
  ...parts
}: Parts) => {
  const paths: Record<string, object> = { ...others }
  const operations = [...Object.entries(puts).map(([id, schema]) => put(id, schema)), parts.operations ?? {}]
  for (const [key, operation] of operations.flatMap((all) => Object.entries(all))) {
    const [method = "", path = ""] = key.split(/ (.*)/)
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: none, ...operation } }
  }
  const info = { title: "A document", version: "1" }
  return { openapi: version, info, security, paths, components: { schemas, ...components } }
}

export const having = (schema: object, type = "application/json", key = "schema") => ({
  description: "",
  content: { [type]: { [key]: schema } }
})
export const ok = (schema: object, type?: string, key?: string) => ({ "200": having(schema, type, key) })
export const body = (schema: object, type = "application/json", rest: object = {}) => ({
  required: true,
  content: { [type]: { schema, ...rest } }
})
const content = (schemas: Readonly<Record<string, object>>) => Record.map(schemas, (schema) => ({ schema }))
export const contents = (schemas: Readonly<Record<string, object>>) => ({ required: true, content: content(schemas) })
export const either = (schemas: Readonly<Record<string, object>>) => ({ description: "", content: content(schemas) })
export const form = (schema: object, rest?: object) => body(schema, "application/x-www-form-urlencoded", rest)
export const parts = (schema: object, rest?: object) => body(schema, "multipart/form-data", rest)
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const at = (key: string, operationId: string, parameters: ReadonlyArray<object>, responses: object = none) => ({
  [key]: { operationId, parameters, responses }
})
export const get = (id: string, parameters: ReadonlyArray<object> = [], responses?: object) =>
  at(`GET /${id}`, id, parameters, responses)
export const send = (method: string, id: string, requestBody: object, responses: object = none) => ({
  [`${method} /${id}`]: { operationId: id, requestBody, responses }
})
export const put = (id: string, schema: object) => ({
  [`PUT /${id}`]: { operationId: id, tags: ["T"], requestBody: body(schema), responses: ok(schema) }
})
export const text = { type: "string" }
export const integer = { type: "integer" }
export const number = { type: "number" }
export const boolean = { type: "boolean" }
export const binary = { ...text, format: "binary" }
export const dateTime = { ...text, format: "date-time" }
export const uuid = { ...text, format: "uuid" }
export const int64 = { ...integer, format: "int64" }
export const known = (...values: ReadonlyArray<unknown>) => ({ ...text, enum: values })
export const list = (items: object) => ({ type: "array", items })
export const map = (additionalProperties: object) => ({ type: "object", additionalProperties })
export const object = (properties: object, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required
})
/** A schema whose alternatives, or heirs, are told apart by a field. */
export const by = (propertyName: string, schema: object, mapping?: object) => ({
  ...schema,
  discriminator: { propertyName, ...(mapping && { mapping }) }
})
export const path = (name: string, schema: object = text, rest: object = {}) => ({
  in: "path",
  name,
  required: true,
  schema,
  ...rest
})
export const query = (name: string, schema: object, rest: object = {}) => ({ in: "query", name, schema, ...rest })
export const cookie = (name: string, schema: object, rest: object = {}) => ({ in: "cookie", name, schema, ...rest })
export const header = (name: string, schema: object, rest: object = {}) => ({ in: "header", name, schema, ...rest })
