import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constTrue, dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { CloudManagement } from "@cloud-management/core/CloudManagement"
import * as Operation from "@cloud-management/client/Operation"
import * as OptionRules from "@cloud-management/client/OptionRules"
import * as Bodiless from "./internal/bodiless.ts"
import * as Mistake from "./internal/mistake.ts"
import * as ServiceClient from "./internal/serviceClient.ts"

/** A response of an intermediary, which is not the service's own. */
interface ForeignResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The faults, each with the options that it needs. */
interface Kinds {
  /** Nothing: the request goes through. */
  readonly None: {}
  /** An intermediary responds, and the service never sees the request. */
  readonly Status: ForeignResponse
  /** The service does the work, but an intermediary sends the response. */
  readonly StatusAfterSend: ForeignResponse
  /** The request goes through after a wait. */
  readonly Delay: { readonly duration: Duration.Input }
  /** The connection fails, and the service never sees the request. */
  readonly DropBeforeSend: {}
  /** The connection breaks after the service has done the work. */
  readonly DropAfterSend: {}
  /** The transport fails with its own code, before the service sees the request or after it has done the work. */
  readonly Break: { readonly code: string; readonly when: "before-send" | "after-send" }
  /** There is never a response, and the service never sees the request. */
  readonly Hang: {}
  /** The service does the work, but there is never a response. */
  readonly HangAfterSend: {}
  /** The response breaks off after some bytes of its body. One without a body goes through. */
  readonly Truncate: { readonly bytes: number }
  /** The response stalls after some bytes of its body, and the connection stays open. One without a body goes through. */
  readonly Stall: { readonly bytes: number }
}

// `Data.TaggedEnum` has no name where a type is shown
/** A fault of one request. */
export type Fault = { readonly [Tag in keyof Kinds]: { readonly _tag: Tag } & Kinds[Tag] }[keyof Kinds]

/** Constructors and matchers of {@link Fault}. */
export const Fault = Data.taggedEnum<Fault>()

type Fields = Readonly<Record<string, unknown>>
/** The rule of a field, and its test: programs without types pass anything. */
type Rule = readonly [rule: string, isValid: (value: unknown, fault: Fields) => boolean]

const foreign = {
  status: [
    "a whole number from 200 to 599",
    (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) < 600
  ],
  headers: [
    "an object of headers that HTTP can carry",
    (value) =>
      value === undefined ||
      (Predicate.isObject(value) &&
        Result.isSuccess(Result.try((): unknown => Reflect.construct(globalThis.Headers, [value]))))
  ],
  body: [
    "a string, or left out with a status of 204, 205 or 304",
    (value, { status }) => value === undefined || (Predicate.isString(value) && !Bodiless.isStatus(status))
  ]
} satisfies Record<string, Rule>
const bytes: Rule = ["a whole number of at least 0", (value) => Number.isInteger(value) && Number(value) >= 0]

/** The fields of each fault. */
const fields: { readonly [Tag in keyof Kinds]: Readonly<Record<keyof Kinds[Tag], Rule>> } = {
  None: {},
  Status: foreign,
  StatusAfterSend: foreign,
  Delay: { duration: ["a duration of at least 0", OptionRules.duration[1]] },
  DropBeforeSend: {},
  DropAfterSend: {},
  Break: {
    code: OptionRules.text,
    when: ["before-send or after-send", (value) => value === "before-send" || value === "after-send"]
  },
  Hang: {},
  HangAfterSend: {},
  Truncate: { bytes },
  Stall: { bytes }
}
const unknown: Rule = ["left out: it is not a field of this fault", () => false]

/** Returns a fault, or throws for one that cannot happen; `name` is its place in the script. */
const checked = (fault: Fault, name: string): Fault => {
  if (!Predicate.hasProperty(fault, "_tag") || !Object.hasOwn(fields, fault._tag)) {
    throw new RangeError(`${name} must be a Fault, one of ${Object.keys(fields).join(", ")}`)
  }
  const given: Fields = { ...fault }
  const known = new Map<string, Rule>(Object.entries(fields[fault._tag]))
  for (const field of new Set([...known.keys(), ...Object.keys(given)])) {
    const [rule, isValid] = known.get(field) ?? unknown
    if (field !== "_tag" && !isValid(given[field], given)) throw new RangeError(`${name}.${field} must be ${rule}`)
  }
  return fault
}

const failed = (request: HttpClientRequest.HttpClientRequest, code: string) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      cause: Object.assign(new Error(`simulated ${code}`), { code })
    })
  })

const respond = (request: HttpClientRequest.HttpClientRequest, { body, headers, status }: ForeignResponse) =>
  HttpClientResponse.fromWeb(request, new Response(body ?? null, { status, headers: { ...headers } }))

/** The first bytes of a response, after which `end` decides; one without a body goes through. */
const cut = (
  response: HttpClientResponse.HttpClientResponse,
  bytes: number,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void
) => {
  if (Bodiless.is(response)) return Effect.succeed(response)
  return Effect.map(response.arrayBuffer, (body) => {
    const { headers, request, status } = response
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(body.slice(0, bytes))),
      pull: end
    })
    return HttpClientResponse.fromWeb(request, new Response(stream, { status, headers: { ...headers } }))
  })
}

/** A client in the layer keeps the transport below it, whatever is wrapped around both. */
type WithoutClient<ROut> = [Extract<ROut, CloudManagement>] extends [never]
  ? unknown
  : "faults belong between the transport and the client: InMemoryTransport.layer(seed), not layerTest(seed)"

/** The console of the platform: that of `it.effect` keeps what is logged to itself. */
const platform = Context.get(Context.empty(), Console.Console)

const isList = (faults: Iterable<Fault>): faults is ReadonlyArray<Fault> => Array.isArray(faults)

/** A transport whose requests have faults. */
type Faulty<ROut, E, R> = Layer.Layer<HttpClient.HttpClient | ROut, E, R | Exclude<HttpClient.HttpClient, ROut>>

/** Wraps a transport so that faults happen to its requests, which `name` names, or to those for one operation. */
const wrap = <ROut, E, R>(
  transport: Layer.Layer<ROut, E, R>,
  faults: Iterable<Fault>,
  name: string,
  operation?: Operation.Any
): Faulty<ROut, E, R> => {
  if (!Predicate.isIterable(faults)) throw new RangeError("faults must be iterable")
  if (isList(faults)) faults.forEach((fault, index) => checked(fault, `faults[${index}]`))
  return Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const isAffected = operation === undefined ? constTrue : ServiceClient.isFor(operation, client)
      const script = faults[Symbol.iterator]()
      // only an array has an end that is known before
      const total = isList(faults) ? faults.length : 0
      let used = 0
      yield* Effect.addFinalizer(() =>
        used < total
          ? Effect.logWarning(`${total - used} of ${total} faults did not happen: too few ${name} were sent`).pipe(
              Effect.provideService(Console.Console, platform)
            )
          : Effect.void
      )
      const faulty = HttpClient.transform(client, (send, request) =>
        Effect.suspend(() => {
          if (!isAffected(request)) return send
          const next = script.next()
          const place = `faults[${used++}]`
          return Fault.$match(next.done === true ? Fault.None() : checked(next.value, place), {
            None: () => send,
            Status: (other) => Effect.sync(() => respond(request, other)),
            StatusAfterSend: (other) => Effect.map(send, () => respond(request, other)),
            Delay: ({ duration }) => Effect.delay(send, duration),
            DropBeforeSend: () => Effect.fail(failed(request, "ECONNREFUSED")),
            DropAfterSend: () => Effect.andThen(send, Effect.fail(failed(request, "ECONNRESET"))),
            Break: ({ code, when }) =>
              Effect.andThen(when === "after-send" ? send : Effect.void, Effect.fail(failed(request, code))),
            Hang: () => Effect.never,
            HangAfterSend: () => Effect.andThen(send, Effect.never),
            Truncate: ({ bytes }) =>
              Effect.flatMap(send, (response) =>
                cut(response, bytes, (controller) => controller.error(failed(request, "ECONNRESET")))
              ),
            Stall: ({ bytes }) => Effect.flatMap(send, (response) => cut(response, bytes, () => {}))
          })
        })
      )
      return ServiceClient.inherit(client, faulty)
    })
  ).pipe(Layer.provideMerge(transport))
}

/**
 * Wraps a transport so that its requests have faults, in the order in which they are sent; after the last fault,
 * requests go through.
 *
 * **When to use**
 *
 * For faults of the whole service. For those of one operation, use {@link on}.
 *
 * **Details**
 *
 * If faults of an array are unused when the transport is released, a warning is logged, on the platform's console even
 * under `it.effect`, because the test may show less than it seems to. Other iterables, such as generators, may be endless.
 *
 * **Gotchas**
 *
 * With `Retry.standard`, the client waits before it sends a request again, so a test with a virtual clock must advance
 * it.
 *
 * **Example** (Failing the first two requests)
 *
 * ```ts
 * import * as Faults from "@cloud-management/testing/Faults"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const flaky = InMemoryTransport.layer(Fixtures.seed).pipe(
 *   Faults.inject([Faults.Fault.Status({ status: 503 }), Faults.Fault.DropAfterSend()])
 * )
 * ```
 */
export const inject: {
  (
    faults: Iterable<Fault>
  ): <ROut, E, R>(transport: Layer.Layer<ROut, E, R> & WithoutClient<ROut>) => Faulty<ROut, E, R>
  <ROut, E, R>(transport: Layer.Layer<ROut, E, R> & WithoutClient<ROut>, faults: Iterable<Fault>): Faulty<ROut, E, R>
} = dual(2, <ROut, E, R>(transport: Layer.Layer<ROut, E, R>, faults: Iterable<Fault>) =>
  wrap(transport, faults, "requests")
)

/**
 * Wraps a transport so that the requests for one operation, of the API or your own, have faults, in the order in which
 * they are sent; after the last fault, and for other operations, requests go through.
 *
 * **Details**
 *
 * A mock and the in-memory service know which operation a request is for. Over another transport, requests are recognised by
 * their method and the end of their path, whatever the base URL is. Several operations can each have their own faults. Unused
 * faults are logged in the same way as by {@link inject}.
 *
 * **Gotchas**
 *
 * Over another transport, the faults also affect other operations with the same method whose path ends as this one's can:
 * those of `/pets/:id` that of `/pets/latest`.
 *
 * **Example** (Losing the response to a deletion)
 *
 * ```ts
 * import { deleteApiKey } from "@cloud-management/core/Operations"
 * import * as Faults from "@cloud-management/testing/Faults"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const transport = InMemoryTransport.layer(Fixtures.seed).pipe(
 *   Faults.on(deleteApiKey, [Faults.Fault.DropAfterSend()])
 * )
 * ```
 */
export const on: {
  (
    operation: Operation.Any,
    faults: Iterable<Fault>
  ): <ROut, E, R>(transport: Layer.Layer<ROut, E, R> & WithoutClient<ROut>) => Faulty<ROut, E, R>
  <ROut, E, R>(
    transport: Layer.Layer<ROut, E, R> & WithoutClient<ROut>,
    operation: Operation.Any,
    faults: Iterable<Fault>
  ): Faulty<ROut, E, R>
} = dual(3, <ROut, E, R>(transport: Layer.Layer<ROut, E, R>, operation: Operation.Any, faults: Iterable<Fault>) =>
  wrap(transport, faults, `requests for ${Operation.nameOf(Mistake.given(operation))}`, operation)
)
