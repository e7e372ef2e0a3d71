import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Order from "effect/Order"
import type { Pipeable } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Body from "@cloud-management/client/Body"
import type { Registry } from "@cloud-management/client/Client"
import type { Credentials } from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import { pathOf, type HttpRequest } from "@cloud-management/service/HttpRequest"
import * as RequestInput from "@cloud-management/service/RequestInput"
import * as ResponseOutput from "@cloud-management/service/ResponseOutput"
import * as Bodiless from "./internal/bodiless.ts"
import * as Example from "./internal/example.ts"
import * as Foreign from "./internal/foreign.ts"
import * as Mistake from "./internal/mistake.ts"
import * as ServiceClient from "./internal/serviceClient.ts"
import * as Refused from "./internal/refused.ts"

/** How a mock decides what it does without a reply. */
export interface Options {
  /** Chooses the examples: the same seed makes the same ones. Default: 0. */
  readonly seed?: number | string
  /** The only credentials that are accepted. Default: any, where an operation declares that it needs some. */
  readonly credentials?: Credentials
}

/** Values that are not loosened: text is one too where its type is `string & {}` or has a brand. */
type Whole =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | Date
  | Pipeable
  | { readonly [Symbol.toStringTag]: string }
  | ((...args: never) => unknown)

/** A value whose optional fields can be `undefined`, also under `exactOptionalPropertyTypes`: they are left out. */
type Loose<T> = unknown extends T
  ? T
  : T extends Whole
    ? T
    : T extends ReadonlyArray<unknown>
      ? { [I in keyof T]: Loose<T[I]> }
      : { [Name in keyof T]: Loose<T[Name]> | (object extends Pick<T, Name> ? undefined : never) }

type Outcome<O extends Operation.Any> =
  | Loose<Operation.Result<O>>
  | Effect.Effect<Loose<Operation.Result<O>>, Operation.Refusals<O>>

/**
 * The reply of an operation: a result, a refusal that it declares, an Effect that ends with one of these, or a function of the
 * decoded request that makes one, or a promise of one.
 */
export type Reply<O extends Operation.Any> =
  | Outcome<O>
  | ((input: Operation.Input<O>) => Outcome<O> | Promise<Outcome<O>>)

/** A request that reached a mock. It has no body, so that it is safe to print. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  /** Several values of a name are joined by commas. Those that the operation does not declare are `Redacted`. */
  readonly query: Readonly<Record<string, string | Redacted.Redacted>>
  /** Names are in lower case. Those that neither the operation declares nor a client adds by itself are `Redacted`. */
  readonly headers: Readonly<Record<string, string | Redacted.Redacted>>
  /** `group.name` of the operation; absent if the mock has none for the request. */
  readonly operation?: string
  /** Why the mock rejected it, unless an operation responded. */
  readonly problem?: string
}

type Member<Api extends Registry, O> = O extends { [G in keyof Api]: Api[G][keyof Api[G]] }[keyof Api]
  ? unknown
  : "this operation is not in the registry of the mock"

/** A service in memory that has the operations of a registry. */
export interface Mock<Api extends Registry> {
  /** The transport of a client. Requests run in the fiber of the call, on its clock; `Faults` can wrap it. */
  readonly layer: Layer.Layer<HttpClient.HttpClient>
  /** The same for promises, for other clients, and for a handler of MSW. */
  readonly fetch: Fetch
  /** Sets the reply of an operation from now on, in place of an example. */
  readonly reply: <O extends Operation.Any>(operation: O & Member<Api, O>, reply: NoInfer<Reply<O>>) => void
  /** The result that an operation has without a reply, for one that differs in a part: `{ ...mock.example(get), name: "b" }`. */
  readonly example: <O extends Operation.Any>(operation: O & Member<Api, O>) => Operation.Result<O>
  /** The inputs of the valid requests for an operation so far, in order of arrival. */
  readonly inputs: <O extends Operation.Any>(operation: O & Member<Api, O>) => ReadonlyArray<Operation.Input<O>>
  /** All requests so far, in order of arrival: one per attempt of a call. */
  readonly requests: () => ReadonlyArray<ReceivedRequest>
  /** Forgets replies and requests. */
  readonly reset: () => void
}

/** The call of `fetch`, without its other properties. */
export type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>

/**
 * Makes a `fetch` of a transport, such as one with `Faults`.
 *
 * **Details**
 *
 * `await using` releases the transport at the end of a test: `Faults` then warn of those that did not happen.
 *
 * **Example** (Losing a response)
 *
 * ```ts
 * import { operations } from "@cloud-management/core/Operations"
 * import * as Faults from "@cloud-management/testing/Faults"
 * import * as Mock from "@cloud-management/testing/Mock"
 *
 * await using fetch = Mock.fetch(Mock.make(operations).layer.pipe(Faults.inject([Faults.Fault.DropAfterSend()])))
 * ```
 */
export const fetch = <E>(transport: Layer.Layer<HttpClient.HttpClient, E>): Fetch & AsyncDisposable => {
  const runtime = ManagedRuntime.make(transport)
  const call: Fetch = async (input, init) => {
    const request = new Request(input, await Foreign.own(init))
    const sent = HttpClientRequest.fromWeb(request)
    const exchange = Effect.flatMap(HttpClient.HttpClient, (http) => http.execute(sent))
    const exit = await runtime.runPromiseExit(exchange, { signal: request.signal })
    request.signal.throwIfAborted()
    if (Exit.isFailure(exit)) {
      const error = Cause.squash(exit.cause)
      throw HttpClientError.isHttpClientError(error)
        ? new TypeError("fetch failed", { cause: error.reason.cause ?? error })
        : Mistake.of(error)
    }
    const { headers, status, stream } = exit.value
    const content = Stream.catchCause(stream, (cause) => {
      const error = Cause.squash(cause)
      if (!HttpClientError.isHttpClientError(error)) return Stream.die(Mistake.of(error))
      return error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(error)
    })
    const body = Bodiless.is({ request, status }) ? null : Stream.toReadableStream(content)
    return new Response(body, { status, headers: { ...headers } })
  }
  // a transport that was not used has to be made, so that its release can say so
  return Object.assign(call, {
    [Symbol.asyncDispose]: () => runtime.runPromise(Effect.void).finally(() => runtime.dispose())
  })
}

const namesOf = (parameters: { readonly schema: Schema.Constraint } | undefined): ReadonlyArray<string> => {
  const { ast } = parameters === undefined ? Schema.Void : Schema.toEncoded(parameters.schema)
  return ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name).toLowerCase()) : []
}

/** Headers that clients and platforms add by themselves. */
const own =
  /^(accept|access-control|content|sec-|x-b3-)|^(b3|cache-control|connection|date|host|idempotency-key|keep-alive|origin|pragma|priority|referer|te|traceparent|tracestate|transfer-encoding|user-agent|x-request-id)$/

const queryOf = ({ url }: Pick<HttpRequest, "url">) => new URL(url, "http://mock").searchParams

const requiredOf = (parameters: { readonly schema: Schema.Constraint } | undefined): ReadonlyArray<string> => {
  const { ast } = parameters === undefined ? Schema.Void : Schema.toEncoded(parameters.schema)
  if (ast._tag !== "Objects") return []
  return ast.propertySignatures.flatMap(({ name, type }) => (SchemaAST.isOptional(type) ? [] : [String(name)]))
}

/** The query and the headers that each request of an operation has. */
const neededOf = ({ headers, path, query }: Operation.Any): ReadonlyArray<string> => [
  ...queryOf({ url: path }).keys(),
  ...requiredOf(query),
  ...requiredOf(headers).map((name) => name.toLowerCase())
]

/** The headers of a request that its operation does not declare: credentials have no other place. */
const othersOf = ({ headers, repeat }: Partial<Operation.Any>, request: HttpRequest): ReadonlyArray<string> => {
  // cookies can be both
  const known = new Set([
    ...namesOf(headers).filter((name) => name !== "cookie"),
    ...(typeof repeat === "object" ? [repeat.header] : [])
  ])
  return Object.keys(request.headers).filter((name) => !own.test(name) && !known.has(name))
}

/** The parameters of a request's query that its operation does not declare: a key of an API, or the place that a link leads to. */
const undeclaredOf = ({ path = "/", query }: Partial<Operation.Any>, request: HttpRequest): ReadonlyArray<string> => {
  const known = new Set([...namesOf(query), ...queryOf({ url: path }).keys()])
  return [...queryOf(request).keys()].filter((name) => !known.has((name.split("[")[0] ?? "").toLowerCase()))
}

/** Whether a request has the credentials that its operation needs. */
const isSigned = (operation: Operation.Any, request: HttpRequest, credentials: Credentials | undefined): boolean => {
  const { security } = operation
  if (security?.some(({ length }) => length === 0)) return true
  if (credentials === undefined) {
    const isOpen = security === undefined || security.length === 0
    return isOpen || [othersOf, undeclaredOf].some((of) => of(operation, request).length > 0)
  }
  const secrets = credentials.secrets.map(Redacted.value)
  const signed = credentials.sign(secrets)(HttpClientRequest.get("http://mock"), security)
  const query = queryOf(request)
  return (
    Object.entries(signed.headers).every(([name, value]) =>
      name === "cookie" ? request.headers[name]?.endsWith(value) : request.headers[name] === value
    ) &&
    [...signed.urlParams].every(([name, value]) =>
      query.getAll(name).includes(Redacted.isRedacted(value) ? Redacted.value(value) : value)
    )
  )
}

const exampleOf = (success: Body.Success, make: (schema: Schema.Codec<unknown, unknown>) => unknown): unknown => {
  switch (success._tag) {
    case "OneOf": {
      const [first] = success.bodies
      return first && { status: first.status, value: exampleOf(first, make) }
    }
    case "Stream": {
      const { framing, item = Schema.Unknown, named = {} } = success
      if (framing === "bytes") return Stream.make(bytes)
      if (framing === "lines") return Stream.make(make(item))
      const [event, schema] = Object.entries(named)[0] ?? ["message", item]
      return Stream.make({ event, data: make(schema) })
    }
    case "Envelope": {
      const content = make(success.schema)
      return Predicate.hasProperty(content, "result") ? content.result : undefined
    }
    case "Json":
      return make(success.schema)
    case "Text":
      return "text"
    case "Bytes":
      return bytes
    case "Redirect":
      return "/elsewhere"
    case "Empty":
      return undefined
  }
}
const bytes = Uint8Array.of(0, 1, 2, 255)

/** The path in the content of a list at which nothing says that no page follows. */
const endOf = ({ pagination }: Operation.Any, input: object): string | undefined => {
  if (pagination === undefined) return undefined
  const { items, more, next, query }: Partial<Omit<Operation.Cursor, "_tag">> = pagination
  const place = more ?? next
  if (place !== undefined) return `.${place}`
  // only a page without items ends the list: the one after the first
  const isLater =
    query !== undefined && Predicate.hasProperty(input, "query") && Predicate.hasProperty(input.query, query)
  return isLater ? ["", ...(items ? [items] : [])].join(".") : undefined
}

const nameOf = (operation: Operation.Any) => Operation.nameOf(Mistake.given(operation))

/**
 * Makes a service in memory from a registry of operations, such as that of a generated folder.
 *
 * **When to use**
 *
 * To test a program against an API that you have only as a document. For the Cloud Management API, `InMemoryTransport`
 * has the service itself.
 *
 * **Details**
 *
 * Each operation responds with an example of its success until `reply` says otherwise; a list in pages ends after the
 * first. Requests are decoded as a service does it, whatever path the base URL has: one that does not fit gets a 400, or a
 * 422 where only that is declared, an unknown path a 404, and one without the credentials that its operation declares a 401.
 * These have the body that the operation declares for the status, if it does, and say why in its `message`, `detail` or
 * another field of free text.
 *
 * A reply that does not fit its schema is a mistake of the test, as is a failed assertion in a function: the call ends with
 * that error, and is not tried again; `inputs` and `requests` throw it too, until `reset`.
 *
 * **Gotchas**
 *
 * Operations name their schemes of security, but do not say where these put the secret. Without `credentials`, whatever a
 * request has beyond its declared headers and parameters counts as one.
 *
 * **Example** (Testing what a lost response does)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Client from "@cloud-management/client/Client"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import { deleteApiKey, operations } from "@cloud-management/core/Operations"
 * import * as Faults from "@cloud-management/testing/Faults"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as Mock from "@cloud-management/testing/Mock"
 *
 * const mock = Mock.make(operations)
 * const transport = mock.layer.pipe(Faults.on(deleteApiKey, [Faults.Fault.DropAfterSend()]))
 *
 * const test = Effect.gen(function* () {
 *   const client = yield* Client.make(operations, { baseUrl: "http://mock", credentials: Credentials.make("id", "secret") })
 *   yield* client.apiKeys.delete({ organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id })
 *   return mock.inputs(deleteApiKey) // two: the client sent it again
 * }).pipe(Effect.provide(transport))
 * ```
 */
export const make = <const Api extends Registry>(
  operations: Api,
  { credentials, seed = 0 }: Options = {}
): Mock<Api> => {
  const known = Object.values<Registry[string]>(operations)
    .flatMap((group) => Object.values(group))
    .map((operation) => {
      // of many operations, a test calls few
      let encode: ReturnType<typeof ResponseOutput.encode> | undefined
      return {
        operation,
        name: Operation.nameOf(operation),
        place: `${operation.method} ${pathOf({ url: operation.path })}`,
        needed: neededOf(operation),
        decode: RequestInput.decode(operation),
        encode: () => (encode ??= ResponseOutput.encode(ResponseOutput.lenient(operation)))
      }
    })
    .sort(Order.mapInput(RequestInput.order, ({ operation }) => operation))
  const replies = new Map<string, unknown>()
  /** By the name of an operation, whose schemas made them: of no type that all have. */
  const inputs = new Map<string, Array<never>>()
  const requests: Array<ReceivedRequest> = []
  let mistake: Error | undefined
  const blameless = () => {
    if (mistake !== undefined) throw mistake
  }

  const example = (operation: Operation.Any, name: string, input: object) =>
    exampleOf(operation.success, (schema) =>
      Result.getOrThrowWith(
        Example.make(schema, `${seed} ${name}`, endOf(operation, input)),
        ({ message }) => new TypeError(`give ${name} a reply: no example was found: ${message}`)
      )
    )

  const find = (received: HttpRequest) => {
    for (const request of ServiceClient.below({ ...received, maxBodyLength: Infinity })) {
      const first = known.find(({ decode }) => decode(request) !== undefined)
      if (first === undefined) continue
      // those of one path differ by what their requests need, such as /:key?acl
      const sent = new Set([...queryOf(request).keys(), ...Object.keys(request.headers)])
      const count = ({ needed }: (typeof known)[number]) =>
        needed.every((name) => sent.has(name)) ? needed.length : -1
      const [one = first] = known.filter(({ place }) => place === first.place).toSorted((a, b) => count(b) - count(a))
      return { ...one, request }
    }
    return undefined
  }

  const respond = Effect.fnUntraced(function* (received: HttpRequest) {
    const seen = (of: Partial<Operation.Any> = {}) => {
      const [query, undeclared] = [queryOf(received), undeclaredOf(of, received)]
      return {
        method: received.method,
        path: pathOf(received),
        query: Object.fromEntries(
          [...query.keys()].map((name) => {
            const value = query.getAll(name).join()
            return [name, undeclared.includes(name) ? Redacted.make(value) : value]
          })
        ),
        headers: Headers.redact(Headers.fromInput(received.headers), othersOf(of, received))
      }
    }
    const note = (status: number, text: string, of?: (typeof known)[number]) => {
      // a client quotes no text with escapes of JSON
      const problem = text.replaceAll('"', "'")
      requests.push({ ...seen(of?.operation), ...(of && { operation: of.name }), problem })
      return Refused.make(of?.operation ?? { errors: [] }, status, problem, `${seed} ${of?.name}`)
    }
    const found = find(received)
    if (found === undefined) return note(404, "the mock has no operation with this method and path")
    const { decode, encode, name, operation, request } = found
    if (!isSigned(operation, request, credentials)) {
      return note(401, `${name} needs ${credentials === undefined ? "" : "other "}credentials`, found)
    }
    const decoded = yield* Effect.result(decode(request) ?? Effect.die(name))
    if (Result.isFailure(decoded))
      return note(Refused.statusOf(operation), decoded.failure.message.replace("BAD_REQUEST: ", ""), found)
    const input = decoded.success
    requests.push({ ...seen(operation), operation: name })
    const before = inputs.get(name) ?? []
    // oxlint-disable-next-line typescript/consistent-type-assertions -- whoever reads them names the operation
    before.push(input as never)
    inputs.set(name, before)
    const reply = replies.has(name) ? replies.get(name) : example(operation, name, input)
    const replied: unknown = isFunction(reply) ? yield* Effect.sync((): unknown => reply(input)) : reply
    const made: unknown = Predicate.isPromiseLike(replied)
      ? yield* Effect.promise(() => Promise.resolve(replied))
      : replied
    // a refusal is an Effect that fails with itself
    const result = isEffect(made) ? yield* Effect.catch(made, Effect.succeed) : made
    const response = Result.try(() => encode()(result, String(requests.length)))
    if (Result.isSuccess(response)) return response.success
    const { failure } = response
    // a field that can be left out has nothing in place of null
    const problem = (Foreign.isError(failure) ? failure.message : String(failure)).replaceAll(" | never", "")
    return yield* Effect.die(new TypeError(`the reply to ${name} does not fit: ${problem.replaceAll(/\s+/g, " ")}`))
  })

  const record = <E>(cause: Cause.Cause<E>) =>
    Effect.sync(() => {
      if (Cause.hasDies(cause)) mistake ??= Mistake.of(Cause.squash(cause))
    })
  const handle = (received: HttpRequest) =>
    Effect.map(Effect.onError(respond(received), record), (response) => {
      const { body } = response
      return body._tag === "Stream"
        ? HttpServerResponse.setBody(
            response,
            HttpBody.stream(Stream.tapCause(body.stream, record), body.contentType, body.contentLength)
          )
        : response
    })
  const layer = Layer.succeed(
    HttpClient.HttpClient,
    ServiceClient.make(handle, (request) => find(request)?.name)
  )
  return {
    layer,
    fetch: fetch(layer),
    reply: (operation, reply) => void replies.set(nameOf(operation), reply),
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the schemas of the operation made it
    example: (operation) => example(operation, nameOf(operation), {}) as never,
    inputs: (operation) => {
      blameless()
      return [...(inputs.get(nameOf(operation)) ?? [])]
    },
    requests: () => {
      blameless()
      return [...requests]
    },
    reset: () => {
      mistake = undefined
      replies.clear()
      inputs.clear()
      requests.length = 0
    }
  }
}

const isFunction = (value: unknown): value is (input: object) => unknown => Predicate.isFunction(value)
const isEffect = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)
