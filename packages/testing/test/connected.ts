import { Context, Effect, Layer, type Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { type Client, Credentials, Retry } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"

/** A client without retries beside a handle, over a transport that is built once for a test. */
export const connect = Effect.fnUntraced(function* <E>(
  transport: Layer.Layer<HttpClient.HttpClient | InMemoryTransport.InMemoryTransport, E>,
  options: Partial<Client.Options> = {}
) {
  const context = yield* Layer.build(transport)
  const make = (key: { readonly id: string; readonly secret: string | Redacted.Redacted }) =>
    CloudManagement.make({
      baseUrl: "http://in-memory",
      credentials: Credentials.make(key.id, key.secret),
      retry: Retry.none,
      ...options
    }).pipe(Effect.provide(context))
  const service = Context.get(context, InMemoryTransport.InMemoryTransport)
  return { cloud: yield* make(Fixtures.deployKey), make, service }
})
