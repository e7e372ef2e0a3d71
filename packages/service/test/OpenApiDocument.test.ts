import { assert, expect, Host, it } from "../../../checks/fixtures/index.ts"
import { Predicate, Schema } from "effect"
import { make } from "../src/frame/OpenApiDocument.ts"
import { document } from "../src/cloud/description.ts"
import { Echo } from "@cloud-management/testing"
import * as Representation from "../src/frame/wire/representation.ts"

/** A value that fits into a line has one, so that people can read the document, and its changes. */
const print = (value: unknown, indent = "\n", name = ""): string => {
  const line = name + JSON.stringify(value, null, 1).replace(/\n */g, " ")
  if (!Predicate.isObjectOrArray(value) || indent.length + line.length <= 120) return line
  const inner = `${indent}  `
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((item) => print(item, inner))]
    : ["{", "}", Object.entries(value).map(([key, item]) => print(item, inner, `${JSON.stringify(key)}: `))]
  return `${name}${open}${inner}${parts.join(`,${inner}`)}${indent}${close}`
}

it("the document is the committed one; `vitest --project service -u` brings that up to date", async () => {
  await expect(`${print(JSON.parse(JSON.stringify(document)))}\n`).toMatchFileSnapshot("../../../docs/openapi.json")
})

const Content = Schema.Struct({ "application/json": Schema.Struct({ example: Schema.JsonObject }) })
const Refusal = Schema.Struct({ headers: Schema.JsonObject, content: Content })

it.live("a refusal for its form is what the document says", function* () {
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
    const $ref = `#/components/responses/${status}`
    assert.deepStrictEqual<unknown>(document.paths["/v1/organizations"]?.get?.responses[status], { $ref })
    const { content, headers } = Schema.decodeUnknownSync(Refusal)(
      Reflect.get(document.components, "responses")[status]
    )
    const { example } = content["application/json"]
    const sent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))(body)
    for (const failure of [example, sent]) Schema.decodeUnknownSync(Representation.Failure)(failure)
    assert.deepStrictEqual({ ...sent, requestId: example["requestId"] ?? null }, example)
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
    for (const name of Object.keys(headers)) assert.match(head, new RegExp(`^${name}: `, "im"))
  }
})

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
  assert.strictEqual(paths["/v1/echo/json"]?.post?.description, "Respond with JSON in an envelope.")
})
