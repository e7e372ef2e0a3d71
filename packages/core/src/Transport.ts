import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"

class TransportClosed extends Error {
  override readonly name = "TransportClosed"
  readonly code = "ERR_TRANSPORT_CLOSED"
  /** What the request was waiting for, if it was sent: its outcome is unknown then. */
  readonly syscall: "read" | undefined

  constructor(isSent: boolean) {
    super("the transport's layer is closed; keep its scope open")
    this.syscall = isSent ? "read" : undefined
  }
}

/**
 * The cause of a `TransportError` for a request that met a closed transport: a new one, or one in flight (`isSent`).
 * The client repeats neither, and reports `not-sent` or `unknown`.
 *
 * @category errors
 * @since 0.1.0
 */
export const closed = (isSent: boolean): Error => new TransportClosed(isSent)

/**
 * The layer of a transport. Requests that begin after its scope has closed fail, and are not sent.
 *
 * **When to use**
 *
 * For a transport of your own, so that a program that closes a layer too early gets the same error from all.
 *
 * **Example** (Creating a transport)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as HttpClient from "effect/http/HttpClient"
 * import * as Transport from "@cloud-management/core/Transport"
 *
 * declare const client: HttpClient.HttpClient
 * const layer = Transport.layer(Effect.succeed(client))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R>(
  make: Effect.Effect<HttpClient.HttpClient, E, R>
): Layer.Layer<HttpClient.HttpClient, E, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.flatMap(make, (client) => {
      let isClosed = false
      const open = HttpClient.transform(client, (response, request) =>
        Effect.suspend(() => {
          if (!isClosed) return response
          const reason = new HttpClientError.TransportError({ request, cause: closed(false) })
          return Effect.fail(new HttpClientError.HttpClientError({ reason }))
        })
      )
      return Effect.as(
        Effect.addFinalizer(() => Effect.sync(() => (isClosed = true))),
        open
      )
    })
  )
