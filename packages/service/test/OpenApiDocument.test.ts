import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { nameOf, type Any } from "@cloud-management/client/Operation"
import { operations as registry } from "@cloud-management/core/Operations"
import { make } from "@cloud-management/service/OpenApiDocument"
import { document } from "../src/cloud/description.ts"
import { Echo } from "@cloud-management/testing"
import * as Representation from "../src/frame/wire/representation.ts"
import * as Host from "../../../checks/fixtures/Host.ts"

const json = JSON.stringify(document, null, 2)
const methods = ["get", "head", "post", "put", "patch", "delete"] as const
/** All that the document describes, and of that the operations of the contract. */
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method]
    return operation === undefined ? [] : [{ path, method, ...operation }]
  })
)
const operations = described.filter(({ method, path }) => path.startsWith("/v1/") && method !== "head")
const ours: ReadonlyArray<Any> = Object.values(registry).flatMap((group) => Object.values(group))

describe("the document", () => {
  it("is the committed one; `vitest --project service -u` brings that up to date", async () => {
    await expect(`${json}\n`).toMatchFileSnapshot("../../../docs/openapi.json")
  })

  it("has one operation for each of the contract's", () => {
    assert.deepStrictEqual(
      operations.map(({ method, operationId, path }) => `${operationId}: ${method} ${path}`).toSorted(),
      ours
        .map((operation) => {
          const path = operation.path.replace(/:(\w+)/g, "{$1}")
          return `${nameOf(operation)}: ${operation.method.toLowerCase()} ${path}`
        })
        .toSorted()
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
})

it.live("a refusal for its form is what the document says", () =>
  Effect.gen(function* () {
    const patient = yield* Host.start()
    const brief = yield* Host.start({ headers: "50 millis", request: "100 millis" })
    for (const [status, text] of [
      [405, Host.request("POST /v1/organizations", "Connection: close")],
      [408, "GET /v1/organizations HTTP/1.1\r\n"],
      [413, Host.request("GET /v1/organizations", "Content-Length: 65537")],
      [414, Host.request(`GET /v1/organizations?${"a".repeat(2048)}`)],
      [431, Host.request("GET /v1/organizations", `X: ${"a".repeat(20_000)}`)]
    ] as const) {
      const { url } = status === 408 ? brief : patient
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

it("the document of another registry has operations of every kind without a word about them", () => {
  const { paths, ...rest } = make(Echo.operations)
  assert.isFalse(JSON.stringify({ paths, ...rest }).includes('"additionalProperties":false'))
  for (const [path, method, ...expected] of [
    ["/v1/echo/path/{text}/{number}", "get", "echo.path", "path text, path number", "", "200 application/json"],
    ["/v1/echo/query", "get", "echo.query", "query text?, query number?, query list?", "", "200 application/json"],
    // its own, and not that of GET
    ["/v1/echo/query", "head", "echo.head", "query text?, query number?, query list?", "", "204"],
    ["/v1/echo/headers", "get", "echo.headers", "header x-echo, header if-match?", "", "200 application/json"],
    ["/v1/echo/json", "post", "echo.json", "", "application/json", "200 application/json"],
    ["/v1/echo/form", "put", "echo.form", "", "application/x-www-form-urlencoded", "200 application/json"],
    ["/v1/echo/text", "patch", "echo.text", "", "text/plain", "200 text/plain"],
    ["/v1/echo/bytes", "put", "echo.bytes", "", "application/octet-stream", "200 application/octet-stream"],
    ["/v1/echo/create", "post", "echo.create", "header idempotency-key", "application/json", "200 application/json"]
  ] as const) {
    const { operationId, parameters, requestBody, responses } = paths[path]?.[method] ?? assert.fail(path)
    const [[status, response] = assert.fail(path)] = Object.entries(responses)
    assert.deepStrictEqual(
      [
        operationId,
        parameters.map(({ in: place, name, required }) => `${place} ${name}${required ? "" : "?"}`).join(", "),
        Object.keys(requestBody?.content ?? {}).join(),
        `${status} ${Object.keys(response.content ?? {}).join()}`.trim()
      ],
      expected
    )
  }
  assert.strictEqual(paths["/v1/echo/json"]?.post?.description, "Answer with JSON in an envelope.")
})
