import { describe, expect, expectTypeOf, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Schema } from "effect"
import { Headers } from "effect/http"
import * as EffectApi from "effect/http-api/HttpApi"
import {
  HttpApiEndpoint,
  HttpApiError,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity
} from "effect/http-api"
import { type Client, Credentials, type Operation, Retry } from "@cloud-management/client"
import * as Contract from "@cloud-management/client/Contract"
import { fromHttpApi } from "@cloud-management/client/HttpApi"
import { operations as ours } from "@cloud-management/core/Operations"
import { Echo } from "@cloud-management/testing"
import { over, type Reply } from "./Stub.ts"

const User = Schema.Struct({ id: Schema.String, at: Schema.DateTimeUtcFromString })
const get = HttpApiEndpoint.get("get", "/users/:id", { params: { id: Schema.String }, success: User })
const { users: operationsOfUsers } = fromHttpApi(
  EffectApi.make("example").add(HttpApiGroup.make("users").add(get))
).operations

it("an endpoint without an identifier of its own is named by its group and its name", () => {
  expect(operationsOfUsers.get).toMatchObject({ id: "users.get", method: "GET", path: "/users/:id", security: [] })
})

/** The constructs of Effect's own example (ai-docs, "http-server"). */
class NoSuchUser extends Schema.TaggedError<NoSuchUser>()("NoSuchUser", {}, { httpApiStatus: 404 }) {}
class Unauthorized extends Schema.TaggedError<Unauthorized>()(
  "Unauthorized",
  { message: Schema.String },
  { httpApiStatus: 401 }
) {}
class Authorization extends HttpApiMiddleware.Service<Authorization>()("example/Authorization", {
  security: { bearer: HttpApiSecurity.bearer },
  error: Unauthorized
}) {}
const UserId = Schema.Int.pipe(Schema.brand("UserId"))
const example = EffectApi.make("example")
  .add(
    HttpApiGroup.make("users")
      .add(
        HttpApiEndpoint.get("search", "/search", {
          payload: { text: Schema.String, size: Schema.optionalKey(Schema.Finite) },
          success: [Schema.Array(User), Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))],
          error: [
            NoSuchUser.pipe(HttpApiSchema.asNoContent({ decode: () => new NoSuchUser() })),
            HttpApiError.RequestTimeoutNoContent
          ]
        }),
        HttpApiEndpoint.patch("update", "/:id", {
          params: { id: UserId },
          payload: Schema.Struct({ name: Schema.String }),
          success: HttpApiSchema.NoContent
        })
      )
      .middleware(Authorization)
      .prefix("/users")
  )
  .add(
    HttpApiGroup.make("system", { topLevel: true }).add(
      HttpApiEndpoint.get("health", "/health", { success: HttpApiSchema.NoContent })
    )
  )

describe("Effect's example", () => {
  const { operations, unsupported } = fromHttpApi(example)

  it("is a registry as a whole, with the payload of a GET in the query", () => {
    expect(unsupported).toEqual([])
    expect(operations.users.search).toMatchObject({ path: "/users/search", security: [["bearer"]] })
    expect(operations.users.search.query).toBeDefined()
    expect("payload" in operations.users.search).toBe(false)
    expect(operations.users.update).toMatchObject({ path: "/users/:id", payload: { _tag: "Json" } })
    expect(operations.system.health).toMatchObject({ path: "/health", success: { _tag: "Empty" } })
    expectTypeOf<Operation.Input<typeof operations.users.search>["query"]["text"]>().toEqualTypeOf<string>()
  })

  it.effect("is called by its bearer token, and fails as it says", function* () {
    const timeout: Reply = () => Effect.sync(() => new Response(null, { status: 408 }))
    const { client, requests } = yield* over(operations, [timeout], {
      credentials: Credentials.bearer("token"),
      retry: Retry.none
    })
    const error = yield* Effect.flip(client.users.search({ query: { text: "a b", size: 2 } }))
    expect(error).toMatchObject({ status: 408, reason: { _tag: "RequestTimeout", body: { _tag: "RequestTimeout" } } })
    expect(requests.map(({ headers, method, url }) => [method, url, headers["authorization"]])).toEqual([
      ["GET", "https://api.example.com/users/search?text=a+b&size=2", "Bearer token"]
    ])
  })
})

/** A success, and an error, of which a part is in the headers. */
class Limited extends Schema.TaggedError<Limited>()("Limited", { name: Schema.String }) {}
const limited = HttpApiGroup.make("limited").add(
  HttpApiEndpoint.get("list", "/limited", {
    success: Schema.Struct({ name: Schema.String, page: Schema.String }).pipe(
      HttpApiSchema.encodeToWithHeaders(
        { body: Schema.Struct({ name: Schema.String }), headers: { page: Schema.String } },
        {
          decode: ({ body: { name }, headers: { page } }) => ({ name, page }),
          encode: ({ name, page }) => ({ body: { name }, headers: { page } })
        }
      )
    )
  }),
  HttpApiEndpoint.get("get", "/limited/:id", {
    params: { id: Schema.String },
    success: HttpApiSchema.NoContent,
    error: Limited.pipe(
      HttpApiSchema.encodeToWithHeaders(
        {
          body: Schema.Struct({ name: Schema.String }).pipe(HttpApiSchema.status(429)),
          headers: { page: Schema.String }
        },
        {
          decode: ({ body: { name } }) => new Limited({ name }),
          encode: ({ name }) => ({ body: { name }, headers: { page: "1" } })
        }
      )
    )
  })
)

describe("headers of a response", () => {
  const { operations, unsupported } = fromHttpApi(EffectApi.make("example").add(limited))

  it.effect("are read into a success", function* () {
    const reply: Reply = () => Effect.succeed(Response.json({ name: "a" }, { headers: { page: "2" } }))
    const { client } = yield* over(operations, [reply])
    expect(unsupported).toEqual([])
    expect(yield* client.limited.list()).toEqual({ name: "a", page: "2" })
  })

  it("are read into an error", () => {
    const [error] = operations.limited.get.errors
    expect(error?.status).toBe(429)
    expect(error?.rule?.recognize({ name: "a" }, 429, "", Headers.fromInput({ page: "1" }))).toMatchObject({
      body: { name: "a" }
    })
  })
})

describe("the contract of a registry", () => {
  it("gives operations with the prefix that its groups have", () => {
    const group = Contract.make({ users: { get: operationsOfUsers.get } }).groups.users.prefix("/v2")
    const { users } = fromHttpApi(EffectApi.make("example").add(group)).operations
    expect(users.get).toEqual({ ...operationsOfUsers.get, path: "/v2/users/:id" })
  })

  it("gives their types, in which a method has the result of an envelope", () => {
    const { operations } = fromHttpApi(Contract.make(ours))
    expectTypeOf(operations.organizations.list).toEqualTypeOf(ours.organizations.list)
  })

  it.each([
    ["ours", ours],
    ["one of every kind", Echo.registry]
  ])("gives back the operations that it was made of: %s", (_, registry: Client.Registry) => {
    const { operations, unsupported } = fromHttpApi(Contract.make(registry))
    expect(unsupported).toEqual([])
    for (const [group, named] of Object.entries(registry)) {
      for (const [name, operation] of Object.entries(named)) {
        const found: Client.Registry = operations
        expect(found[group]?.[name]).toBe(operation)
      }
    }
  })
})
