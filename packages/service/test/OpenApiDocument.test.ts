import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "@cloud-management/core/Operations"
import { document } from "@cloud-management/service/OpenApiDocument"
import * as Representation from "@cloud-management/service/Representation"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

const json = JSON.stringify(document, null, 2)
const get =
  document.paths[
    "/v1/organizations/{organizationId}/services/{serviceId}/pipesReversePrivateEndpoints/{reversePrivateEndpointId}"
  ]?.get
const operations = Object.values(document.paths).flatMap((path) =>
  [path.get, path.delete].filter((operation) => operation !== undefined)
)

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
      const schema: Schema.Codec<unknown, unknown> = operation.success
      const decoded = Schema.decodeUnknownSync(schema)(body, { onExcessProperty: "error" })
      assert.deepStrictEqual(Schema.encodeUnknownSync(schema)(decoded), body)
    }
  })
})
