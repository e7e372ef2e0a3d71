import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as OpenApi from "effect/http-api/OpenApi"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import { document } from "@cloud-management/service/OpenApiDocument"
import * as Representation from "@cloud-management/service/Representation"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Host from "./Host.ts"

const json = JSON.stringify(document, null, 2)
const get =
  document.paths[
    "/v1/organizations/{organizationId}/services/{serviceId}/pipesReversePrivateEndpoints/{reversePrivateEndpointId}"
  ]?.get
const isOperation = (operation: OpenApi.OpenAPISpecOperation | undefined) => operation !== undefined
/** All that the document describes, and of that the operations of the contract. */
const described = Object.values(document.paths).flatMap(({ delete: remove, get, head }) =>
  [get, head, remove].filter(isOperation)
)
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith("/v1/"))
  .flatMap(([, path]) => [path.get, path.delete].filter(isOperation))

describe("the document", () => {
  it("is the committed one; `vitest --project service -u` brings that up to date", async () => {
    await expect(`${json}\n`).toMatchFileSnapshot("../../../docs/openapi.json")
  })

  it("has one operation for each of the contract's", () => {
    assert.deepStrictEqual(
      operations.map(({ operationId }) => operationId),
      ["organizations.list", "apiKeys.delete", "reversePrivateEndpoints.get"]
    )
  })

  it("has HEAD wherever it has GET, with the same statuses and headers, and no body", () => {
    for (const [path, { get, head }] of Object.entries(document.paths)) {
      const bare = Object.entries(get?.responses ?? {}).map(([status, { content: _none, ...rest }]) => [status, rest])
      assert.deepStrictEqual(Object.entries(head?.responses ?? {}), bare, path)
    }
  })

  it("has health and readiness, for anyone", () => {
    for (const path of ["/health", "/ready"]) assert.deepStrictEqual(document.paths[path]?.get?.security, [])
  })

  it("says what any request may be refused with, whatever it asks for", () => {
    for (const { operationId, responses } of described) {
      assert.includeMembers(Object.keys(responses), ["405", "408", "413", "414", "431"], operationId)
    }
  })

  it("marks the endpoint read as beta, and not as deprecated", () => {
    assert.propertyVal(get, "x-stability", "beta")
    assert.isFalse(json.includes("deprecated"))
  })

  it("gives every ID in a path its format, its pattern and a description", () => {
    for (const { parameters } of operations) {
      for (const { description, schema } of parameters) {
        assert.propertyVal(schema, "format", "uuid")
        assert.propertyVal(schema, "pattern", "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
        assert.isString(description)
      }
    }
  })

  it("forbids no unknown field: a client ignores what a later version adds", () => {
    assert.isFalse(json.includes("additionalProperties"))
  })

  it("says that every field is there, except what one kind of endpoint alone has", () => {
    const optional = Object.entries(document.components.schemas).flatMap(([name, { properties, required }]) =>
      Object.keys(properties ?? {})
        .filter((field) => !(required as ReadonlyArray<string>).includes(field))
        .map((field) => `${name}.${field}`)
    )
    assert.deepStrictEqual(optional, [
      "ReversePrivateEndpoint.vpcEndpointServiceName",
      "ReversePrivateEndpoint.vpcResourceConfigurationId",
      "ReversePrivateEndpoint.vpcResourceShareArn",
      "ReversePrivateEndpoint.mskClusterArn",
      "ReversePrivateEndpoint.mskAuthentication",
      "ReversePrivateEndpoint.endpointId"
    ])
  })
})

const endpoint = (organization: string, id: string) =>
  `/v1/organizations/${organization}/services/${Fixtures.analytics}/pipesReversePrivateEndpoints/${id}`
const key = (id: string) => `/v1/organizations/${Fixtures.acme}/keys/${id}`
const { acme, backupKey, deployKey, globex, pendingEndpoint, readyEndpoint } = Fixtures

/** What is asked, in this order, and what has to be answered. The rate limit lets all but the last through. */
const exchanges = [
  ["GET", "/v1/organizations", 200],
  ["GET", endpoint(acme, readyEndpoint), 200],
  ["GET", endpoint(acme, pendingEndpoint), 200],
  ["DELETE", key(backupKey.id), 200],
  ["DELETE", key(backupKey.id), 404],
  ["DELETE", key(deployKey.id), 400],
  ["DELETE", key("no-uuid"), 400],
  ["GET", endpoint(acme, Fixtures.globexEndpoint), 404],
  ["GET", endpoint(globex, readyEndpoint), 403],
  ["GET", "/v1/organizations", 401, "wrong"],
  ["GET", "/v1/organizations", 429]
] as const
const rateLimit = { limit: exchanges.length - 2, window: "1 minute" } as const

const successes: Record<string, Schema.Codec<unknown, unknown>> = {
  "organizations.list": Representation.OrganizationList,
  "apiKeys.delete": Representation.Success,
  "reversePrivateEndpoints.get": Representation.ReversePrivateEndpointResult
}

it.layer(InMemoryTransport.layer(Fixtures.seed, { rateLimit }).pipe(Layer.orDie))("the service", (it) => {
  it.effect("answers what the document says: its statuses, its headers, its fields and no others", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      for (const [method, path, status, secret = deployKey.secret] of exchanges) {
        const response = yield* client.execute(
          HttpClientRequest.make(method)(`https://api.example.com${path}`).pipe(
            HttpClientRequest.basicAuth(deployKey.id, secret)
          )
        )
        const exchange = `${method} ${path}: ${response.status}`
        assert.strictEqual(response.status, status, exchange)

        const operation = operations.find(({ operationId }) =>
          method === "DELETE"
            ? operationId === "apiKeys.delete"
            : operationId === (path === "/v1/organizations" ? "organizations.list" : "reversePrivateEndpoints.get")
        )
        const described = operation?.responses[status]?.headers ?? {}
        const sent = Object.keys(response.headers).filter((name) =>
          /^(x-request-id|x-ratelimit-.+|retry-after|www-authenticate)$/.test(name)
        )
        assert.includeMembers(Object.keys(described), sent, exchange)
        for (const [name, { required }] of Object.entries(described)) {
          if (required) assert.include(sent, name, exchange)
        }

        const schema = status === 200 ? successes[operation?.operationId ?? ""] : Representation.Failure
        if (schema === undefined) return assert.fail(exchange)
        const body = yield* Schema.decodeUnknownEffect(schema)(yield* response.json, { onExcessProperty: "error" })
        assert.propertyVal(body, "status", status)
        assert.propertyVal(body, "requestId", response.headers["x-request-id"])
      }
    })
  )
})

it.live("a refusal for its form is what the document says", () =>
  Effect.gen(function* () {
    const { url } = yield* Host.start({ headers: "50 millis", request: "100 millis" })
    for (const [status, text] of [
      [405, Host.request("POST /v1/organizations", "Connection: close")],
      [408, "GET /v1/organizations HTTP/1.1\r\n"],
      [413, Host.request("GET /v1/organizations", "Content-Length: 65537")],
      [414, Host.request(`GET /v1/organizations?${"a".repeat(2048)}`)],
      [431, Host.request("GET /v1/organizations", `X: ${"a".repeat(20_000)}`)]
    ] as const) {
      const [head = "", body = ""] = (yield* Host.exchange(url, text)).split("\r\n\r\n")
      const { content, headers = {} } = document.paths["/v1/organizations"]?.get?.responses[status] ?? {}
      const media = Schema.decodeUnknownSync(Schema.Struct({ example: Schema.JsonObject }))
      const { example } = media(content?.["application/json"])
      const sent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))(body)
      for (const failure of [example, sent]) Schema.decodeUnknownSync(Representation.Failure)(failure)
      assert.deepStrictEqual({ ...sent, requestId: example["requestId"] ?? null }, example)
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
      for (const name of Object.keys(headers)) assert.match(head, new RegExp(`^${name}: `, "im"))
    }
  })
)

it.layer(InMemoryTransport.layer(Fixtures.seed).pipe(Layer.orDie))("a page about the service", (it) => {
  it.effect.each([
    ["/health", { status: "ok" }],
    ["/ready", { status: "ready" }]
  ] as const)("%s answers what the document says", ([path, body]) =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get(`https://api.example.com${path}`)
      assert.deepStrictEqual(yield* response.json, body)
      const content = document.paths[path]?.get?.responses[200]?.content?.["application/json"]
      const name =
        String(content?.schema && "$ref" in content.schema ? content.schema.$ref : "")
          .split("/")
          .at(-1) ?? ""
      const properties = document.components.schemas[name]?.properties
      assert.deepStrictEqual(properties, { status: { type: "string", enum: [body.status] } })
    })
  )
})

describe("a representation", () => {
  it("is what the client of core accepts", () => {
    const requestId = Representation.exampleRequestId
    const [endpoint] = Schema.resolveAnnotations(Representation.ReversePrivateEndpoint)?.examples ?? []
    const organization: typeof Representation.Organization.Encoded = {
      id: acme,
      createdAt: "2026-01-01T00:00:00.000Z",
      name: "Acme",
      privateEndpoints: [{ id: "pe-1", description: "office" }],
      byocConfig: [{ id: "byoc-1", accountName: "acme-aws" }]
    }
    for (const [operation, body] of [
      [listOrganizations, { status: 200, requestId, result: [organization] }],
      [deleteApiKey, { status: 200, requestId }],
      [getReversePrivateEndpoint, { status: 200, requestId, result: endpoint }]
    ] as const) {
      const schema: Schema.Codec<unknown, unknown> = operation.success.schema
      const decoded = Schema.decodeUnknownSync(schema)(body, { onExcessProperty: "error" })
      assert.deepStrictEqual(Schema.encodeUnknownSync(schema)(decoded), body)
    }
  })
})
