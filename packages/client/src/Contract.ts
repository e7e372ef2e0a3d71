import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Headers from "effect/http/Headers"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Body from "./Body.ts"
import type { Registry } from "./Client.ts"
import type { Refusal, Refused } from "./CallError.ts"
import type { Basic } from "./Credentials.ts"
import * as Envelope from "./Envelope.ts"
import { transform, withColons } from "./internal/openApi.ts"
import * as Head from "./internal/head.ts"
import { property } from "./internal/property.ts"
import { refusedOf } from "./internal/response.ts"
import { Source } from "./internal/source.ts"
import type * as Operation from "./Operation.ts"

/** `retry-after` as text, with the time of day at which it is read: it can be a date (RFC 9110 §10.2.3). */
const RetryAfter = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({ text: Schema.String, nowMillis: Schema.Finite }),
    SchemaTransformation.transformEffect({
      decode: (text) => Effect.map(Clock.currentTimeMillis, (nowMillis) => ({ text, nowMillis })),
      encode: ({ text }) => Effect.succeed(text)
    })
  )
)
const headers = { "retry-after": Schema.optionalKey(RetryAfter), date: Schema.optionalKey(Schema.String) }

type RetryAfter = (typeof RetryAfter)["Type"]

/**
 * The refusal's body, `retry-after` and `date` on the wire, the refusal's class in the program.
 * `HttpApi` takes headers only where one error has the status.
 */
function wire<E extends Refused>(refusal: Refusal<E>, all: ReadonlyArray<Refusal>): Schema.Codec<E, unknown>
function wire(refusal: Refusal, all: ReadonlyArray<Refusal>): Schema.Codec<Refused, unknown> {
  const status = statusOf(refusal, all)
  const own = refusal.rule?.body
  // one that its status alone says declares no body
  const isEmpty = refusal.rule?.isVague === true && own === undefined
  const body: Schema.Codec<unknown, unknown> = isEmpty ? Schema.Void : (own ?? Envelope.Failure)
  const instance = Schema.declare((value): value is Refused => value instanceof refusal)
  const decode = (body: unknown, date?: string, read?: RetryAfter) => {
    const fields = Headers.fromInput({ "retry-after": read?.text, date })
    const millis = read && Head.retryAfter({ status, headers: fields, nowMillis: read.nowMillis })
    const requestId = property(body, "requestId")
    return refusedOf(refusal, {
      message: [property(body, "error"), property(body, "message")].find(Predicate.isString) ?? `HTTP ${status}`,
      ...(Predicate.isString(requestId) && { requestId }),
      ...(millis !== undefined && { retryAfter: Duration.millis(millis) }),
      ...(own && { body }),
      status
    })
  }
  const encode = ({ message, requestId, ...rest }: Refused): unknown => {
    if (isEmpty) return undefined
    return own ? property(rest, "body") : { status, error: message, ...(requestId !== undefined && { requestId }) }
  }
  if (all.filter((other) => other.status === refusal.status).length > 1 || typeof refusal.status !== "number") {
    return body.pipe(
      Schema.decodeTo(instance, SchemaTransformation.transform({ decode: (body) => decode(body), encode })),
      HttpApiSchema.status(status)
    )
  }
  return instance.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: body.pipe(HttpApiSchema.status(status)), headers },
      {
        decode: ({ body, headers: { date, "retry-after": read } }) => decode(body, date, read),
        encode: (refused) => ({
          body: encode(refused),
          headers: {
            ...(refused.retryAfter !== undefined && {
              "retry-after": { text: String(Math.ceil(Duration.toSeconds(refused.retryAfter))), nowMillis: 0 }
            })
          }
        })
      }
    )
  )
}

/** `HttpApi` has one status for each error: of a range, and for the rest, the first that no other error has. */
const statusOf = ({ status }: Refusal, all: ReadonlyArray<Refusal>): number => {
  if (typeof status === "number") return status
  let free = status === "4XX" ? 400 : status === "5XX" ? 500 : 600
  while (all.some((other) => other.status === free)) free++
  return free
}

/**
 * HTTP Basic with an API key, as a middleware of `HttpApi` that provides nothing to handlers.
 *
 * @see {@link layerAuthorization} for the client's side
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()(
  "@cloud-management/client/Contract/Authentication",
  {
    requiredForClient: true,
    security: {
      basic: HttpApiSecurity.basic.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key: its ID is the user name, its secret the password.")
      )
    }
  }
) {}

type ParamsOf<O extends Operation.Any> = O extends { readonly params: infer S extends Schema.Top } ? S : never
/** The schema of a part that an operation may have. */
type PartOf<O extends Operation.Any, Part extends "query" | "headers" | "payload"> = O extends {
  readonly [Name in Part]: { readonly schema: infer S extends Schema.Top }
}
  ? S
  : never
type WireOf<Class> = Class extends Refusal<infer E> ? ReturnType<typeof wire<E>> : never

/**
 * An operation as an `HttpApiEndpoint`.
 */
export type Endpoint<O extends Operation.Any> = HttpApiEndpoint.HttpApiEndpoint<
  O["name"],
  O["method"],
  O["path"],
  ParamsOf<O>,
  PartOf<O, "query">,
  PartOf<O, "payload">,
  PartOf<O, "headers">,
  O["success"]["schema"],
  WireOf<O["errors"][number]>,
  Authentication
> & {
  /** The operation that it was made of. */
  readonly "~operation": O
}

/**
 * The operations of a resource as an `HttpApiGroup`.
 */
type Group<Name extends string, Operations extends Registry[string]> = HttpApiGroup.HttpApiGroup<
  Name,
  { readonly [Key in keyof Operations]: Endpoint<Operations[Key]> }[keyof Operations]
>

/**
 * A registry as an `HttpApi`.
 */
type ApiOf<Operations extends Registry> = HttpApi.HttpApi<
  "Api",
  { readonly [Name in keyof Operations & string]: Group<Name, Operations[Name]> }[keyof Operations & string]
>

/** The content of a body in the form that `HttpApi` uses: a schema with annotations. */
const schemaOf = (
  body: Body.SinglePayload | Body.SingleSuccess | Body.Redirect | Body.Streaming<unknown>
): Schema.Top => {
  const status = "status" in body ? (body.status ?? 200) : 200
  const schema = contentOf(body)
  return status === 200 || body._tag === "Empty" || body._tag === "Redirect"
    ? schema
    : schema.pipe(HttpApiSchema.status(status))
}

const contentOf = (body: Parameters<typeof schemaOf>[0]): Schema.Top => {
  switch (body._tag) {
    case "Json":
      return body.contentType === "application/json"
        ? body.schema
        : body.schema.pipe(HttpApiSchema.asJson({ contentType: body.contentType }))
    case "Envelope":
      return body.schema
    case "Multipart":
      return body.schema.pipe(HttpApiSchema.asMultipart())
    case "Upload":
      return HttpApiSchema.StreamUint8Array({ contentType: body.contentType })
    case "Stream":
      return streamOf(body)
    case "Form":
      return body.schema.pipe(HttpApiSchema.asFormUrlEncoded())
    case "Text":
      return Schema.String.pipe(HttpApiSchema.asText({ contentType: body.contentType }))
    case "Bytes":
      return Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: body.contentType }))
    case "Empty":
      return body.status === undefined ? HttpApiSchema.NoContent : HttpApiSchema.Empty(body.status)
    case "Redirect":
      return body.schema.pipe(
        HttpApiSchema.encodeToWithHeaders(
          { body: HttpApiSchema.Empty(body.status), headers: { location: Schema.String } },
          {
            decode: ({ headers }) => headers.location,
            encode: (location) => ({ body: undefined, headers: { location } })
          }
        )
      )
  }
}

const streamOf = ({ accept, framing, item = Schema.Unknown, named }: Body.Streaming<unknown>): Schema.Top => {
  switch (framing) {
    case "bytes":
      return HttpApiSchema.StreamUint8Array({ contentType: accept })
    case "lines":
      return HttpApiSchema.StreamNdjson({ schema: item })
    case "events":
      return HttpApiSchema.StreamSse({
        data: named === undefined ? item : Schema.Union([item, ...Object.values(named)])
      })
  }
}

/**
 * Everything that a payload or a success can be, each in the form that `HttpApi` uses.
 */
const schemasOf = (body: Body.Payload | Body.Success): ReadonlyArray<Schema.Top> =>
  body._tag === "OneOf"
    ? body.bodies.map(schemaOf)
    : body._tag === "Choice"
      ? body.payloads.map(schemaOf)
      : [schemaOf(body)]

const endpoint = (operation: Operation.Any) => {
  const { description, errors, headers, id, params, payload, query, summary } = operation
  const statuses = errors.map((refusal) => [String(statusOf(refusal, errors)), String(refusal.status)] as const)
  return HttpApiEndpoint.make(operation.method)(operation.name, operation.path, {
    params,
    query: query?.schema,
    headers: headers?.schema,
    payload: payload && schemasOf(payload),
    success: schemasOf(operation.success),
    error: errors.map((refusal) => wire(refusal, errors))
  })
    .annotateMerge(
      OpenApi.annotations({
        summary,
        description,
        identifier: id,
        deprecated: operation.deprecated || undefined,
        transform: transform(operation, new Map(statuses))
      })
    )
    .annotate(Source, operation)
    .middleware(Authentication)
}

/**
 * Creates an `HttpApi` from your own registry.
 *
 * @see {@link Api} for the operations of the API
 */
export function make<const Operations extends Registry>(operations: Operations): ApiOf<Operations>
export function make(operations: Registry): object {
  const groups = Object.entries(operations).map(([name, group]) => {
    const [first, ...rest] = Object.values(group).map(endpoint)
    return first === undefined ? HttpApiGroup.make(name) : HttpApiGroup.make(name).add(first, ...rest)
  })
  const [first, ...rest] = groups
  const api = HttpApi.make("Api").annotate(OpenApi.Transform, withColons)
  return first === undefined ? api : api.add(first, ...rest)
}

/**
 * Adds the credentials to every request of an `HttpApiClient` for an API of {@link make}.
 */
export const layerAuthorization = ({
  keyId,
  keySecret
}: Basic): Layer.Layer<HttpApiMiddleware.ForClient<Authentication>> =>
  HttpApiMiddleware.layerClient(Authentication, ({ next, request }) =>
    Effect.suspend(() => next(HttpClientRequest.basicAuth(request, keyId, keySecret)))
  )
