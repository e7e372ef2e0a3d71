/**
 * Ways to sign a request: HTTP Basic, a bearer token, keys in a header, the query or cookies, two at once, several schemes of
 * one API, none; and tokens, which the client gets again before they end and after a 401.
 */
import { Body, Client, Credentials, Operation, Refusals } from "@cloud-management/core"
import { Console, Duration, Effect, Layer, Ref, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const shared = { group: "things", method: "GET", errors: Refusals.commonRefusals } as const
const Sent = Schema.Record(Schema.String, Schema.String)
const operations = {
  things: {
    list: Operation.make({ ...shared, name: "list", path: "/v1/things", success: Body.json(Sent) }),
    admin: Operation.make({
      ...shared,
      name: "admin",
      path: "/v1/admin",
      success: Body.json(Sent),
      // either of two alternatives
      security: [["adminKey"], ["session", "device"]]
    }),
    health: Operation.make({ ...shared, name: "health", path: "/health", success: Body.json(Sent), security: [] })
  }
}

/** The authorization server (RFC 6749 §4.4), with HTTP Basic. */
const authority = {
  tokens: {
    get: Operation.make({
      group: "tokens",
      name: "get",
      method: "POST",
      path: "/oauth/token",
      payload: Body.form(Schema.Struct({ grant_type: Schema.Literal("client_credentials") })),
      success: Body.json(Schema.Struct({ access_token: Schema.String, expires_in: Schema.Finite })),
      errors: Refusals.commonRefusals,
      // a lost response costs nothing but a token
      repeat: "idempotent"
    })
  }
}

const baseUrl = "https://api.example.com"
const connect = (credentials: Credentials.Credentials) => Client.make(operations, { baseUrl, credentials })

const show = (name: string, sent: unknown) => Console.log(`${name.padEnd(8)} ${JSON.stringify(sent)}`)

const program = Effect.gen(function* () {
  const kinds = {
    basic: Credentials.make("key-id", "key-secret"),
    key: Credentials.basicKey("key-1"),
    bearer: Credentials.bearer("token-1"),
    header: Credentials.header("x-api-key", "key-1"),
    scheme: Credentials.header("authorization", "Token token-1"),
    query: Credentials.query("api_key", "key-1"),
    cookies: Credentials.all(Credentials.cookie("session", "key-1"), Credentials.cookie("csrf", "key-2")),
    all: Credentials.all(Credentials.header("x-app", "app-1"), Credentials.header("x-key", "key-1"))
  }
  for (const [name, credentials] of Object.entries(kinds)) {
    const { things } = yield* connect(credentials)
    yield* show(name, yield* things.list())
  }

  const { things } = yield* connect(
    Credentials.schemes({
      session: Credentials.bearer("session-1"),
      device: Credentials.header("x-device", "device-1")
    })
  )
  // the first scheme, as the operation names none
  yield* show("list", yield* things.list())
  // the alternative of which the client has all schemes
  yield* show("admin", yield* things.admin())
  yield* show("health", yield* things.health())

  const { things: lacking } = yield* connect(Credentials.schemes({ session: Credentials.bearer("session-1") }))
  const { message, outcome } = yield* Effect.flip(lacking.admin())
  yield* Console.log(`${outcome}: ${message}`)

  // OAuth: the client runs the Effect when it is built, a minute before the token ends, and after a 401
  const { tokens } = yield* Client.make(authority, {
    baseUrl,
    credentials: Credentials.make("client-id", "client-secret")
  })
  const token = Effect.map(
    tokens.get({ payload: { grant_type: "client_credentials" } }),
    ({ access_token, expires_in }) =>
      Credentials.expiring(Credentials.bearer(access_token), Duration.seconds(expires_in))
  )
  const { things: granted } = yield* Client.make(operations, { baseUrl, credentials: token })
  yield* show("oauth", yield* granted.list())

  // any Effect is run again after a 401
  const version = yield* Ref.make(0)
  const renewed = Effect.map(
    Ref.updateAndGet(version, (version) => version + 1),
    (version) => Credentials.bearer(version === 1 ? "expired" : "token-2")
  )
  const { things: renewing } = yield* Client.make(operations, { baseUrl, credentials: renewed })
  yield* show("renewed", yield* renewing.list())

  // a service that repeats the token in its refusal: no error shows it
  const { things: guessing } = yield* connect(Credentials.bearer("wrong-token"))
  const rejected = yield* Effect.flip(guessing.list())
  yield* Console.log(rejected.reason.message)
})

/** Stands for the service: responds with the credentials that it received. */
const service = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) => {
    if (url.pathname === "/oauth/token") {
      return Effect.succeed(
        HttpClientResponse.fromWeb(request, Response.json({ access_token: "access-1", expires_in: 3600 }))
      )
    }
    const names = ["authorization", "cookie", "x-api-key", "x-app", "x-key", "x-device"]
    const sent = Object.fromEntries([
      ...names.flatMap((name) => (name in request.headers ? [[name, request.headers[name]]] : [])),
      ...url.searchParams
    ])
    const token = String(sent["authorization"] ?? "")
    const error = `UNAUTHORIZED: ${token} is not valid`
    return Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        /expired|wrong/.test(token)
          ? Response.json({ status: 401, error, requestId: "req-1" }, { status: 401 })
          : Response.json(sent)
      )
    )
  })
)

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(service)))
