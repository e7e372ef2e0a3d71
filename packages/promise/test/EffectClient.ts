/** Clients on promises under the methods of Effect's, so that the conformance cases run through them. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Scope from "effect/Scope"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import type * as Core from "@cloud-management/core/Client"
import * as CoreError from "@cloud-management/core/CloudError"
import type * as Operation from "@cloud-management/core/Operation"
import type * as Conformance from "@cloud-management/testing/Conformance"
import { Call, CloudError, type Constructor, type Options } from "@cloud-management/promise"

/** A `fetch` over an `HttpClient`, for faults that a case injects into it. */
const fetchOver =
  (client: HttpClient.HttpClient): typeof globalThis.fetch =>
  (url, { body, headers, method = "GET", signal } = {}) => {
    const request = HttpClientRequest.make(method as "GET")(url instanceof Request ? url.url : url.toString(), {
      headers: headers as Headers.Input
    })
    const type = request.headers["content-type"]
    const exchange = Effect.gen(function* () {
      const response = yield* client.execute(
        body instanceof Uint8Array ? HttpClientRequest.bodyUint8Array(request, body, type) : request
      )
      return new Response(yield* response.arrayBuffer, { status: response.status, headers: response.headers })
    })
    return Effect.runPromise(exchange, signal ? { signal } : {})
  }

const mapDates = (value: unknown, isOne: (value: unknown) => boolean, convert: (value: never) => unknown): unknown =>
  isOne(value)
    ? convert(value as never)
    : Array.isArray(value)
      ? value.map((item) => mapDates(item, isOne, convert))
      : Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype
        ? Record.map(value as object as Readonly<Record<string, unknown>>, (field) => mapDates(field, isOne, convert))
        : value
const toDates = (value: unknown) => mapDates(value, DateTime.isDateTime, DateTime.toDateUtc)
const fromDates = (value: unknown) => mapDates(value, Predicate.isDate, DateTime.fromDateUnsafe)

/** The client's own error again. */
const toCore = (error: unknown) => {
  if (!(error instanceof CloudError)) throw error
  const { attempts, message, method, operation, outcome, path, reason, requestId, retryAfter, status } = error
  const before = `${operation}: ${reason}${status === undefined ? "" : ` (HTTP ${status})`}: `
  const after = requestId === undefined ? "" : ` (request ${requestId})`
  return new CoreError.CloudError({
    operation,
    method,
    path,
    ...(status !== undefined && { status }),
    attempts,
    outcome,
    requestId,
    reason: {
      _tag: reason,
      message: message.slice(before.length, message.length - after.length),
      ...(retryAfter !== undefined && { retryAfter: Duration.millis(retryAfter) })
    }
  })
}

type Method = (...args: ReadonlyArray<object>) => Call<unknown>
type Methods = Readonly<Record<string, Readonly<Record<string, Method>>>>

const call = <A>(methods: Methods, operation: Operation.Any, input: object, use: (call: Call<unknown>) => Promise<A>) =>
  Effect.tryPromise({
    try: (signal) => {
      const { headers, params, payload, query } = operation
      const method = methods[operation.group]?.[operation.name]
      if (method === undefined) throw new Error("no such method")
      const takesInput = (headers ?? params ?? payload ?? query) !== undefined
      return use(takesInput ? method(toDates(input) as object, { signal }) : method({ signal }))
    },
    catch: toCore
  })

/** Makes what makes the clients. They are closed with the scope; their own transport makes the requests. */
export const make = (
  Client: Constructor
): Effect.Effect<Conformance.MakeClient, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const own = yield* HttpClient.HttpClient
    const scope = yield* Effect.scope
    const build = Effect.fnUntraced(function* (operations: Core.Registry, options: Core.Options) {
      const client = yield* HttpClient.HttpClient
      const { baseUrl, credentials, deadline, maxResponseBytes, retry } = options
      const shared: Options = {
        baseUrl,
        keyId: credentials.keyId,
        keySecret: Redacted.value(credentials.keySecret),
        maxResponseBytes,
        timeout: deadline?.attempt === undefined ? undefined : Duration.toMillis(deadline.attempt),
        deadline: deadline?.total === undefined ? undefined : Duration.toMillis(deadline.total),
        maxRetries: retry?.attempts === undefined ? undefined : retry.attempts - 1,
        fetch: client === own ? undefined : fetchOver(client)
      }
      const open = (operations: Core.Registry) =>
        Effect.acquireRelease(
          Effect.sync(() => new Client({ ...shared, operations })),
          (cloud) => Effect.promise(() => cloud.close())
        ).pipe(
          Scope.provide(scope),
          Effect.map((cloud) => cloud as unknown as Methods)
        )
      const methods = yield* open(operations)
      const exchange = Effect.fnUntraced(function* (operation: Operation.Any, input: object) {
        const methods = yield* open({ [operation.group]: { [operation.name]: operation } })
        const { data, headers, requestId, status, ...rest } = yield* call(methods, operation, input, (call) =>
          call.withResponse()
        )
        const result = fromDates(data)
        return {
          ...rest,
          status,
          requestId,
          headers: Headers.fromInput(headers),
          value:
            operation.success._tag !== "Envelope"
              ? result
              : { status, requestId, ...(result !== undefined && { result }) }
        }
      })
      return {
        ...Record.map(operations, (group) =>
          Record.map(
            group,
            (operation) =>
              (input: object = {}) =>
                Effect.map(
                  call(methods, operation, input, (call) => call),
                  fromDates
                )
          )
        ),
        exchange,
        execute: (operation: Operation.Any, input: object) =>
          Effect.map(exchange(operation, input), ({ value }) => value)
      }
    })
    return build as unknown as Conformance.MakeClient
  })
