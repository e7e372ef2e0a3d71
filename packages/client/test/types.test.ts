import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { type DateTime, type Duration, type Effect, type Layer, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { ApiKeyId, ApiKeyNotFound } from "@cloud-management/core/ApiKey"
import { Body, CallError, type Client, Envelope, Operation, Refusal, Wire } from "@cloud-management/client"
import { CloudManagement, Refusals } from "@cloud-management/core"
import type * as Contract from "@cloud-management/core/Contract"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import type { Organization, OrganizationId } from "@cloud-management/core/Organization"
import type {
  ReversePrivateEndpoint,
  ReversePrivateEndpointNotFound
} from "@cloud-management/core/ReversePrivateEndpoint"
import type { Echo } from "@cloud-management/testing"

// `tsc -b` judges this file; vitest only runs what is left of it.

type Cloud = CloudManagement.CloudManagement["Service"]
type Error<F> = F extends (...args: never) => Effect.Effect<infer _A, infer E, infer _R> ? E : never
type Value<F> = F extends (...args: never) => Effect.Effect<infer A, infer _E, infer _R> ? A : never
type Services<F> = F extends (...args: never) => Effect.Effect<infer _A, infer _E, infer R> ? R : never

type Common =
  | Refusals.BadRequest
  | Refusals.Unauthorized
  | Refusals.Forbidden
  | Refusals.RateLimited
  | Refusals.InternalError
  | Refusals.ServiceUnavailable

describe("the types of the client", () => {
  it("the type of a part that a form does not have is no type of it", () => {
    const fields = Schema.Struct({ about: Schema.String, note: Schema.optionalKey(Schema.String) })
    expect(Body.multipart(fields, Body.partTypes({ about: "application/json" })).types).toBeDefined()
    // @ts-expect-error the name is misspelt
    expect(Body.multipart(fields, Body.partTypes({ abuot: "application/json" })).types).toBeDefined()
  })

  it("7: an operation fails with a CallError whose reasons are exactly its own and the client's", () => {
    type Reason<F> = Exclude<Error<F>["reason" & keyof Error<F>], CallError.ClientReason>
    expectTypeOf<Error<Cloud["organizations"]["list"]>>().toEqualTypeOf<
      CallError.CallError<Common | CallError.ClientReason>
    >()
    expectTypeOf<Reason<Cloud["organizations"]["list"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Reason<Cloud["apiKeys"]["delete"]>>().toEqualTypeOf<Common | ApiKeyNotFound>()
    expectTypeOf<Reason<Cloud["reversePrivateEndpoints"]["get"]>>().toEqualTypeOf<
      Common | ReversePrivateEndpointNotFound
    >()
  })

  it("an operation's own limits have no budget: it is the client's", () => {
    expectTypeOf<NonNullable<Operation.Limits["retry"]>>().not.toHaveProperty("budget")
  })

  it("a method returns the result of its envelope, also one that may be absent", () => {
    const envelope = <S extends Schema.Codec<unknown, unknown>>(result: S) => Envelope.withResult(result)
    type Result<Success extends Body.Success> = Operation.Result<Omit<Operation.Any, "success"> & { success: Success }>
    const text = envelope(Schema.String)
    const optional = envelope(Schema.optionalKey(Schema.String))
    expectTypeOf<Result<typeof text>>().toEqualTypeOf<string>()
    expectTypeOf<Result<typeof optional>>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Result<typeof Envelope.withoutResult>>().toEqualTypeOf<void>()
    expect(optional._tag).toBe("Envelope")
  })

  it("a refusal is made of its body, which has the text, or else of a text", () => {
    const WithBody = CallError.refusal("WithBody", "4XX", Refusal.jsonBody(Schema.Struct({ code: Schema.String })))
    const made = new WithBody({ status: 409, body: { code: "a" } })
    expectTypeOf(made.message).toEqualTypeOf<string>()
    expect(made).toMatchObject({ status: 409, message: "", body: { code: "a" } })
    // @ts-expect-error its body is missing
    expect(new WithBody({ status: 409, message: "a" })).toBeDefined()
    // @ts-expect-error its text is missing
    expect(new (CallError.refusal("WithText", 409))({})).toBeDefined()
  })

  it("a refusal carries a message, and perhaps a requestId and a wait", () => {
    expectTypeOf<ApiKeyNotFound>().toExtend<{
      readonly message: string
      readonly requestId?: string
      readonly retryAfter?: Duration.Duration
    }>()
    expectTypeOf<(typeof Refusals.commonRefusals)[number]["prototype"]>().toEqualTypeOf<Common>()
    // as generated: a constant, not a class that extends it
    const Taken = CallError.refusal("Taken", 409, Refusal.body(Schema.Struct({ by: Schema.String })))
    type Reasons = Operation.Refusals<Omit<Operation.Any, "errors"> & { readonly errors: readonly [typeof Taken] }>
    expectTypeOf<Reasons["_tag"]>().toEqualTypeOf<"Taken">()
    expectTypeOf<Reasons>().toExtend<{ readonly status: 409; readonly body: { readonly by: string } }>()
    expect(Taken.status).toBe(409)
    const [Range, Rest] = [CallError.refusal("Range", "4XX"), CallError.refusal("Rest", "default")]
    expectTypeOf(Range.prototype.status).toEqualTypeOf<number>()
    expectTypeOf(Rest.prototype.status).toEqualTypeOf<number>()
    expect([Range.status, Rest.status]).toEqual(["4XX", "default"])
  })

  it("2.2: an organization has exactly the fields of the specification, of which only the id is required", () => {
    expectTypeOf<{ [K in keyof Organization]: Organization[K] }>().toEqualTypeOf<{
      readonly id: OrganizationId
      readonly createdAt?: DateTime.Utc
      readonly name?: string
      readonly privateEndpoints?: ReadonlyArray<{ readonly id: string; readonly description?: string }>
      readonly byocConfig?: ReadonlyArray<{ readonly id: string; readonly accountName?: string }>
    }>()
  })

  it("2.3: a reverse private endpoint has exactly the fields of the specification, of which only the id is required", () => {
    expectTypeOf<keyof ReversePrivateEndpoint>().toEqualTypeOf<
      | "id"
      | "serviceId"
      | "description"
      | "type"
      | "vpcEndpointServiceName"
      | "vpcResourceConfigurationId"
      | "vpcResourceShareArn"
      | "mskClusterArn"
      | "mskAuthentication"
      | "endpointId"
      | "dnsNames"
      | "privateDnsNames"
      | "status"
    >()
    type Required = { [K in keyof ReversePrivateEndpoint]-?: {} extends Pick<ReversePrivateEndpoint, K> ? never : K }
    expectTypeOf<Required[keyof Required]>().toEqualTypeOf<"id">()
    expectTypeOf<NonNullable<ReversePrivateEndpoint["type"]>>().toExtend<string>()
    expectTypeOf<"A_KIND_OF_TOMORROW">().toExtend<NonNullable<ReversePrivateEndpoint["type"]>>()
  })

  it("the layer has the error and the services of credentials that are read, also where they may be fixed", () => {
    type Read = Client.RotatingOptions<"sealed", ApiKeyId>
    const read = (options: Read) => CloudManagement.layer(options)
    const either = (options: Client.Options | Read) => CloudManagement.layer(options)
    type Expected = Layer.Layer<
      CloudManagement.CloudManagement,
      Client.InvalidOption | "sealed",
      HttpClient.HttpClient | ApiKeyId
    >
    expectTypeOf<ReturnType<typeof read>>().toEqualTypeOf<Expected>()
    expectTypeOf<ReturnType<typeof either>>().toEqualTypeOf<Expected>()
  })

  it("methods need nothing, and the layer exactly a transport", () => {
    expectTypeOf<Services<Cloud["organizations"]["list"]>>().toEqualTypeOf<never>()
    expectTypeOf<Services<Cloud["apiKeys"]["delete"]>>().toEqualTypeOf<never>()
    expectTypeOf<Services<Cloud["reversePrivateEndpoints"]["get"]>>().toEqualTypeOf<never>()
    expectTypeOf<Services<Cloud["execute"]>>().toEqualTypeOf<never>()
    const layer = (options: Client.Options) => CloudManagement.layer(options)
    expectTypeOf<ReturnType<typeof layer>>().toEqualTypeOf<
      Layer.Layer<CloudManagement.CloudManagement, Client.InvalidOption, HttpClient.HttpClient>
    >()
  })

  it("infers input, result and reasons from the operation", () => {
    type Own = Client.Client<typeof Echo.operations>
    expectTypeOf<Parameters<Own["echo"]["json"]>>().toEqualTypeOf<
      [
        input: {
          readonly payload: {
            readonly text: string
            readonly number: number
            readonly at: DateTime.Utc
            readonly list: ReadonlyArray<string | null>
            readonly absent?: string
          }
        }
      ]
    >()
    expectTypeOf<ReturnType<Own["echo"]["create"]>>().toEqualTypeOf<
      Effect.Effect<
        { readonly name: string; readonly count: number },
        CallError.CallError<Operation.Refusals<typeof Echo.operations.echo.create> | CallError.ClientReason>
      >
    >()
    // every part of the query is optional, and so is the query
    expectTypeOf<[{}]>().toExtend<Parameters<Own["echo"]["query"]>>()
    expectTypeOf<ReturnType<Own["echo"]["text"]>>().toExtend<Effect.Effect<string, unknown>>()
    expectTypeOf<ReturnType<Own["echo"]["bytes"]>>().toExtend<Effect.Effect<Uint8Array, unknown>>()
    expectTypeOf<ReturnType<Own["echo"]["delete"]>>().toExtend<Effect.Effect<void, unknown>>()
  })

  it("an operation without input takes none, or an empty object", () => {
    type List = Cloud["organizations"]["list"]
    expectTypeOf<[]>().toExtend<Parameters<List>>()
    expectTypeOf<[{}]>().toExtend<Parameters<List>>()
    expectTypeOf<Operation.Arguments<typeof listOrganizations>>().toEqualTypeOf<Parameters<List>>()
    const wrong = (list: List, execute: Cloud["execute"]) => [
      // @ts-expect-error a text is no input
      list("x"),
      // @ts-expect-error nor is a number
      list(1),
      // @ts-expect-error no field is known
      list({ organizationId: "x" }),
      // @ts-expect-error a text is no input
      execute(listOrganizations, "x")
    ]
    expect(wrong).toHaveLength(2)
  })

  it("execute gives the whole envelope of whichever operation it is given", () => {
    const execute = (cloud: Cloud) => cloud.execute(listOrganizations, {})
    expectTypeOf<Value<typeof execute>>().toEqualTypeOf<typeof listOrganizations.success.schema.Type>()
    expectTypeOf<Value<typeof execute>["requestId"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Value<typeof execute>["status"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Error<typeof execute>>().toEqualTypeOf<Error<Cloud["organizations"]["list"]>>()
    const deletion = (cloud: Cloud) =>
      // @ts-expect-error: a raw string is no ID; it becomes one by decoding
      cloud.execute(deleteApiKey, { organizationId: "11111111-1111-4111-8111-111111111111", keyId: "x" })
    expect(deletion).toBeTypeOf("function")
  })
})

type Endpoints =
  typeof Contract.Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? HttpApiGroup.Endpoints<Groups> : never
type Of<O extends Operation.Any> = Extract<Endpoints, { readonly method: O["method"]; readonly path: O["path"] }>

it("the contract as an HttpApi agrees with the operations on parameters, successes and errors", () => {
  type InApi<O extends Operation.Any> = [
    HttpApiEndpoint.Params<Of<O>>["Type"],
    HttpApiEndpoint.Success<Of<O>>["Type"],
    HttpApiEndpoint.Error<Of<O>>["Type"]
  ]
  type Own<O extends Operation.Any> = [Operation.Params<O>, Operation.Success<O>, Operation.Refusals<O>]
  expectTypeOf<InApi<typeof deleteApiKey>>().toEqualTypeOf<Own<typeof deleteApiKey>>()
  expectTypeOf<InApi<typeof getReversePrivateEndpoint>>().toEqualTypeOf<Own<typeof getReversePrivateEndpoint>>()
  // no parameters: HttpApi has no schema for them, and the client takes none
  const [none, ...others]: Own<typeof listOrganizations> = [] as never
  expectTypeOf(none).toEqualTypeOf<{}>()
  expectTypeOf<InApi<typeof listOrganizations>>().toEqualTypeOf<[never, ...typeof others]>()
})

it("an operation keeps every literal", () => {
  const operation = Operation.make({
    group: "tests",
    name: "get",
    method: "GET",
    path: "/v1/a/:x",
    params: Schema.Struct({ x: Schema.String }),
    success: Body.json(Schema.Struct({})),
    errors: Refusals.commonRefusals
  })
  expectTypeOf(operation.path).toEqualTypeOf<"/v1/a/:x">()
  expectTypeOf(operation.method).toEqualTypeOf<"GET">()
  expectTypeOf<Operation.Error<typeof operation>["reason"]>().toEqualTypeOf<Common | CallError.ClientReason>()
  expect(operation.path).toBe("/v1/a/:x")
})

it("an alternative that the program does not know is told apart by its tag, or by isUnknown", () => {
  type Cat = { readonly kind: "cat"; readonly lives: number }
  type Dog = { readonly kind: "dog"; readonly name: string }
  const byTag = (pet: Cat | Dog | Wire.Unknown<"kind">): string => {
    switch (pet.kind) {
      case "cat":
        return `${pet.lives}`
      case "dog":
        return pet.name
      default:
        expectTypeOf(pet).toEqualTypeOf<Wire.Unknown<"kind">>()
        return String(pet.kind)
    }
  }
  const byGuard = (pet: Cat | Dog | Wire.Unknown<"kind">): Cat | Dog | undefined =>
    Wire.isUnknown(pet) ? undefined : pet
  const User = Wire.orUnknown(Schema.Struct({ view: Wire.nullishKey(Schema.Literal("public")), name: Schema.String }), {
    view: ["public", undefined]
  })
  const optional = (user: typeof User.Type): string => {
    if (user.view === "public") return user.name
    expectTypeOf(user).toExtend<{ readonly name: string } | Wire.Unknown<never, "view">>()
    return Wire.isUnknown(user) ? String(user.view) : user.name
  }
  expect(optional({ name: "a" })).toBe("a")
  const untold = (one: { readonly a: string } | { readonly b?: number } | Wire.Unknown) =>
    Wire.isUnknown(one) ? one["any"] : "a" in one ? one.a : one.b
  expectTypeOf(untold).returns.toEqualTypeOf<unknown>()
  expect([byTag({ kind: "dog", name: "Rex" }), byGuard({ kind: "cat", lives: 9 }), untold({ a: "b" })]).toEqual([
    "Rex",
    { kind: "cat", lives: 9 },
    "b"
  ])
})
