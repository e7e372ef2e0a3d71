import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Registry } from "@cloud-management/core/Client"
import * as Contract from "@cloud-management/core/Contract"
import { nameOf, type Any } from "@cloud-management/core/Operation"
import { operations } from "@cloud-management/core/Operations"
import * as Answers from "./wire/answers.ts"
import * as Representation from "./wire/representation.ts"

const requestId = { "x-request-id": Representation.RequestId }

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const header = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  identifier: string,
  example: S["Type"],
  description: string
) => schema.annotate({ identifier, description, examples: [example] })

const rateLimit = {
  "x-ratelimit-limit": Schema.optionalKey(
    header(
      count,
      "RateLimitLimit",
      10,
      "Requests that the key may make in a window. Absent where no rate limit is set."
    )
  ),
  "x-ratelimit-remaining": Schema.optionalKey(
    header(count, "RateLimitRemaining", 9, "Requests that the key has left in the current window.")
  ),
  "x-ratelimit-reset": Schema.optionalKey(
    header(Schema.Finite, "RateLimitReset", 9.75, "Seconds from now until the window ends; may have a fraction.")
  )
}

const retryAfter = {
  "retry-after": header(count, "RetryAfter", 1, "Whole seconds to wait before the next request (RFC 9110 §10.2.3).")
}

const challenge = {
  "www-authenticate": header(
    Schema.String,
    "Challenge",
    Answers.challenge,
    "The required authentication (RFC 7617 §2)."
  )
}

const allow = {
  allow: header(Schema.String, "Allow", "GET, HEAD", "The methods that the path supports (RFC 9110 §10.2.1).")
}

/** What a status means, an `error` that comes with it, and its own headers. */
interface Meaning {
  readonly description: string
  readonly error?: string
  readonly headers?: Schema.Struct.Fields
}

const refusals: Readonly<Record<number, Meaning>> = {
  400: {
    description: "The request is malformed or cannot be fulfilled: for example, an ID is not a UUID.",
    error: "BAD_REQUEST: The request is malformed"
  },
  401: {
    description: "The credentials are missing, or do not belong to an active key.",
    error: "UNAUTHORIZED: Key is not found",
    headers: challenge
  },
  403: {
    description: "The key does not belong to this organization, whether or not the organization exists.",
    error: "FORBIDDEN: The key is not for this organization"
  },
  404: {
    description: "The organization has no such resource.",
    error: "NOT_FOUND: The resource is not found"
  },
  405: {
    description: "The path does not support this method.",
    headers: allow
  },
  408: {
    description: "The request took too long to arrive.",
    error: "REQUEST_TIMEOUT: The request took too long to arrive"
  },
  413: {
    description: "The body is too large.",
    error: "CONTENT_TOO_LARGE: A request body may have at most 65536 bytes"
  },
  414: {
    description: "The path and query are too long.",
    error: "URI_TOO_LONG: A request target may have at most 2048 characters"
  },
  429: {
    description: "Too many requests of this key, or too many failed authentications from this address.",
    error: "TOO_MANY_REQUESTS: At most 10 requests in 10s",
    headers: retryAfter
  },
  431: {
    description: "The headers are too large.",
    error: "HEADERS_TOO_LARGE: The head of a request may have at most 16384 bytes"
  },
  500: {
    description: "The service failed. The request may have been applied.",
    error: "INTERNAL_ERROR: The service failed"
  },
  503: {
    description: "The service is temporarily unavailable.",
    error: "SERVICE_UNAVAILABLE: The service is temporarily unavailable",
    headers: retryAfter
  }
}

/** What any request may be refused with, whatever it asks for. */
const always = [405, 408, 413, 414, 431]

/** Refusals with these statuses, of requests that are counted or not, and those of any request. */
const refused = (statuses: ReadonlyArray<number>, counted: Schema.Struct.Fields = {}) =>
  [...statuses, ...always].map((status) => {
    const { description, headers }: Meaning = refusals[status] ?? { description: "The request is refused." }
    return HttpApiSchema.WithHeaders(Representation.Failure.pipe(HttpApiSchema.status(status)), {
      ...requestId,
      ...(statuses.includes(status) && status !== 401 && counted),
      ...headers
    }).annotate({ description })
  })

/** What the document says of a resource beyond its name. */
const resources: ReadonlyMap<object, string> = new Map<object, string>([
  [operations.organizations, "Organizations, the tenants of the platform."],
  [operations.apiKeys, "The keys that give access to the API."],
  [operations.reversePrivateEndpoints, "Connections from a service into a customer's own network."]
])

/** What the document says of an operation beyond its summary. */
interface Detail {
  readonly description: string
  readonly success: string
}

const details: ReadonlyMap<Any, Detail> = new Map<Any, Detail>([
  [
    operations.organizations.list,
    {
      description: "Returns a list with exactly one organization: that of the calling key.",
      success: "The organization of the calling key."
    }
  ],
  [
    operations.apiKeys.delete,
    {
      description:
        "Deletes one API key of an organization. The next request with the deleted key is refused. The key that authenticates this request cannot be deleted.",
      success: "The key is deleted."
    }
  ],
  [
    operations.reversePrivateEndpoints.get,
    { description: "Returns one reverse private endpoint of a service.", success: "The endpoint." }
  ]
])

const beta = "Beta: the contract is declared stable, and no breaking change is expected."

const idempotencyKey = Schema.String.annotate({
  identifier: "IdempotencyKey",
  description: "Identifies the call. The service performs a call with the same value only once."
})

const isParameter = (field: unknown): field is Schema.Codec<unknown, string | undefined> => Schema.isSchema(field)

/** The fields of a struct, which are strings on the wire. */
const fieldsOf = (schema: unknown) =>
  Predicate.hasProperty(schema, "fields") && Predicate.isObject(schema.fields)
    ? Record.filter(schema.fields, isParameter)
    : {}

/** The contract's endpoint, with the strict responses of this service. */
const endpoint = (operation: Any) => {
  const summary = operation.summary ?? nameOf(operation)
  const { description = operation.description ?? `${summary}.`, success = "Success." } = details.get(operation) ?? {}
  return HttpApiEndpoint.make(operation.method)(operation.name, operation.path, {
    // headers keep their JSON types: seconds are an integer, not a text that holds one
    disableCodecs: true,
    params: Record.map(fieldsOf(operation.params), (variable, name) =>
      variable.annotate({ description: Representation.variables[name] })
    ),
    query: fieldsOf(operation.query?.schema),
    headers: {
      ...fieldsOf(operation.headers?.schema),
      ...(typeof operation.repeat === "object" && { [operation.repeat.header]: idempotencyKey })
    },
    ...(operation.payload !== undefined && { payload: Contract.schemasOf(operation.payload) }),
    success: Representation.ofSuccess(operation).map((schema) =>
      HttpApiSchema.WithHeaders(schema, { ...requestId, ...rateLimit }).annotate({ description: success })
    ),
    error: refused([...new Set(operation.errors.map(({ status }) => status).filter(Predicate.isNumber))], rateLimit)
  })
    .annotateMerge(
      OpenApi.annotations({
        summary,
        description: operation.stability === "beta" ? `${description} ${beta}` : description,
        override: {
          "x-stability": operation.stability ?? "stable",
          ...(operation.deprecated === true && { deprecated: true }),
          ...(operation.id !== undefined && { operationId: operation.id })
        }
      })
    )
    .middleware(Contract.Authentication)
}

type Group = HttpApiGroup.HttpApiGroup<string, ReturnType<typeof endpoint>>

/** A group for each resource of a registry. */
const groups = (registry: Registry): ReadonlyArray<Group> =>
  Object.entries(registry).flatMap(([name, named]) => {
    const [first, ...rest] = Object.values(named).map(endpoint)
    if (first === undefined) return []
    const group = HttpApiGroup.make(name).add(first, ...rest)
    const description = resources.get(named)
    return [description === undefined ? group : group.annotate(OpenApi.Description, description)]
  })

/** A page about the state of the service, for anyone. */
const page = (
  name: string,
  text: {
    readonly identifier: string
    readonly status: string
    readonly summary: string
    readonly description: string
  },
  statuses: ReadonlyArray<number>
) =>
  HttpApiEndpoint.make("GET")(name, `/${name}`, {
    disableCodecs: true,
    success: HttpApiSchema.WithHeaders(
      Schema.Struct({ status: Schema.Literal(text.status) }).annotate({ identifier: text.identifier }),
      requestId
    ).annotate({ description: "It is." }),
    error: refused(statuses)
  }).annotateMerge(OpenApi.annotations({ summary: text.summary, description: text.description }))

const state = HttpApiGroup.make("service")
  .add(
    page(
      "health",
      {
        identifier: "Health",
        status: "ok",
        summary: "Check whether the service is alive",
        description: "Succeeds as long as the process is alive, even while its database is unavailable."
      },
      [400]
    ),
    page(
      "ready",
      {
        identifier: "Readiness",
        status: "ready",
        summary: "Check whether the service is ready",
        description: "Shows load balancers whether to send requests to this node."
      },
      [400, 500, 503]
    )
  )
  .annotate(OpenApi.Description, "The state of the service.")

/** A refusal's body, for a status that is one, on a path with these methods. */
const exampleOf = (status: number, allowed: string) => {
  const error = status === 405 ? `METHOD_NOT_ALLOWED: Use ${allowed}` : refusals[status]?.error
  return error === undefined ? {} : { example: { status, error, requestId: Representation.exampleRequestId } }
}

/** As GET, without the body (RFC 9110 §9.3.2). */
const head = (get: OpenApi.OpenAPISpecOperation): OpenApi.OpenAPISpecOperation => ({
  ...get,
  operationId: `${get.operationId}.head`,
  responses: Record.map(get.responses, ({ content: _none, ...response }) => response)
})

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
 *
 * @category constructors
 * @since 0.1.0
 */
export const api = (registry: Registry) => {
  const [first = state, ...rest] = groups(registry)
  const derived = HttpApi.make(Contract.Api.identifier)
    .add(first, ...rest, state)
    .annotateMerge(registry === operations ? Contract.Api.annotations : OpenApi.annotations({}))
    .annotateMerge(
      OpenApi.annotations({
        license: { name: "MIT", identifier: "MIT" },
        servers: [{ url: "/", description: "The service that provides this document." }]
      })
    )
  const { components, paths } = OpenApi.fromApi(derived)
  /** Derivation leaves a description with the schema, where readers of a parameter or a header do not look. */
  const describe = <A extends { readonly schema: object }>(item: A) => {
    const { schema } = item
    const shown = "$ref" in schema ? components.schemas[String(schema.$ref).replace(/^.*\//, "")] : schema
    return { ...item, ...(shown !== undefined && "description" in shown && { description: shown.description }) }
  }
  const mend = (operation: OpenApi.OpenAPISpecOperation, allowed: string) => ({
    ...operation,
    parameters: operation.parameters.map(describe),
    responses: Record.map(operation.responses, (response, status) => ({
      ...response,
      content: Record.map(response.content ?? {}, (media) => ({
        ...media,
        ...exampleOf(Number(status), allowed)
      })),
      headers: Record.map(response.headers ?? {}, describe)
    }))
  })
  return derived.annotate(OpenApi.Override, {
    paths: Record.map(paths, (path) => {
      const own = methods.flatMap((method) => (path[method] === undefined ? [] : [[method, path[method]] as const]))
      const allowed = own
        .flatMap(([method]) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
        .join(", ")
      return {
        ...Object.fromEntries(own.map(([method, operation]) => [method, open(mend(operation, allowed))])),
        ...(path.get && path.head === undefined && { head: open(head(mend(path.get, allowed))) })
      }
    }),
    components: { ...components, schemas: open(components.schemas) }
  })
}

/**
 * The OpenAPI 3.1 document of a service for a registry.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (registry: Registry): OpenApi.OpenAPISpec => OpenApi.fromApi(api(registry))

/**
 * The OpenAPI 3.1 document of our service.
 *
 * @category constants
 * @since 0.1.0
 */
export const document: OpenApi.OpenAPISpec = make(operations)
