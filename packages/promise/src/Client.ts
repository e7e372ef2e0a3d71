/// <reference lib="esnext.disposable" preserve="true" />
import type * as Core from "@cloud-management/client/Client"
import type { Credentials } from "@cloud-management/client/Credentials"
import type * as Event from "@cloud-management/client/Event"
import type * as Operation from "@cloud-management/client/Operation"
import type * as Pagination from "@cloud-management/client/Pagination"
import type * as Brand from "effect/Brand"
import type * as DateTime from "effect/DateTime"
import type { Pipeable } from "effect/Pipeable"
import type * as Stream from "effect/Stream"
import type { Call } from "./Call.ts"

/** Operations by group and name. */
export type Registry = Core.Registry

/** Limits of each call, or of one; the default of a call is the client's. `Infinity` means no limit. */
interface Limits {
  /** How long an attempt may take, in milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined
  /**
   * How long a call may take, in milliseconds: all attempts and the waits between them. Default: 60,000. The first read of
   * `credentials` is not counted; it may take as long as an attempt.
   */
  readonly deadline?: number | undefined
  /**
   * How long each wait for the next part of a streamed result may take, and until the service takes the next part of a
   * stream that is sent, in milliseconds. Default: 60,000.
   */
  readonly stall?: number | undefined
  /** How often a failed call is sent again at most, if that is safe. Default: 2. */
  readonly maxRetries?: number | undefined
}

/** The options of a client. */
export interface Options extends Limits {
  /**
   * The URL of the service: absolute, `http` or `https`; a path is kept as a prefix. With `http`, credentials are sent in
   * plain text.
   */
  readonly baseUrl: string
  /**
   * They sign each request, such as `Credentials.bearer(token)` of `@cloud-management/client`; or a function that reads it
   * before the first call, before it ends (`Credentials.expiring`), and again after a 401. Default: none. They never appear
   * in an error.
   *
   * **Details**
   *
   * After a 401, one read serves all calls that were rejected with the same credentials. Each of them is sent again once if
   * they have changed. If they are the same, the read fails, or it takes longer than `timeout`, the 401 is final. If the
   * first read fails, the calls that wait for it reject with its error, and the next call reads again.
   */
  readonly credentials?: Credentials | (() => Credentials | Promise<Credentials>) | undefined
  /** Largest response body that is read, in bytes after decompression. Default: 10 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** The header of responses that identifies a request in the service's logs. Default: `x-request-id`. */
  readonly requestIdHeader?: string | undefined
  /**
   * Receives what happens in the client: each request with its response (`AttemptEnded`), the end of each call, retries,
   * credentials that cannot be renewed, a base URL without TLS. An error in it fails no call. Default: none.
   *
   * **Example** (Logging each request)
   *
   * ```ts
   * import { Client } from "@cloud-management/promise"
   *
   * const client = new Client({
   *   operations: {},
   *   baseUrl: "https://api.example.com",
   *   log: (event) => {
   *     if (event._tag !== "AttemptEnded") return
   *     const { attempts, method, seconds, status, url } = event
   *     console.log(`${method} ${url}: ${status}, ${Math.round(seconds * 1000)} ms, attempt ${attempts}`)
   *   }
   * })
   * ```
   */
  readonly log?: ((event: LogEvent) => unknown) | undefined
  /** Sends the requests, as `fetch` does. Default: undici on Node.js, the platform's `fetch` elsewhere. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Times in milliseconds. */
type InMillis<E> = E extends { readonly wait: unknown } ? Omit<E, "wait"> & { readonly wait: number } : E

/**
 * An event in a client; `wait` is in milliseconds.
 *
 * @see the module `Event` of `@cloud-management/client`
 */
export type LogEvent = InMillis<Event.Event>

/** Options of one call. */
export interface CallOptions extends Limits {
  /**
   * Aborts the call, even while it waits to be sent again. The promise rejects at once, with the signal's `reason` if
   * that is an `Error`, otherwise with an `AbortError`. The request may have been applied.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Headers of each request of the call, such as a tenant's; those of the input come first. The client sets `accept`,
   * `authorization`, `content-type` and those of the connection itself.
   */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined
  /**
   * The key under which the service does the work of this call once, in place of a random one: a program that stores it
   * before the call can repeat the call after a crash. Only for operations with an idempotency key, and not for `pages` and
   * `items`, whose pages are calls of their own.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a list that is read page by page; each page is a call. */
export interface PageOptions extends CallOptions {
  /** Where to begin: `next` of an earlier page. Default: the first page. */
  readonly from?: string | undefined
}

/** Values that a conversion leaves as they are: text is one too where its type is `string & {}` or has a brand. */
type Opaque =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | Date
  | Pipeable
  | { readonly [Symbol.toStringTag]: string }
  | ((...args: never) => unknown)

/**
 * The decoded type with a `Date` instead of each `DateTime`, and an async generator instead of a stream.
 *
 * **Details**
 *
 * A stream can be read once. The connection is closed when the loop ends, or with `return()`. A failure, the call's
 * `signal` and the closing of the client reject the loop.
 *
 * **Gotchas**
 *
 * This includes the fields of an instance of a schema's class, so its methods find a `Date` there. Such an instance is a
 * copy, which has no private fields (`#name`).
 */
export type Output<Type> = Type extends DateTime.DateTime
  ? Date
  : Type extends Stream.Stream<infer Part, unknown>
    ? AsyncGenerator<Output<Part>, void, undefined>
    : Type extends Opaque
      ? Type
      : Type extends object
        ? Type extends Converted<Type>
          ? Type
          : { readonly [Key in keyof Type]: Output<Type[Key]> }
        : Type

/**
 * A value, converted at every depth. Only an object that this changes has another type: any other keeps its own, and so the
 * private fields of its class. It compares nothing, and does not look into lists before they are read, since a type that
 * contains itself has to end.
 */
type Converted<Value> = Value extends DateTime.DateTime
  ? Date
  : Value extends Stream.Stream<infer Part, unknown>
    ? AsyncGenerator<Part, void, undefined>
    : Value extends Opaque
      ? Value
      : Value extends ReadonlyArray<infer Item>
        ? ConvertedList<Item>
        : Value extends object
          ? { readonly [Key in keyof Value]: Converted<Value[Key]> }
          : Value
interface ConvertedList<Item> extends ReadonlyArray<Converted<Item>> {}

/**
 * The input type for a decoded type: also a `Date` for each `DateTime`, an async iterable or a `ReadableStream` for each
 * stream, and a plain value instead of a branded one.
 *
 * **Gotchas**
 *
 * Where the schema is a class, only an instance is valid: a new one, or one that was a result. Types do not tell an
 * instance from an object with the same fields, with which the call rejects.
 */
export type Input<Type> = Type extends Brand.Brand<infer _> ? Unbranded<Brand.Brand.Unbranded<Type>> : Unbranded<Type>

type Unbranded<Type> = Type extends DateTime.DateTime
  ? Date | Type
  : Type extends Stream.Stream<infer Part, unknown>
    ? AsyncIterable<Part> | ReadableStream<Part> | Type
    : Type extends Opaque
      ? Type
      : Type extends ReadonlyArray<infer Item>
        ? number extends Type["length"]
          ? readonly Input<Item>[]
          : { readonly [Key in keyof Type]: Input<Type[Key]> }
        : Type extends object
          ? { readonly [Key in keyof Type]: Input<Type[Key]> }
          : Type

/** Whether an operation declares any part of a request; as an `Operation.Any`, it may have one that it does not declare. */
type TakesInput<O extends Operation.Any> = Operation.Paged extends O
  ? true
  : {} extends Pick<O, Extract<keyof O, "params" | "query" | "headers" | "payload">>
    ? false
    : true

/** The arguments of a method: the input, if the operation has one, and options. */
type Arguments<O extends Operation.Any, CallOptions> =
  TakesInput<O> extends true
    ? {} extends Operation.Input<O>
      ? [input?: Input<Operation.Input<O>>, options?: CallOptions]
      : [input: Input<Operation.Input<O>>, options?: CallOptions]
    : [options?: CallOptions]

/**
 * Calls an operation; the promise resolves to the `result` of an envelope, or to the whole content if there is none.
 */
export interface Method<O extends Operation.Any> {
  (...args: Arguments<O, CallOptions>): Call<Output<Operation.Result<O>>>
}

/** A page, and where the next one begins. */
export interface Page<Item> extends Pagination.Page<Item> {}

/** Of an operation whose list comes in pages; a call of it returns the first page as the service sends it. */
interface Pages<O extends Operation.Paged> {
  /**
   * Reads the list page by page, each page only when it is requested.
   *
   * **Example** (Saving page by page)
   *
   * ```ts
   * import type { Client, Page } from "@cloud-management/promise"
   * import type * as Operation from "@cloud-management/client/Operation"
   *
   * const copy = async <Item>(list: { pages: () => AsyncIterable<Page<Item>> }, save: (page: Page<Item>) => void) => {
   *   for await (const page of list.pages()) save(page)
   * }
   * ```
   */
  readonly pages: (
    ...args: Arguments<O, PageOptions>
  ) => AsyncGenerator<Page<Output<Operation.Item<O>>>, void, undefined>
  /** Reads the items of the list, page by page. */
  readonly items: (...args: Arguments<O, PageOptions>) => AsyncGenerator<Output<Operation.Item<O>>, void, undefined>
}

/** One method per operation of a registry. */
type Methods<Api extends Registry> = {
  readonly [Group in keyof Api]: Operation.MethodsOf<
    Api[Group],
    Calling,
    { readonly [Name in keyof Api[Group]]: Method<Api[Group][Name]> }
  > & {
    readonly [
      Name in keyof Api[Group] as Api[Group][Name] extends Operation.Paged ? Name : never
    ]: Api[Group][Name] extends Operation.Paged ? Pages<Api[Group][Name]> : never
  }
}

interface Calling extends Operation.Calling {
  readonly parameters: this["operation"] extends infer O extends Operation.Any ? Arguments<O, CallOptions> : never
  readonly result: this["operation"] extends infer O extends Operation.Any ? Call<Output<Operation.Result<O>>> : never
}

/** The methods that every client has besides its operations. */
interface Closing {
  /**
   * Closes the client: running calls reject with `ClosedError`, and the connections are closed. Resolves when that is
   * done; closing again has no effect.
   */
  readonly close: () => Promise<void>
  /** Like `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** A client for the operations of a registry. */
export type Client<Api extends Registry> = Methods<Api> & Closing

/** A registry that a client can be made of, or an object whose one property is a sentence that says why not. */
type Fitting<Api extends Registry> = [Extract<keyof Api, keyof Closing>] extends [never]
  ? Core.Consistent<Api>
  : { readonly "close is a method of every client, and cannot be a group": never }

/** Creates clients for the operations of registries. */
export interface ClientConstructor {
  /**
   * Creates a client for the operations of a registry. It reads nothing from the environment, and sends nothing before the
   * first call.
   *
   * **Details**
   *
   * Throws an `InvalidOptionError` if an option is invalid or does not exist.
   */
  new <const Api extends Registry>(options: Options & { readonly operations: Fitting<Api> }): Client<Api>
}
