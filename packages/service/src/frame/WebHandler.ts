import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpRequest from "./HttpRequest.ts"
import * as Responses from "./wire/responses.ts"
import * as OptionRules from "@cloud-management/client/OptionRules"
import { Service } from "./Service.ts"

/** Information that the host has and a request does not contain. */
export interface Options<Host extends ReadonlyArray<unknown>> {
  /**
   * Returns the caller's address: from the host's arguments beside the request, or from a header that only the host
   * itself can set. It limits guesses of a secret: while it returns none, failed authentications are not limited.
   */
  readonly remoteAddress: (request: Request, ...host: Host) => string | null | undefined
}

/** A service as a function of the Fetch standard's `Request` and `Response`. */
export interface WebHandler<Host extends ReadonlyArray<unknown>> {
  /** The arguments after the request are passed to `remoteAddress`. */
  readonly handler: (request: Request, ...host: Host) => Promise<Response>
  /**
   * Responds with 503 from now on, also to requests in progress, cuts off the streams that are being sent, and releases the
   * resources of the layer once they have ended.
   */
  readonly dispose: () => Promise<void>
}

/** A response whose body, if it is a stream, ends with a scope: a reader that has not read all of it gets an error. */
const within = (scope: Scope.Scope, response: HttpServerResponse.HttpServerResponse) => {
  const enter = Effect.withFiber((fiber) => Effect.succeed(Fiber.runIn(fiber, scope)))
  return Responses.mapStream(response, (stream) => Stream.unwrap(Effect.as(enter, stream)))
}

/** To workerd, `content-encoding` is an order to compress, unless it is told that the body is. Elsewhere that means nothing. */
const asEncoded = (response: Response): Response => {
  const { body, headers, status, statusText } = response
  const init = { status, statusText, headers, encodeBody: "manual" }
  return headers.has("content-encoding") ? new Response(body, init) : response
}

/**
 * Serves a {@link Service} on any host that runs a function from `Request` to `Promise<Response>`: workerd, Deno, Bun.
 *
 * **When to use**
 *
 * On any such host except Node, which has `node/HttpHost`.
 *
 * **Details**
 *
 * The layer is built once, at the first request, because workerd allows no work before that. If it cannot be built, the
 * request gets 503, the cause is logged, and the next request tries again.
 *
 * Throws a `RangeError` if `remoteAddress` is not a function, or an option does not exist.
 *
 * **Gotchas**
 *
 * The host must limit how long slow callers may take and how much they may send.
 *
 * **Example** (Serving from memory on a platform of workers)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as SecureRandom from "effect/crypto/SecureRandom"
 * import * as MemoryStore from "@cloud-management/service/MemoryStore"
 * import * as CloudService from "@cloud-management/service/CloudService"
 * import * as WebHandler from "@cloud-management/service/WebHandler"
 *
 * const { handler } = WebHandler.make(
 *   CloudService.layer().pipe(Layer.provide(MemoryStore.layer), Layer.provide(SecureRandom.layerWebCrypto)),
 *   { remoteAddress: ({ headers }) => headers.get("cf-connecting-ip") }
 * )
 *
 * export default { fetch: handler }
 * ```
 */
export const make = <E, Host extends ReadonlyArray<unknown> = ReadonlyArray<unknown>>(
  layer: Layer.Layer<Service, E>,
  options: Options<Host>
): WebHandler<Host> => {
  const { remoteAddress } = options
  OptionRules.check("handler", { ...options, remoteAddress }, { remoteAddress: OptionRules.callable })
  const drained = Layer.tap(layer, (context) => Scope.addFinalizer(runtime.scope, Context.get(context, Service).drain))
  let runtime: ManagedRuntime.ManagedRuntime<Service, E> = ManagedRuntime.make(drained)
  let open = true
  const build = Effect.suspend(() => {
    const current = runtime
    return Effect.tapCause(current.contextEffect, (cause) => {
      if (!open || runtime !== current) return Effect.void
      runtime = ManagedRuntime.make(drained)
      return Effect.andThen(current.disposeEffect, Effect.logError("the service could not be built", cause))
    })
  })
  const serve = async (context: Context.Context<Service>, request: Request, host: Host) => {
    const { method, signal } = request
    const { handle } = Context.get(context, Service)
    const address = remoteAddress(request, ...host) ?? undefined
    // its disposal waits for it, and for the body
    const exit = await runtime.runPromiseExit(handle(HttpRequest.fromWeb(request, address)), { signal })
    if (Exit.isFailure(exit)) return unavailable()
    const response = within(runtime.scope, exit.value)
    return asEncoded(HttpServerResponse.toWeb(response, { withoutBody: method === "HEAD", context, signal }))
  }
  const unavailable = () => {
    const requestId = SecureRandom.uuidV4Unsafe()
    const response = Responses.refusal(Responses.unavailable, requestId)
    return HttpServerResponse.toWeb(HttpServerResponse.setHeaders(response, Responses.headersOf(response, requestId)))
  }

  return {
    handler: async (request, ...host) => {
      const built = await Effect.runPromiseExit(build)
      return Exit.isSuccess(built) ? serve(built.value, request, host) : unavailable()
    },
    dispose: () => {
      open = false
      return runtime.dispose()
    }
  }
}
