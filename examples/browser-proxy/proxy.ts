/**
 * The shape that keeps a key out of a page: the page's own origin passes its calls on, signed with the key. A page can
 * make only the calls that are listed here, and only with a session, which ends soon and opens nothing else.
 */
import { CloudManagement, type CallError, type Operation } from "@cloud-management/core"
import { getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import { Clock, Duration, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64, Base64Url } from "effect/encoding"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

const sessionLifetime = Duration.minutes(15)

/**
 * The envelope of an error, which the page's client understands. There is no `WWW-Authenticate`: at its sight a browser
 * would ask its user for a password.
 */
const refuse = (status: number, error: string, requestId?: string) =>
  HttpServerResponse.jsonUnsafe({ status, error, requestId }, { status })

export const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const cloud = yield* CloudManagement.CloudManagement
    const random = yield* SecureRandom.SecureRandom
    /** When each session ends, by the header that its page sends. */
    const sessions = new Map<string, number>()

    const openSession = Effect.gen(function* () {
      // Your own login belongs here: whoever gets past it may read what the key reads.
      const secret = Base64Url.encode(yield* random.randomBytes(32))
      const now = yield* Clock.currentTimeMillis
      sessions.set(`Basic ${Base64.encode(`session:${secret}`)}`, now + Duration.toMillis(sessionLifetime))
      for (const [header, end] of sessions) if (end <= now) sessions.delete(header)
      return HttpServerResponse.jsonUnsafe({ secret })
    })

    /** An operation as a route: its parameters are decoded, so that nothing else of a request reaches the service. */
    const pass = <R>(
      operation: Operation.Any,
      call: Effect.Effect<
        Operation.Exchange<unknown>,
        | CallError.CallError<{ readonly _tag: string; readonly message: string; readonly requestId?: string }>
        | Schema.SchemaError,
        R
      >
    ) =>
      router.add(
        "GET",
        `/api${operation.path}`,
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const end = sessions.get(headers["authorization"] ?? "")
          if (end === undefined || end <= (yield* Clock.currentTimeMillis)) {
            return refuse(401, "UNAUTHORIZED: The session has ended")
          }
          const { value } = yield* call
          return HttpServerResponse.jsonUnsafe(yield* Schema.encodeUnknownEffect(operation.success.schema)(value))
        }).pipe(
          Effect.catchTags({
            SchemaError: () => Effect.succeed(refuse(400, "BAD_REQUEST: An id is no UUID")),
            CallError: ({ message, reason, status = 500 }) => {
              const refusal = operation.errors.find((refusal) => reason instanceof refusal)
              return refusal === undefined || refusal.status === 401 || refusal.status === 403
                ? // between this application and the service, of which a page should know no more
                  Effect.as(Effect.logError(message), refuse(502, "BAD_GATEWAY: The service is out of reach"))
                : Effect.succeed(refuse(status, reason.message, reason.requestId))
            }
          })
        )
      )

    yield* router.add("POST", "/session", openSession)
    // not deleteApiKey: a page that is taken over must not be able to lock anyone out
    yield* pass(listOrganizations, cloud.exchange(listOrganizations, {}))
    yield* pass(
      getReversePrivateEndpoint,
      Effect.flatMap(HttpRouter.schemaPathParams(getReversePrivateEndpoint.params), (params) =>
        cloud.exchange(getReversePrivateEndpoint, params)
      )
    )
  })
)
