import type * as Brand from "effect/Brand"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as HttpMethod from "effect/http/HttpMethod"
import type * as Multipart from "effect/http/Multipart"
import * as EffectApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Body from "./Body.ts"
import type { Registry } from "./Client.ts"
import type * as CallError from "./CallError.ts"
import { pathOf, payloadOf, successOf } from "./internal/endpoint.ts"
import { errorsOf } from "./internal/endpointErrors.ts"
import { type Code, codecOf, fieldsOf, Problem } from "./internal/endpointSchema.ts"
import { isOwned } from "./internal/parameters.ts"
import { Source } from "./internal/source.ts"
import * as Operation from "./Operation.ts"

/**
 * An endpoint that the client cannot call, and why.
 */
export interface Unsupported {
  /** The endpoint's identifier in its document. */
  readonly id: string
  /** The same code for the same cause. */
  readonly code: Code
  /** The endpoint's place: `group/endpoint`. */
  readonly pointer: string
  /** Why it cannot be called, and what to do. */
  readonly message: string
}

// not by inference, which makes one of two types if one extends the other
type Codec<S, Encoded = unknown> = S extends Schema.Constraint ? Schema.Codec<S["Type"], Encoded> : never

/** A part of an operation, where the endpoint has one. */
type Part<Name extends string, S, Value> = [S] extends [never] ? unknown : { readonly [Key in Name]: Value }

interface WithoutContent {
  readonly method: "GET" | "HEAD" | "OPTIONS"
}

/** The schemas of the query; it also has the payload of a method without content. */
type QueryOf<Endpoint> =
  | HttpApiEndpoint.Query<Endpoint>
  | (Endpoint extends WithoutContent ? HttpApiEndpoint.Payload<Endpoint> : never)

type PayloadOf<Endpoint> = Endpoint extends WithoutContent ? never : HttpApiEndpoint.Payload<Endpoint>

/** A server has the files of a form on its disk; a caller has them as a `File` or another `Blob`. */
type FileOf<Field> = Field extends Multipart.PersistedFile
  ? Blob
  : Field extends ReadonlyArray<Multipart.PersistedFile>
    ? ReadonlyArray<Blob>
    : Field

type FormOf<Type> = { readonly [Name in keyof Type]: FileOf<Type[Name]> }

type PayloadTypeOf<S> = S extends HttpApiSchema.StreamUint8Array
  ? Body.Source
  : S extends Schema.Constraint
    ? Filled<S["Type"]>
    : never

type Filled<Type> = Type extends
  | Brand.Brand<HttpApiSchema.MultipartTypeId>
  | Brand.Brand<HttpApiSchema.MultipartStreamTypeId>
  ? FormData | FormOf<Brand.Brand.Unbranded<Type>>
  : Type

type Streamed = HttpApiSchema.StreamUint8Array | { readonly _tag: "StreamNdjson" | "StreamSse"; readonly mode: string }

type SuccessOf<S> = [S] extends [HttpApiSchema.StreamUint8Array]
  ? Body.Streaming<Uint8Array>
  : [S] extends [HttpApiSchema.StreamNdjson<infer Item>]
    ? Body.Streaming<Item["Type"]>
    : [S] extends [HttpApiSchema.StreamSse<infer _Events, infer _Error, infer Item>]
      ? Body.Streaming<Item>
      : Body.Json<Codec<S>>

/** The `_tag` of an error, or its status: the tag of the refusal that carries it. */
type TagOf<E> = E extends { readonly _tag: infer Tag extends string }
  ? Tag
  : E extends HttpApiSchema.withHeaders<infer Inner, unknown>
    ? TagOf<Inner>
    : `Status${number}`

type RefusalOf<E> = E extends unknown ? CallError.RefusalClass<TagOf<E>, number, Schema.Codec<E, unknown>> : never

/** The parts that no call has, as far as types know them; the rest is in `unsupported` only. */
type Uncallable<Endpoint extends HttpApiEndpoint.Constraint> = Endpoint extends Sourced
  ? never
  :
      | (Endpoint extends { readonly method: Operation.Method } ? never : "method")
      | (Endpoint extends {
          readonly path: `${string}*` | `${string}:${string}(${string}` | `${string}?` | `${string}?/${string}`
        }
          ? "path"
          : never)
      | ([HttpApiEndpoint.ClientServices<Endpoint>] extends [never] ? never : "services")
      | ([HttpApiEndpoint.Params<Endpoint>] extends [never]
          ? never
          : keyof HttpApiEndpoint.Params<Endpoint>["Type"] & ("query" | "headers" | "payload"))
      | ([HttpApiEndpoint.Query<Endpoint>] extends [never]
          ? never
          : Endpoint extends WithoutContent
            ? [HttpApiEndpoint.Payload<Endpoint>] extends [never]
              ? never
              : "payload-type"
            : never)
      | (Extract<HttpApiEndpoint.Payload<Endpoint>, { readonly mode: "ndjson" }> extends never ? never : "payload-type")
      | (Extract<Endpoint["~Success"], { readonly protocol: string }> extends never ? never : "upgrade")
      | ([Extract<Endpoint["~Success"], Streamed>] extends [never]
          ? never
          : [Endpoint["~Success"]] extends [Streamed]
            ? never
            : "success-type")
      | (Endpoint["~Success"] extends HttpApiSchema.WithHeaders<infer Inner, infer _Headers>
          ? Inner extends Streamed
            ? "success-type"
            : never
          : never)

/** An endpoint that `Contract.make` made of an operation. */
interface Sourced {
  readonly "~operation": Operation.Any
}

type OperationOf<Group extends string, Endpoint extends HttpApiEndpoint.Constraint> = {
  readonly group: Group
  readonly name: Endpoint["identifier"]
  readonly method: Operation.Method
  readonly path: `/${string}`
  readonly success: SuccessOf<Endpoint["~Success"]>
  readonly errors: ReadonlyArray<RefusalOf<HttpApiEndpoint.Errors<Endpoint>>>
} & Part<
  "params",
  HttpApiEndpoint.Params<Endpoint>,
  Codec<HttpApiEndpoint.Params<Endpoint>, { readonly [name: string]: string }>
> &
  Part<"query", QueryOf<Endpoint>, Operation.Query<Codec<QueryOf<Endpoint>, { readonly [name: string]: string }>>> &
  Part<
    "headers",
    HttpApiEndpoint.Headers<Endpoint>,
    Operation.Headers<Codec<HttpApiEndpoint.Headers<Endpoint>, { readonly [name: string]: string }>>
  > &
  Part<"payload", PayloadOf<Endpoint>, Body.Json<Schema.Codec<PayloadTypeOf<PayloadOf<Endpoint>>, unknown>>>

/**
 * The groups of an `HttpApi` as a registry, without the endpoints whose types say that they cannot be called.
 */
type RegistryOf<Groups extends HttpApiGroup.Constraint> = {
  readonly [Group in Groups as Group["identifier"]]: {
    readonly [
      Endpoint in HttpApiGroup.Endpoints<Group> as [Uncallable<Endpoint>] extends [never]
        ? Endpoint["identifier"]
        : never
    ]: Endpoint extends Sourced ? Endpoint["~operation"] : OperationOf<Group["identifier"], Endpoint>
  }
}

/** The names of an endpoint's security schemes, each an alternative. */
const securityOf = (middleware: ReadonlySet<HttpApiMiddleware.AnyService>): NonNullable<Operation.Any["security"]> =>
  [...middleware]
    .filter(HttpApiMiddleware.isSecurity)
    .reduce<ReadonlyArray<ReadonlyArray<string>>>(
      (before, { security }) => before.flatMap((names) => Object.keys(security).map((name) => [...names, name])),
      [[]]
    )
    .filter(({ length }) => length > 0)

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const isMethod = (method: string): method is Operation.Method => methods.has(method)

type Reflected = Parameters<Parameters<typeof EffectApi.reflect>[1]["onEndpoint"]>[0]

/** The operation of an endpoint. Throws the problem of one that the client cannot call. */
const operationOf = (reflected: Reflected): Operation.Any => {
  const { endpoint, errors, group, mergedAnnotations, middleware, successes } = reflected
  const noted = <Key, A>(key: Context.Key<Key, A>) => Option.getOrUndefined(Context.getOption(mergedAnnotations, key))
  const source = noted(Source)
  if (source !== undefined) {
    // its group can have a prefix by now
    const path = `/${endpoint.path.slice(1)}` as const
    return source.path === path ? source : { ...source, path }
  }
  const parts = { success: successOf(endpoint, successes), errors: errorsOf(errors), security: securityOf(middleware) }
  const { headers, identifier: name, method, params } = endpoint
  if (!isMethod(method)) throw new Problem("method", `the client does not send ${method}: use HttpApiClient here`)
  const path = pathOf(endpoint.path, params)
  const taken = headers && Array.from(fieldsOf(headers)).find(([name, isRequired]) => isRequired && isOwned(name))
  if (taken) throw new Problem("headers", `the client sets the header ${taken[0]}: leave it out, or make it optional`)
  const schemas = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  const inQuery = HttpMethod.hasBody(method) ? [] : schemas
  const [query, ...others] = [...(endpoint.query ? [endpoint.query] : []), ...inQuery]
  if (others.length > 0) {
    throw new Problem("payload-type", `the query of ${method} has several schemas: declare it as one`)
  }
  const payload = payloadOf(inQuery.length > 0 ? [] : schemas)
  const [id, summary, description] = [noted(OpenApi.Identifier), noted(OpenApi.Summary), noted(OpenApi.Description)]
  return {
    group: group.identifier,
    name,
    method,
    path,
    id: id ?? `${group.identifier}.${name}`,
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(noted(OpenApi.Deprecated) === true && { deprecated: true }),
    ...(params && { params: codecOf(params) }),
    ...(query && { query: Operation.query(codecOf(query)) }),
    ...(headers && { headers: Operation.headers(codecOf(headers)) }),
    ...(payload && { payload }),
    ...parts
  }
}

/**
 * Makes a registry of an Effect `HttpApi`, for `Client.make`.
 *
 * **When to use**
 *
 * For a service that is declared with `HttpApi`: its client gets deadlines, retries, outcomes, pacing and exact errors.
 *
 * **Details**
 *
 * An endpoint that the client cannot call is left out, and listed in `unsupported`. An `HttpApi` that `Contract.make` made
 * gives the operations that it was made of. The errors of an endpoint are refusals that carry the decoded error as their
 * `body`; their tag is the error's own `_tag`, or `Status409` where it has none. Of several successes the value is that of
 * the one that came, and of several payloads the first that fits is sent. A form takes a `FormData`, or its fields with a
 * `File` or another `Blob` for each persisted file.
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
 */
export function fromHttpApi<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: EffectApi.HttpApi<Id, Groups>
): { readonly operations: RegistryOf<Groups>; readonly unsupported: ReadonlyArray<Unsupported> }
export function fromHttpApi<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: EffectApi.HttpApi<Id, Groups>
): { readonly operations: Registry; readonly unsupported: ReadonlyArray<Unsupported> } {
  const operations = new Map<string, Map<string, Operation.Any>>()
  const unsupported: Array<Unsupported> = []
  EffectApi.reflect(api, {
    onGroup: ({ group }) => void operations.set(group.identifier, new Map()),
    onEndpoint: (reflected) => {
      const group = reflected.group.identifier
      const name = reflected.endpoint.identifier
      try {
        operations.get(group)?.set(name, operationOf(reflected))
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem
        const { code, message } = problem
        unsupported.push({ id: `${group}.${name}`, code, pointer: `${group}/${name}`, message })
      }
    }
  })
  const all = Array.from(operations, ([group, named]) => [group, Object.fromEntries(named)] as const)
  return { operations: Object.fromEntries(all), unsupported }
}
