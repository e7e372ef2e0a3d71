import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Headers from "effect/http/Headers"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Refusal, Refused } from "./CloudError.ts"
import type { Credentials } from "./Credentials.ts"
import * as Envelope from "./Envelope.ts"
import * as Hint from "./internal/hint.ts"
import * as operations from "./operations.ts"

/** `retry-after` as text, with the time of day at which it is read: it can be a date (RFC 9110 §10.2.3). */
const RetryAfter = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Struct({ text: Schema.String, nowMillis: Schema.Finite }),
    SchemaTransformation.transformEffect({
      decode: (text) => Effect.map(Clock.currentTimeMillis, (nowMillis) => ({ text, nowMillis })),
      encode: ({ text }) => Effect.succeed(text)
    })
  )
)
const headers = { "retry-after": Schema.optionalKey(RetryAfter), date: Schema.optionalKey(Schema.String) }

/** The error envelope, `retry-after` and `date` on the wire, the refusal's class in the program. */
const wire = <E extends Refused>(refusal: Refusal<E>) =>
  Schema.instanceOf(refusal).pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: Envelope.Failure.pipe(HttpApiSchema.status(refusal.status)), headers },
      {
        decode: ({ body, headers: { date, "retry-after": read } }) => {
          const fields = Headers.fromInput({ "retry-after": read?.text, date })
          const millis = read && Hint.retryAfter({ status: refusal.status, headers: fields, nowMillis: read.nowMillis })
          return new refusal({
            message: body.error,
            ...(body.requestId !== undefined && { requestId: body.requestId }),
            ...(millis !== undefined && { retryAfter: Duration.millis(millis) })
          })
        },
        encode: ({ message, requestId, retryAfter }) => ({
          body: { status: refusal.status, error: message, ...(requestId !== undefined && { requestId }) },
          headers: {
            ...(retryAfter !== undefined && {
              "retry-after": { text: String(Math.ceil(Duration.toSeconds(retryAfter))), nowMillis: 0 }
            })
          }
        })
      }
    )
  )

const wires = <const Errors extends ReadonlyArray<Refusal>>(errors: Errors) =>
  errors.map((refusal) => wire<Errors[number]["prototype"]>(refusal))

const endpoint = <
  const Name extends string,
  Method extends "GET" | "DELETE",
  const Path extends `/${string}`,
  Params extends Schema.Codec<object, { readonly [name: string]: string }>,
  Success extends Schema.Codec<unknown, unknown>,
  const Errors extends ReadonlyArray<Refusal>
>(operation: {
  readonly name: Name
  readonly method: Method
  readonly path: Path
  readonly summary: string
  readonly params: Params
  readonly success: Success
  readonly errors: Errors
  readonly stability: "stable" | "beta"
}) =>
  HttpApiEndpoint.make<Method>(operation.method)(operation.name, operation.path, {
    params: operation.params,
    success: operation.success,
    error: wires(operation.errors)
  }).annotateMerge(
    OpenApi.annotations({ summary: operation.summary, override: { "x-stability": operation.stability } })
  )

/**
 * HTTP Basic with an API key, as a middleware of `HttpApi`. The service's side of it provides nothing to handlers; the
 * client's side is {@link layerAuthorization}.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()(
  "@cloud-management/core/Contract/Authentication",
  {
    requiredForClient: true,
    security: {
      basic: HttpApiSecurity.basic.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key: its ID is the user name, its secret the password.")
      )
    }
  }
) {}

/**
 * The contract as an `HttpApi`, built from the same operations as the client: for OpenAPI, for a server on
 * `HttpApiBuilder`, and for people who prefer `HttpApiClient`. The client of this package never imports it.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as HttpApiClient from "effect/http-api/HttpApiClient"
 * import * as Contract from "@cloud-management/core/Contract"
 * import * as Credentials from "@cloud-management/core/Credentials"
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* HttpApiClient.make(Contract.Api, { baseUrl: "http://127.0.0.1:8080" })
 *   const { result } = yield* client.organizations.list({ params: {} })
 *   return result
 * }).pipe(Effect.provide(Contract.layerAuthorization(Credentials.make("key-id", "key-secret"))))
 */
export const Api = HttpApi.make("CloudManagement")
  .add(
    HttpApiGroup.make(operations.listOrganizations.group)
      .add(endpoint(operations.listOrganizations))
      .middleware(Authentication),
    HttpApiGroup.make(operations.deleteApiKey.group).add(endpoint(operations.deleteApiKey)).middleware(Authentication),
    HttpApiGroup.make(operations.getReversePrivateEndpoint.group)
      .add(endpoint(operations.getReversePrivateEndpoint))
      .middleware(Authentication)
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Cloud Management API",
      version: "1",
      description: "Organizations, API keys and reverse private endpoints of a cloud database platform."
    })
  )

/** Signs every request of an `HttpApiClient` over {@link Api}. */
export const layerAuthorization = ({
  keyId,
  keySecret
}: Credentials): Layer.Layer<HttpApiMiddleware.ForClient<Authentication>> =>
  HttpApiMiddleware.layerClient(Authentication, ({ next, request }) =>
    Effect.suspend(() => next(HttpClientRequest.basicAuth(request, keyId, keySecret)))
  )
