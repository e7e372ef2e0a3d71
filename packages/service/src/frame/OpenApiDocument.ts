import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Registry } from "@cloud-management/client/Client"
import * as Contract from "@cloud-management/client/Contract"
import { nameOf, type Any } from "@cloud-management/client/Operation"
import * as Responses from "./wire/responses.ts"
import * as Representation from "./wire/representation.ts"
import type { Entry, Strict } from "./wire/strict.ts"

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const count = (example: number) => ({ type: "integer", minimum: 0, examples: [example] })

const header = (schema: object, description: string, required = true) => ({ schema, required, description })

const text = (example: string) => ({ type: "string", examples: [example] })

const headers = {
  "x-request-id": header(component("RequestId"), Representation.requestId),
  "x-ratelimit-limit": header(
    count(10),
    "Requests that the key may make in a window. Absent where no rate limit is set.",
    false
  ),
  "x-ratelimit-remaining": header(count(9), "Requests that the key has left in the current window.", false),
  "x-ratelimit-reset": header(
    { type: "number", examples: [9.75] },
    "Seconds from now until the window ends; may have a fraction.",
    false
  ),
  "retry-after": header(count(1), "Whole seconds to wait before the next request (RFC 9110 §10.2.3)."),
  "www-authenticate": header(text(Responses.challenge), "The required authentication (RFC 7617 §2)."),
  allow: header(text("GET, HEAD"), "The methods that the path supports (RFC 9110 §10.2.1).")
}

const named = (...names: ReadonlyArray<keyof typeof headers>) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const rateLimit = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] as const

/** The meaning of a status, an `error` that comes with it, and its own header. */
type Meaning = readonly [description: string, error?: string, own?: keyof typeof headers]

const meanings: Readonly<Record<number, Meaning>> = {
  400: [
    "The request is malformed or cannot be fulfilled: for example, an ID is not a UUID.",
    "BAD_REQUEST: The request is malformed"
  ],
  401: [
    "The credentials are missing, or do not belong to an active key.",
    "UNAUTHORIZED: Key is not found",
    "www-authenticate"
  ],
  403: [
    "The key does not belong to this organization, whether or not the organization exists.",
    "FORBIDDEN: The key is not for this organization"
  ],
  404: ["The organization has no such resource.", "NOT_FOUND: The resource is not found"],
  405: ["The path does not support this method.", "METHOD_NOT_ALLOWED: Use", "allow"],
  408: ["The request took too long to arrive.", "REQUEST_TIMEOUT: The request took too long to arrive"],
  413: ["The body is too large.", "CONTENT_TOO_LARGE: A request body may have at most 65536 bytes"],
  414: ["The path and query are too long.", "URI_TOO_LONG: A request target may have at most 2048 characters"],
  429: [
    "Too many requests of this key, or too many failed authentications from this address.",
    "TOO_MANY_REQUESTS: At most 10 requests in 10s",
    "retry-after"
  ],
  431: ["The headers are too large.", "HEADERS_TOO_LARGE: The head of a request may have at most 16384 bytes"],
  500: ["The service failed. The request may have been applied.", Responses.internalError.message],
  503: ["The service is temporarily unavailable.", Responses.unavailable.message, "retry-after"]
}

/** A response of the document, or where it stands. */
interface Response {
  readonly description?: string
  readonly headers?: object
  readonly content?: object
  readonly $ref?: string
}

const always = [405, 408, 413, 414, 431]

/** A refusal with a status, of a request that is counted or not, on a path with these methods. */
const refusal = (status: number, isCounted: boolean, allowed: string) => {
  const [description, message, own] = meanings[status] ?? ["The request is refused."]
  const error = status === 405 ? `${message} ${allowed}` : message
  return {
    description,
    headers: named("x-request-id", ...(isCounted ? rateLimit : []), ...(own === undefined ? [] : [own])),
    content: {
      "application/json": {
        schema: component("Failure"),
        ...(error !== undefined && { example: { status, error, requestId: Representation.exampleRequestId } })
      }
    }
  }
}

/** The parts of a document that the contract of the operations does not have. */
export interface Description {
  /** The schemas of bodies, each with its fields. */
  readonly schemas: Iterable<Entry>
  /** The variables of paths, by name. */
  readonly variables: Readonly<Record<string, string>>
  /** The groups and the operations, by name, as in `apiKeys` and `apiKeys.delete`. */
  readonly resources: Readonly<Record<string, string>>
  readonly operations: Readonly<Record<string, { readonly description: string; readonly success: string }>>
  readonly annotations: Context.Context<never>
}

const none: Description = { schemas: [], variables: {}, resources: {}, operations: {}, annotations: Context.empty() }

const beta = "Beta: the contract is declared stable, and no breaking change is expected."

/** An operation as its contract shows it, with the strict responses of this service. */
const shown = (operation: Any, details: Description["operations"], strict: Strict): Any => {
  const summary = operation.summary ?? nameOf(operation)
  const { description = operation.description ?? `${summary}.` } = details[nameOf(operation)] ?? {}
  return {
    ...operation,
    summary,
    description: operation.annotations?.["stability"] === "beta" ? `${description} ${beta}` : description,
    success: Representation.ofSuccess(operation, strict),
    // each has the same envelope here
    errors: []
  }
}

/** A page about the state of the service, for anyone, and the refusals that are its own. */
const page = (name: string, status: string, summary: string, description: string, statuses: ReadonlyArray<number>) =>
  HttpApiEndpoint.make("GET")(name, `/${name}`, {
    success: Schema.Struct({ status: Schema.Literal(status) }),
    error: statuses.map((status) => Representation.Failure.pipe(HttpApiSchema.status(status)))
  }).annotateMerge(OpenApi.annotations({ summary, description }))

const state = HttpApiGroup.make("service")
  .add(
    page(
      "health",
      "ok",
      "Check whether the service is alive",
      "Succeeds as long as the process is alive, even while its database is unavailable.",
      [400]
    ),
    page(
      "ready",
      "ready",
      "Check whether the service is ready",
      "Shows load balancers whether to send requests to this node.",
      [400, 500, 503]
    )
  )
  .annotate(OpenApi.Description, "The state of the service.")

const methods = ["get", "put", "post", "delete", "head", "patch", "options"] as const

/** Without `additionalProperties: false`, here or deeper: a client has to ignore what a later version adds. */
const open = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(open)
  if (!Predicate.isObject(value)) return value
  const kept = Object.entries(value).filter(([name, inner]) => name !== "additionalProperties" || inner !== false)
  return Object.fromEntries(kept.map(([name, inner]) => [name, open(inner)]))
}

/**
 * The contract of a registry with the exact responses of this service.
 *
 * **When to use**
 *
 * For generating documents; for an `HttpApiClient`, use `Contract.make` with the registry.
 */
export const api = (registry: Registry, said: Description = none) => {
  const strict = Representation.make(said.schemas)
  const known = new Map(
    Object.values(registry)
      .flatMap((group) => Object.values(group))
      .map((operation) => [operation.id ?? nameOf(operation), operation])
  )
  const derived = Contract.make(
    Record.map(registry, (group) => Record.map(group, (operation) => shown(operation, said.operations, strict)))
  )
    .add(state)
    .annotateMerge(said.annotations)
    .annotateMerge(
      OpenApi.annotations({
        license: { name: "MIT", identifier: "MIT" },
        servers: [{ url: "/", description: "The service that provides this document." }]
      })
    )
  const { components, paths, tags } = OpenApi.fromApi(derived)
  const responses: Record<string, unknown> = {}
  /** Each response stands once: those of one status that differ from the first say by their name where. */
  const share = (status: number, response: Response, variant: string): Response => {
    const text = JSON.stringify(response)
    const isFree = (name: string) => [undefined, text].includes(JSON.stringify(responses[name]))
    const name = [String(status), `${status}.${variant}`].find(isFree)
    if (name === undefined) return response
    responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }
  const mend = (written: OpenApi.OpenAPISpecOperation, allowed: string, isHead = false) => {
    const operation = known.get(written.operationId)
    const own =
      operation === undefined
        ? Object.keys(written.responses).map(Number)
        : operation.errors.map(({ status }) => status).filter(Predicate.isNumber)
    const refused = [...own, ...always].filter((status) => status >= 400)
    /** Derivation leaves a description with the schema, where readers of a parameter do not look. */
    const describe = ({ name, schema }: OpenApi.OpenAPISpecParameter) => {
      const described = "$ref" in schema ? components.schemas[String(schema.$ref).replace(/^.*\//, "")] : schema
      if (described !== undefined && "description" in described) return described.description
      const { repeat } = operation ?? {}
      return typeof repeat === "object" && repeat.header === name
        ? "Identifies the call. The service performs a call with the same value only once."
        : said.variables[name]
    }
    return {
      ...written,
      parameters: written.parameters.map((parameter) => ({ ...parameter, description: describe(parameter) })),
      responses: {
        ...Record.map(
          Record.filter(written.responses, (_, status) => Number(status) < 400),
          (response) => ({
            ...response,
            description:
              operation === undefined ? "It is." : (said.operations[nameOf(operation)]?.success ?? "Success."),
            headers: { ...response.headers, ...named("x-request-id", ...(operation === undefined ? [] : rateLimit)) }
          })
        ),
        ...Object.fromEntries(
          refused.map((status) => {
            const isCounted = operation !== undefined && own.includes(status) && status !== 401
            const { content, ...head } = refusal(status, isCounted, allowed)
            const variant = isHead ? "head" : operation === undefined ? "state" : allowed.replaceAll(", ", "-")
            return [status, share(status, isHead ? head : { ...head, content }, variant)]
          })
        )
      }
    }
  }
  /** As GET, without the body (RFC 9110 §9.3.2). */
  const head = (get: ReturnType<typeof mend>) => ({
    ...get,
    operationId: `${get.operationId}.head`,
    responses: Record.map(get.responses, ({ content: _none, ...response }) => response)
  })
  return derived.annotate(OpenApi.Override, {
    tags: tags.map((tag) => ({ ...tag, description: said.resources[tag.name] ?? tag.description })),
    paths: open(
      Record.map(paths, (path) => {
        const own = methods.flatMap((method) => (path[method] === undefined ? [] : [[method, path[method]] as const]))
        const allowed = own
          .flatMap(([method]) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
          .join(", ")
        return {
          ...Object.fromEntries(own.map(([method, operation]) => [method, mend(operation, allowed)])),
          ...(path.get && path.head === undefined && { head: head(mend(path.get, allowed, true)) })
        }
      })
    ),
    components: { ...components, headers, responses, schemas: open(components.schemas) }
  })
}

/** The OpenAPI 3.1 document of a service for a registry. */
export const make = (registry: Registry, description?: Description): OpenApi.OpenAPISpec =>
  OpenApi.fromApi(api(registry, description))
