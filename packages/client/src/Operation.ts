import type * as Schema from "effect/Schema"
import type * as HttpHeaders from "effect/http/Headers"
import type * as Body from "./Body.ts"
import type { At, Problems } from "./internal/problems.ts"
import type * as Fields from "./internal/fields.ts"
import type { IdempotencyKey } from "./internal/idempotency.ts"
import type { Limits } from "./internal/limits.ts"
import type { Pagination } from "./internal/pagination.ts"
import type { Headers, Query } from "./internal/parameters.ts"
import type { ClientReason, CallError, Refusal } from "./CallError.ts"

export { idempotencyKey, type IdempotencyKey } from "./internal/idempotency.ts"
export { limits, type Limits } from "./internal/limits.ts"
export type { Reader } from "./internal/pages.ts"
export {
  cursor,
  link,
  offset,
  pageNumber,
  type Cursor,
  type Link,
  type Offset,
  type PageNumber,
  type Pagination
} from "./internal/pagination.ts"
export { headers, query, type Headers, type Query } from "./internal/parameters.ts"

/**
 * The name and version of an API.
 */
export interface Api {
  /** Such as `Pet Store`: spans and metrics begin with `pet_store`. */
  readonly name: string
  readonly version?: string
}

/**
 * HTTP methods (RFC 9110 §9) that an operation can have.
 */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"

/**
 * An operation, from which the client, the contract, the service, the OpenAPI document and the conformance suite derive
 * their behaviour.
 *
 * **Details**
 *
 * `params`, `query`, `headers`, `payload`, `success` and `errors` have the same meaning as in `HttpApiEndpoint`.
 */
export interface Any {
  /** The resource; the group of the client's method. */
  readonly group: string
  /** The verb; the name of the client's method. */
  readonly name: string
  readonly method: Method
  /**
   * Path template below the base URL. `:name` is a variable, which can be a part of a segment (`/:name.:ext`); `::` is a
   * colon (`/:id::activate`). A fixed query can follow (`/items?action=run`).
   */
  readonly path: `/${string}`
  /** Identifies the operation in its document: the `operationId` of OpenAPI, or method and path. */
  readonly id?: string
  /** One line for people: the OpenAPI summary. */
  readonly summary?: string
  /** More for people. */
  readonly description?: string
  /** Whether callers should stop using it. Default: false. */
  readonly deprecated?: boolean
  /** Names in the operation's document that are others here. */
  readonly names?: {
    /** The path's variables: the document's name, and that of the input. */
    readonly params?: { readonly [documented: string]: string }
  }
  /**
   * The path's variables, each with a schema whose encoded side is a string, or an array of strings, which are joined by
   * commas.
   */
  readonly params?: Schema.Codec<object, { readonly [name: string]: string | ReadonlyArray<string> }>
  /** Query parameters, created by {@link query}. */
  readonly query?: Query<Schema.Codec<object, Fields.Fields>>
  /** Headers of the request besides the client's own, created by {@link headers}. */
  readonly headers?: Headers<
    Schema.Codec<object, { readonly [name: string]: string | ReadonlyArray<string> | undefined }>
  >
  /** Content of the request. */
  readonly payload?: Body.Payload
  /** Content of a success; `Body.oneOf` declares several. */
  readonly success: Body.Success
  /**
   * The refusals that the operation declares: of those for one status, the first whose body fits. A status comes before
   * its range (`4XX`), and that before `default`.
   */
  readonly errors: ReadonlyArray<Refusal>
  /**
   * Whether the same request may be sent again if an attempt may have been applied. Default: `idempotent` for every
   * method except POST and PATCH (RFC 9110 §9.2.2). A request that was refused or never sent may always be sent again.
   */
  readonly repeat?: "idempotent" | "not-idempotent" | IdempotencyKey
  /** How a list is read page by page. */
  readonly pagination?: Pagination
  /**
   * The API that it belongs to: the name of its client in spans, metrics and the header `user-agent`. Default: `api`,
   * without a header.
   */
  readonly api?: Api
  /** Notes of programs, such as those of a service on its own operations. The client does not read them. */
  readonly annotations?: { readonly [name: string]: unknown }
  /**
   * The credentials that it needs: alternatives, each with the names of all schemes that go together. An empty list means
   * that none are sent. Default: the client's credentials.
   *
   * @see `Credentials.schemes`
   */
  readonly security?: ReadonlyArray<ReadonlyArray<string>>
  /** Limits of its calls, created by {@link limits}; they come before those of the client, and a caller's own come first. */
  readonly limits?: Limits
}

/**
 * The operation, or an object whose one property is a sentence that says what is wrong. In place of the parameter's type it
 * stands at the beginning of the compiler's message, whatever the types of the operation are. A value that does not fit
 * {@link Any} is inferred as `Any`; nothing more is required of it here, so that the compiler names the field that does not
 * fit.
 */
type Consistent<O extends Any> = Any extends O
  ? O
  : [Problems<O>[keyof Problems<O>]] extends [never]
    ? O
    : { readonly [Sentence in Problems<O>[keyof Problems<O>]]: never }

/**
 * Creates an operation.
 *
 * **Details**
 *
 * It returns its argument with all literal types preserved, and checks that its parts are consistent.
 *
 * **Gotchas**
 *
 * An inconsistency is a type error that describes it: "the path has :keyId, which params lacks".
 *
 * **Example** (Declaring an operation)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Operation from "@cloud-management/client/Operation"
 * import * as Schema from "effect/Schema"
 *
 * const getPet = Operation.make({
 *   group: "pets",
 *   name: "get",
 *   method: "GET",
 *   path: "/v1/pets/:petId",
 *   params: Schema.Struct({ petId: Schema.String }),
 *   success: Body.json(Schema.Struct({ name: Schema.String })),
 *   errors: []
 * })
 * ```
 *
 * **Example** (Exporting an operation under `isolatedDeclarations`)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Operation from "@cloud-management/client/Operation"
 *
 * interface Ping extends Operation.Any {
 *   readonly group: "health"
 *   readonly name: "ping"
 *   readonly method: "GET"
 *   readonly path: "/v1/ping"
 *   readonly success: typeof Body.empty
 *   readonly errors: readonly []
 * }
 *
 * export const ping: Ping = Operation.make({
 *   group: "health",
 *   name: "ping",
 *   method: "GET",
 *   path: "/v1/ping",
 *   success: Body.empty,
 *   errors: []
 * })
 * ```
 */
export function make<const O extends Any>(operation: Consistent<O>): O
export function make(operation: Any): Any {
  return operation
}

/**
 * Creates an operation whose type is declared, as generated code does.
 *
 * **Details**
 *
 * With `/* @__PURE__ *\/` before it, a bundler leaves out what it does not use: the function has all that it is made of.
 */
export const declare = <O extends Any>(operation: () => NoInfer<O>): O => operation()

/**
 * Returns `group.name`, the name of an operation in errors, logs and telemetry.
 */
export const nameOf = ({ group, name }: Pick<Any, "group" | "name">): string => `${group}.${name}`

type Part<O extends Any, Key extends "query" | "headers"> =
  O extends Readonly<Record<Key, { readonly schema: { readonly Type: infer Type } }>>
    ? {} extends Type
      ? { readonly [K in Key]?: Type }
      : { readonly [K in Key]: Type }
    : unknown

/**
 * The path's variables.
 */
export type Params<O extends Any> = O extends { readonly params: { readonly Type: infer Type } } ? Type : {}
// a conditional type, of which a compile error shows the parts instead of the name
type Parts<O> = O extends Any
  ? Params<O> &
      Part<O, "query"> &
      Part<O, "headers"> &
      (O extends { readonly payload: infer Payload extends Body.Payload }
        ? Payload extends { readonly optional: true }
          ? { readonly payload?: Payload["schema"]["Type"] }
          : { readonly payload: Payload["schema"]["Type"] }
        : unknown)
  : never
/** An object without fields; `{}` would be any value. */
type NoInput = { readonly [name: string]: never }
/**
 * The input of a call: the path's variables, and `query`, `headers` and `payload` if the operation declares them.
 */
export type Input<O extends Any> = Paged extends O ? object : [keyof Parts<O>] extends [never] ? NoInput : Parts<O>
/**
 * The arguments of a call; the input is optional if no part of it is required.
 */
export type Arguments<O extends Any> = {} extends Input<O> ? [input?: Input<O>] : [input: Input<O>]
/**
 * The decoded content of a success, including the whole envelope if there is one.
 */
export type Success<O extends Any> = O["success"]["schema"]["Type"]
/**
 * The return value of the client's method: the `result` of an envelope, or the whole content if there is none.
 */
export type Result<O extends Any> = O["success"] extends { readonly _tag: "Envelope" }
  ? "result" extends keyof Success<O>
    ? Success<O>["result"]
    : void
  : Success<O>
/**
 * A success with its content, status, headers and other details.
 */
export interface Exchange<out A> {
  /** The decoded content, including the whole envelope if there is one. */
  readonly value: A
  /** The HTTP status of the success; 404 for a deletion that is taken as done. */
  readonly status: number
  readonly headers: HttpHeaders.Headers
  /** Identifies the request in the service's logs: from the envelope, otherwise from the header `x-request-id`. */
  readonly requestId: string | undefined
  /** How many requests were made. */
  readonly attempts: number
}
/**
 * The refusals that the operation declares.
 */
export type Refusals<O extends Any> = O["errors"][number]["prototype"]
/**
 * The error of a call of the operation.
 */
export type Error<O extends Any> = CallError<Refusals<O> | ClientReason>

/**
 * An operation that declares its pagination.
 */
export type Paged = Any & { readonly pagination: Pagination }
/**
 * One item of a list that an operation reads page by page.
 */
export type Item<O extends Paged> =
  NonNullable<At<Success<O>, O["pagination"]["items"]>> extends ReadonlyArray<infer Item> ? Item : never

declare const calling: unique symbol
declare const methods: unique symbol

/**
 * How a client calls: the parameters and the result of the method of an operation. A client of Effects and one of promises
 * differ in it.
 */
export interface Calling {
  readonly operation: unknown
  readonly parameters: unknown
  readonly result: unknown
}

/**
 * The methods of a group, in the client that has them. Generated code declares them once for all clients, with the
 * documentation of each operation: an editor shows none of a mapped type.
 */
export interface Methods {
  /** The {@link Calling} of the client. */
  readonly [calling]?: unknown
}

/**
 * An operation with the declaration of the methods of its group.
 */
export interface Declared<O, M> extends Any {
  readonly [methods]?: readonly [O, M]
}

type Called<This extends Methods, O> =
  NonNullable<This[typeof calling]> extends infer C extends Calling ? C & { readonly operation: O } : never

/**
 * The parameters of an operation's method, in the client that has it.
 */
export type Parameters<This extends Methods, O extends Any> = Called<This, O>["parameters"] extends infer P extends
  ReadonlyArray<unknown>
  ? P
  : never

/**
 * The effect that an operation's method returns, in the client that has it.
 */
export type Returned<This extends Methods, O extends Any> = Called<This, O>["result"]

/** The methods of its group that an operation declares, if it is still the declared one. */
type DeclaredBy<O> = O extends { readonly [methods]?: readonly [infer Own, infer M] }
  ? O extends Own
    ? M
    : unknown
  : unknown

/**
 * The methods that the operations of a group declare, in a client that calls in one way; those that are made of its
 * operations, if they declare none, or if a program has put other operations into it.
 */
export type MethodsOf<Group, C extends Calling, Made> = {
  readonly [Name in keyof Group]: DeclaredBy<Group[Name]>
}[keyof Group] extends infer M extends Methods
  ? [keyof Group] extends [keyof M]
    ? [Exclude<keyof M, keyof Group>] extends [typeof calling]
      ? M & { readonly [calling]?: C }
      : Pick<M & { readonly [calling]?: C }, keyof Group & keyof M>
    : Made
  : Made
