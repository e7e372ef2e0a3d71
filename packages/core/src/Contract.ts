import { make } from "@cloud-management/client/Contract"
import * as OpenApi from "effect/http-api/OpenApi"
import { operations } from "./Operations.ts"

/**
 * The contract as an `HttpApi`, built from the same operations as the client.
 *
 * **When to use**
 *
 * For OpenAPI, for a server with `HttpApiBuilder`, or if you prefer `HttpApiClient`. The client in this package does
 * not import it.
 *
 * **Example** (Calling the service with HttpApiClient)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as HttpApiClient from "effect/http-api/HttpApiClient"
 * import * as Contract from "@cloud-management/core/Contract"
 * import { layerAuthorization } from "@cloud-management/client/Contract"
 * import * as Credentials from "@cloud-management/client/Credentials"
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* HttpApiClient.make(Contract.Api, { baseUrl: "http://127.0.0.1:8080" })
 *   const { result } = yield* client.organizations.list()
 *   return result
 * }).pipe(Effect.provide(layerAuthorization(Credentials.make("key-id", "key-secret"))))
 * ```
 */
export const Api = make(operations).annotateMerge(
  OpenApi.annotations({
    title: "Cloud Management API",
    version: "1",
    description: "Organizations, API keys and reverse private endpoints of a cloud database platform."
  })
)
