import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as HttpMethod from "effect/http/HttpMethod"
import * as EffectApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Body from "./Body.ts"
import type { Registry } from "./Client.ts"
import * as CallError from "./CallError.ts"
import * as Contract from "./Contract.ts"
import * as Operation from "./Operation.ts"
import * as Refusal from "./Refusal.ts"

/**
 * An endpoint that the client cannot call, and why.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refused {
  /** The endpoint's identifier in its document. */
  readonly id: string
  /** What is refused: the same code for the same cause. */
  readonly code: "method" | "path" | "payload-type" | "success-type" | "headers" | "upgrade"
  /** The endpoint's place: `group/endpoint`. */
  readonly pointer: string
  readonly message: string
}

type Codec<S> = S extends { readonly Type: infer Type } ? Schema.Codec<Type, unknown> : never

type Encoded<S, E> = S extends { readonly Type: infer Type } ? Schema.Codec<Type, E> : never

/** A part of an operation, where the endpoint has one. */
type Part<Name extends string, S, Value> = [S] extends [never] ? unknown : { readonly [Key in Name]: Value }

interface WithoutContent {
  readonly method: "GET" | "HEAD" | "OPTIONS"
}

/** The schemas of the query; it also has the payload of a method without content. */
type QueryOf<Endpoint> =
  | HttpApiEndpoint.Query<Endpoint>
  | (Endpoint extends WithoutContent ? HttpApiEndpoint.Payload<Endpoint> : never)

/**
 * An endpoint of an `HttpApi` as an operation.
 *
 * @category utility types
 * @since 0.1.0
 */
export type OperationOf<Group extends string, Endpoint extends HttpApiEndpoint.Constraint> = {
  readonly group: Group
  readonly name: Endpoint["identifier"]
  readonly method: Operation.Method
  readonly path: `/${string}`
  readonly success: Body.Json<Codec<HttpApiEndpoint.Success<Endpoint>>>
  readonly errors: ReadonlyArray<CallError.RefusalClass<string, number, Codec<HttpApiEndpoint.Error<Endpoint>>>>
} & Part<
  "params",
  HttpApiEndpoint.Params<Endpoint>,
  Encoded<HttpApiEndpoint.Params<Endpoint>, { readonly [name: string]: string }>
> &
  Part<"query", QueryOf<Endpoint>, Operation.Query<Encoded<QueryOf<Endpoint>, { readonly [name: string]: string }>>> &
  Part<
    "headers",
    HttpApiEndpoint.Headers<Endpoint>,
    Operation.Headers<Encoded<HttpApiEndpoint.Headers<Endpoint>, { readonly [name: string]: string }>>
  > &
  Part<
    "payload",
    Endpoint extends WithoutContent ? never : HttpApiEndpoint.Payload<Endpoint>,
    Body.Json<Codec<HttpApiEndpoint.Payload<Endpoint>>>
  >

/**
 * The groups of an `HttpApi` as a registry.
 *
 * @category utility types
 * @since 0.1.0
 */
export type RegistryOf<Groups extends HttpApiGroup.Constraint> = {
  readonly [Group in Groups as Group["identifier"]]: {
    readonly [Endpoint in HttpApiGroup.Endpoints<Group> as Endpoint["identifier"]]: OperationOf<
      Group["identifier"],
      Endpoint
    >
  }
}

/** What a schema decodes and encodes is the endpoint's to say. */
const isCodec = (value: unknown): value is Schema.Codec<never, never> => Schema.isSchema(value)

const codecOf = (schema: unknown): Schema.Codec<never, never> => {
  if (isCodec(schema)) return schema
  throw new TypeError("an endpoint has a part that is not a schema")
}

const encodingOf = SchemaAST.resolveAt<HttpApiSchema.Encoding>("~httpApiEncoding")
/** What `HttpApiSchema.encodeToWithHeaders` leaves. */
const headersOf = SchemaAST.resolveAt<{ readonly bodyCodec: Schema.Top }>("~httpApiWithHeaders")

/** A schema of a stream or of an upgrade, by the tag that Effect gives it. */
const special = (schema: object) => {
  const text = (name: string) => {
    const value = Predicate.hasProperty(schema, name) ? schema[name] : undefined
    return Predicate.isString(value) ? value : ""
  }
  return {
    kind: text("_tag"),
    contentType: text("contentType"),
    item: Predicate.hasProperty(schema, "schema") ? schema.schema : undefined
  }
}

/** Why an endpoint is refused. */
class Problem extends Error {
  readonly code: Refused["code"]
  constructor(code: Refused["code"], message: string) {
    super(message)
    this.code = code
  }
}

/** The content of a payload or a success. */
const contentOf = (schema: Schema.Top, code: Refused["code"]): Body.SinglePayload | Body.SingleSuccess => {
  const { _tag = "Json", contentType = "application/json" } = encodingOf(schema.ast) ?? {}
  const codec = codecOf(schema)
  switch (_tag) {
    case "Json":
      return Body.json(codec, contentType)
    case "FormUrlEncoded":
      return Body.form(codec)
    case "Text":
      return Body.text(contentType)
    case "Uint8Array":
      return Body.bytes(contentType)
    case "Multipart":
      return Body.multipart(codec)
  }
  throw new Problem(code, `the client has no content of the kind ${String(_tag)}`)
}

const payloadOf = (schemas: ReadonlyArray<Schema.Top>): Body.Payload | undefined => {
  const isOptional = schemas.some(({ ast }) => HttpApiSchema.isNoContent(ast))
  const bodies = schemas
    .filter(({ ast }) => !HttpApiSchema.isNoContent(ast))
    .map((schema): Body.SinglePayload => {
      const { contentType, kind } = special(schema)
      if (kind === "StreamUint8Array") return Body.upload(contentType)
      if (kind !== "") throw new Problem("payload-type", "the client sends streams of bytes only")
      const body = contentOf(schema, "payload-type")
      if ("write" in body) return body
      throw new Problem("payload-type", `the client sends no ${body._tag}`)
    })
  const [first] = bodies
  if (first === undefined) return undefined
  const payload = bodies.length === 1 ? first : Body.choice(...bodies)
  return isOptional ? Body.optional(payload) : payload
}

const successOf = (successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>): Body.Success => {
  const bodies = [...successes].flatMap(([status, schemas]) => schemas.map((schema) => ({ status, schema })))
  const [first] = bodies
  const stream = bodies.map(({ schema }) => special(schema)).find(({ kind }) => kind.startsWith("Stream"))
  if (stream !== undefined) {
    if (bodies.length > 1) throw new Problem("success-type", "a stream beside other successes")
    if (stream.kind === "StreamUint8Array") return Body.stream(stream.contentType)
    if (stream.kind === "StreamNdjson") return Body.jsonLines(codecOf(stream.item), stream.contentType)
    throw new Problem("success-type", "the client reads events by the schema of their data only")
  }
  const singles = bodies.map(({ schema, status }) => {
    if (special(schema).kind !== "") throw new Problem("upgrade", "the client does not upgrade connections")
    if (HttpApiSchema.isWithHeaders(schema) || headersOf(schema.ast))
      throw new Problem("headers", "headers of a success")
    if (HttpApiSchema.isNoContent(schema.ast)) return Body.status(status, Body.empty)
    const body = contentOf(schema, "success-type")
    if ("read" in body) return Body.status(status, body)
    throw new Problem("success-type", `the client reads no ${body._tag}`)
  })
  if (first === undefined || singles[0] === undefined) return Body.empty
  return singles.length === 1 ? singles[0] : Body.oneOf(...singles)
}

const errorsOf = (errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>): Operation.Any["errors"] =>
  [...errors].flatMap(([status, schemas]) =>
    schemas.map((schema) => {
      const tag = SchemaAST.resolveIdentifier(schema.ast) ?? `Status${status}`
      const body = headersOf(schema.ast)?.bodyCodec ?? schema
      return HttpApiSchema.isNoContent(body.ast) || (encodingOf(body.ast)?._tag ?? "Json") !== "Json"
        ? CallError.refusal(tag, status, Refusal.status)
        : CallError.refusal(tag, status, Refusal.body(codecOf(body)))
    })
  )

/** The names of an endpoint's security schemes, each an alternative. */
const securityOf = (middleware: ReadonlySet<HttpApiMiddleware.AnyService>): NonNullable<Operation.Any["security"]> =>
  [...middleware]
    .filter(HttpApiMiddleware.isSecurity)
    .reduce<ReadonlyArray<ReadonlyArray<string>>>(
      (before, { security }) =>
        before.length === 0
          ? Object.keys(security).map((name) => [name])
          : before.flatMap((names) => Object.keys(security).map((name) => [...names, name])),
      []
    )

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const isMethod = (method: string): method is Operation.Method => methods.has(method)
const isPath = (path: string): path is `/${string}` => path.startsWith("/") && !/[*?(]/.test(path)

/**
 * Makes a registry of an Effect `HttpApi`, for `Client.make`.
 *
 * **When to use**
 *
 * For a service that is declared with `HttpApi`: its client gets deadlines, retries, outcomes, pacing and exact errors.
 *
 * **Details**
 *
 * An endpoint that the client cannot call is left out, and listed in `refused`. An `HttpApi` that `Contract.make` made
 * gives the operations that it was made of. The errors of an endpoint are refusals that carry the decoded error as their
 * `body`; their tag is the schema's identifier.
 *
 * **Gotchas**
 *
 * Only endpoints that need no services to encode and decode can be called. A page that does not import this module holds
 * none of it.
 *
 * **Example** (Calling an HttpApi)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as EffectApi from "effect/http-api/HttpApi"
 * import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
 * import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
 * import * as Client from "@cloud-management/client/Client"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import { fromHttpApi } from "@cloud-management/client/HttpApi"
 *
 * const Users = HttpApiGroup.make("users").add(
 *   HttpApiEndpoint.get("get", "/users/:id", {
 *     params: { id: Schema.String },
 *     success: Schema.Struct({ name: Schema.String })
 *   })
 * )
 * const { operations } = fromHttpApi(EffectApi.make("example").add(Users))
 * const client = Client.make(operations, {
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.bearer("token")
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export function fromHttpApi<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: EffectApi.HttpApi<Id, Groups>
): { readonly operations: RegistryOf<Groups>; readonly refused: ReadonlyArray<Refused> }
export function fromHttpApi<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: EffectApi.HttpApi<Id, Groups>
): { readonly operations: Registry; readonly refused: ReadonlyArray<Refused> } {
  const operations = new Map<string, Array<Operation.Any>>()
  const refused: Array<Refused> = []
  const read = (
    group: string,
    endpoint: HttpApiEndpoint.Top,
    annotations: Context.Context<never>,
    parts: Pick<Operation.Any, "success" | "errors"> & { readonly security: NonNullable<Operation.Any["security"]> }
  ): Operation.Any => {
    const text = <Key>(key: Context.Key<Key, string>) => Option.getOrUndefined(Context.getOption(annotations, key))
    const { headers, identifier: name, method, params, path } = endpoint
    if (!isMethod(method)) throw new Problem("method", `the client has no ${method}`)
    if (!isPath(path)) throw new Problem("path", `the client has no path such as ${path}`)
    const schemas = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
    const inQuery = HttpMethod.hasBody(method) ? [] : schemas
    const [query, ...others] = [...(endpoint.query ? [endpoint.query] : []), ...inQuery]
    if (others.length > 0) throw new Problem("payload-type", `the query of ${method} has several schemas`)
    const payload = payloadOf(inQuery.length > 0 ? [] : schemas)
    const [id, summary, description] = [text(OpenApi.Identifier), text(OpenApi.Summary), text(OpenApi.Description)]
    return {
      group,
      name,
      method,
      path,
      id: id ?? `${group}.${name}`,
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      ...(Context.get(Context.merge(Context.make(OpenApi.Deprecated, false), annotations), OpenApi.Deprecated) && {
        deprecated: true
      }),
      ...(params && { params: codecOf(params) }),
      ...(query && { query: Operation.query(codecOf(query)) }),
      ...(headers && { headers: Operation.headers(codecOf(headers)) }),
      ...(payload && { payload }),
      ...parts
    }
  }
  EffectApi.reflect(api, {
    onGroup: ({ group }) => void operations.set(group.identifier, []),
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, middleware, successes }) => {
      const add = (operation: Operation.Any) => void operations.get(group.identifier)?.push(operation)
      const source = Option.getOrUndefined(Context.getOption(endpoint.annotations, Contract.Source))
      // its group can have a prefix by now
      const path = `/${endpoint.path.slice(1)}` as const
      if (source !== undefined) return add(source.path === path ? source : { ...source, path })
      try {
        add(
          read(group.identifier, endpoint, mergedAnnotations, {
            success: successOf(successes),
            errors: errorsOf(errors),
            security: securityOf(middleware)
          })
        )
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem
        const pointer = `${group.identifier}/${endpoint.identifier}`
        refused.push({ id: pointer.replace("/", "."), code: problem.code, pointer, message: problem.message })
      }
    }
  })
  return {
    operations: Object.fromEntries(
      Array.from(operations, ([group, list]) => [group, Object.fromEntries(list.map((one) => [one.name, one]))])
    ),
    refused
  }
}
