import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Client from "@cloud-management/client/Client"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Retry from "@cloud-management/client/Retry"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

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
