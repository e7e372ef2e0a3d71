import { assert, describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Arbitrary, Effect, Exit, Option, Result, Schema } from "effect"
import { identity } from "effect/Function"
import { Headers } from "effect/http"
import { ApiKeyNotFound } from "@cloud-management/core/ApiKey"
import { CallError, InvalidResponse, TransportFailed, UnexpectedStatus } from "@cloud-management/client/CallError"
import { Envelope, Operation } from "@cloud-management/client"
import { deleteApiKey, listOrganizations } from "@cloud-management/core/Operations"
import * as Head from "../src/internal/head.ts"
import * as Interpretation from "../src/internal/response.ts"
import { foreign } from "./foreign.ts"
import { between, call, connect, ids, keyIds, registry, seeded, success, type Respond } from "./Stub.ts"

const envelope = (status: number, rest: object = {}) => ({
  status,
  error: "CODE: What happened",
  requestId: "req-123",
  ...rest
})

const failure = Effect.fnUntraced(function* (operation: Operation.Any, respond: Respond) {
  const { cloud, requests } = yield* connect(respond)
  const error = yield* Effect.flip(call(cloud, operation))
  expect(error).toBeInstanceOf(CallError)
  expect(requests).toHaveLength(1)
  return error
})

const declared = registry.flatMap((operation) =>
  operation.errors.map(
    (Refusal) => [Number(Refusal.status), Refusal.name, Operation.nameOf(operation), operation] as const
  )
)

describe("an error envelope", () => {
  it.effect.each(declared)("of status %s is %s for %s", function* ([status, tag, name, operation]) {
    const error = yield* failure(operation, () => Response.json(envelope(status), { status }))
    expect(error.reason).toMatchObject({ _tag: tag, message: "CODE: What happened", requestId: "req-123" })
    const { method, path } = operation
    expect(error).toMatchObject({ _tag: "CallError", operation: name, method, path, status, attempts: 1 })
    // a path template, never an ID
    expect(Object.values(ids).filter((id) => JSON.stringify(error).includes(id))).toEqual([])
    expect(error.requestId).toBe("req-123")
    expect(error.message).toBe(`${name}: ${tag} (HTTP ${status}): CODE: What happened (request req-123)`)
  })

  it("is recognized by hand exactly where `Envelope.Failure` decodes it", () => {
    const interpret = Interpretation.compile(deleteApiKey)
    const values = [undefined, null, 404, 403, "404", "CODE: x", "Code: x", "", true, [], {}]
    for (const status of values) {
      for (const error of values) {
        for (const requestId of values) {
          const body = JSON.stringify({ status, error, requestId })
          const decoded = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope.Failure))(body)
          const isRefusal = Option.exists(decoded, (failure) => failure.status === 404 && failure.error === "CODE: x")
          const head = Head.read({ status: 404, headers: Headers.empty, at: 0, nowMillis: 0 }, "")
          const read = interpret(head, Result.succeed(new TextEncoder().encode(body)), identity)
          expect([body, Result.merge(read) instanceof ApiKeyNotFound]).toEqual([body, isRefusal])
        }
      }
    }
  })

  it.effect.each<[what: string, body: object]>([
    ["without a requestId", { status: 403, error: "CODE: What happened" }],
    ["with a requestId of null", envelope(403, { requestId: null })],
    ["with a code of several words", envelope(403, { error: "NOT_YOUR_ORGANIZATION_2: What happened" })],
    ["with more fields", envelope(403, { details: [{ field: "x" }], region: "eu" })]
  ])("is read %s", function* ([, body]) {
    const { reason } = yield* failure(deleteApiKey, () => Response.json(body, { status: 403 }))
    expect(reason).toMatchObject({ _tag: "Forbidden", message: expect.stringMatching(/^[A-Z_0-9]+: What happened$/) })
  })

  it.effect("takes its requestId from x-request-id when the body has none", function* () {
    const headers = { "x-request-id": "req-9" }
    const bodies = [
      { status: 403, error: "CODE: x" },
      { status: 403, error: "CODE: x", requestId: "" },
      { status: 403, error: "CODE: x", requestId: "req-123" },
      { error: "Forbidden", requestId: "of a gateway" }
    ]
    const found = yield* Effect.forEach(bodies, (body) =>
      failure(deleteApiKey, () => Response.json(body, { status: 403, headers }))
    )
    expect(found.map(({ reason }) => "requestId" in reason && reason.requestId)).toEqual([
      "req-9",
      "req-9",
      "req-123",
      "req-9"
    ])
  })
})

describe("a response without the error envelope", () => {
  const almost: Readonly<Record<string, (status: number) => string>> = {
    "a code without a space after it": (status) => `{"status":${status},"error":"http://errors.example.com/404"}`,
    "a code within a sentence": (status) => `{"status":${status},"error":"the gateway says NOT_FOUND: no route"}`,
    "a success": () => JSON.stringify(success["organizations.list"]),
    "JSON that breaks off": () => '{"error":"CODE: x',
    "bytes that are not UTF-8": () => "\u0000\uffff"
  }

  it.effect.each(Object.entries({ ...foreign, ...almost }))(
    "keeps the type of a declared status, but says nothing about a resource: %s",
    function* ([, body]) {
      for (const [status, tag, , operation] of declared) {
        const error = yield* failure(operation, () => new Response(body(status), { status }))
        expect(error).toMatchObject({ status, reason: { _tag: status === 404 ? "UnexpectedStatus" : tag } })
        expect(error.reason.message).toMatch(/^no error envelope: the body (begins: |is empty$)/)
      }
    }
  )
})

describe("a response that is not the service's says where its request went", () => {
  const requested = "; requested DELETE https://example.com"
  const path = "/v1/organizations/:organizationId/keys/:keyId"
  const page = new Response("<html>Welcome</html>")

  it.effect.each<[what: string, baseUrl: string, response: Response, message: string]>([
    [
      "as with a 404 of a gateway",
      "https://example.com/api/",
      new Response("Not Found", { status: 404 }),
      `UnexpectedStatus (HTTP 404): no error envelope: the body begins: Not Found${requested}/api${path}`
    ],
    [
      "as with a version that is there twice",
      "https://example.com/v1",
      page,
      `InvalidResponse (HTTP 200): the body is not JSON: <html>Welcome</html>${requested}/v1${path}: the base URL must not end with /v1`
    ],
    [
      "unlike one that is",
      "https://example.com",
      Response.json(envelope(403), { status: 403 }),
      "Forbidden (HTTP 403): CODE: What happened (request req-123)"
    ],
    [
      "unlike one of a gateway that found the service",
      "https://example.com",
      new Response("Bad Gateway", { status: 502 }),
      "UnexpectedStatus (HTTP 502): no error envelope: the body begins: Bad Gateway"
    ]
  ])("%s", function* ([, baseUrl, response, message]) {
    const { cloud } = yield* connect(() => response, { baseUrl })
    expect((yield* Effect.flip(cloud.apiKeys.delete(keyIds))).message).toBe(`apiKeys.delete: ${message}`)
  })
})

describe("a success", () => {
  const empty = { status: 204 }
  it.effect.each<[what: string, body: object, headers: Record<string, string>, expected: object]>([
    ["a status", { status: 200 }, {}, { status: 200 }],
    ["another status than that of HTTP", { status: 418 }, {}, { status: 418 }],
    ["an unknown field", { status: 200, region: "eu" }, {}, { status: 200 }],
    ["a requestId", { requestId: "req-123" }, {}, { requestId: "req-123" }],
    ["a request ID in its header", {}, { "x-request-id": "req-9" }, { requestId: "req-9" }],
    ["that, and no content", empty, { "x-request-id": "req-9" }, { requestId: "req-9" }],
    ["that, and null", { status: 200, requestId: null }, { "x-request-id": "r-9" }, { status: 200, requestId: "r-9" }],
    ["both", { requestId: "req-123" }, { "x-request-id": "req-9" }, { requestId: "req-123" }]
  ])("is the service's with %s", function* ([, body, headers, expected]) {
    const respond = () =>
      body === empty ? new Response(null, { ...empty, headers }) : Response.json(body, { headers })
    const { cloud } = yield* connect(respond)
    expect(yield* cloud.execute(deleteApiKey, keyIds)).toEqual(expected)
  })

  it.effect.each<[what: string, body: string]>([
    ["a page that asks to log in", '{"login":"please"}'],
    ["nothing in it", "{}"],
    ["a status and a requestId of null", '{"status":null,"requestId":null}'],
    ["a status in words", '{"status":"ok"}'],
    ["an empty requestId", '{"requestId":""}']
  ])("acknowledges no deletion with %s", function* ([, body]) {
    const error = yield* failure(deleteApiKey, () => new Response(body, { headers: { "x-request-id": "" } }))
    expect(error.reason).toMatchObject({
      _tag: "InvalidResponse",
      message: `the body has no status and no request ID, as an envelope has (operations without: --envelope none), and begins: ${body}`
    })
    expect(error).toMatchObject({ status: 200, outcome: "unknown", isRetryable: false })
  })

  it.effect("is the service's by its status, also where an operation of one's own does not declare that", function* () {
    const success = Schema.Struct({ requestId: Schema.optionalKey(Schema.String), result: Schema.Int })
    const bare = Operation.make({ ...deleteApiKey, success: { ...Envelope.withoutResult, schema: success } })
    const { cloud } = yield* connect(() => Response.json({ status: 200, result: 7 }))
    expect(yield* cloud.execute(bare, keyIds)).toEqual({ result: 7 })
    const error = yield* connect(() => Response.json({ result: 7 })).pipe(
      Effect.flatMap(({ cloud }) => Effect.flip(cloud.execute(bare, keyIds)))
    )
    expect(error.reason._tag).toBe("InvalidResponse")
  })

  it.effect.each<[what: string, body: string | null, message: string]>([
    ["nothing", null, "the body is not JSON"],
    ["HTML", "<h1>Welcome</h1>", "the body is not JSON: <h1>Welcome</h1>"],
    ["JSON that breaks off", '{"result":[', 'the body is not JSON: {"result":['],
    ["null", "null", "the body does not match its schema: Expected object"],
    ["a list without an envelope", `[{"id":"${ids.organizationId}"}]`, "Expected object"],
    ["no result", '{"status":200}', 'Missing key at ["result"]'],
    ["an empty list", '{"status":200,"result":[]}', 'at ["result"]'],
    ["a result of null", '{"status":200,"result":null}', 'at ["result"]'],
    [
      "an ID that is not a UUID",
      '{"result":[{"id":"../.."}]}',
      'Expected a UUID (8-4-4-4-12 hexadecimal digits) at ["result"][0]["id"]'
    ],
    ["a status that is no number", `{"status":"ok","result":[{"id":"${ids.organizationId}"}]}`, 'at ["status"]']
  ])("is invalid with %s", function* ([, body, message]) {
    const respond = () => new Response(body, { status: 200, headers: { "x-request-id": "req-9" } })
    const error = yield* failure(listOrganizations, respond)
    expect(error.reason).toMatchObject({ _tag: "InvalidResponse", requestId: "req-9" })
    expect(error.reason.message).toContain(message)
    expect(error).toMatchObject({ status: 200, outcome: "unknown", isRetryable: false })
  })
})

/** A body that comes in pieces of the given sizes, again and again; it may break off at the end. */
const inChunks = (bytes: Uint8Array<ArrayBuffer>, sizes: ReadonlyArray<number>, broken = false) => {
  let [position, turn] = [0, 0]
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      if (position >= bytes.length) {
        return broken ? controller.error(new Error("the connection broke")) : controller.close()
      }
      const size = sizes[turn++ % sizes.length] ?? bytes.length
      controller.enqueue(bytes.slice(position, position + size))
      position += size
    }
  })
}

const json = Arbitrary.schema(Schema.Json)
const text = Arbitrary.schema(Schema.String)
const id = Arbitrary.schema(listOrganizations.success.schema.fields.result).pipe(Arbitrary.map(([{ id }]) => id))
const bytes = Arbitrary.map(Arbitrary.schema(Schema.Array(between(0, 255))), (numbers) => Uint8Array.from(numbers))
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
/** From pure noise to what is nearly right. */
const bodies = Arbitrary.flatMap(Arbitrary.schema(between(0, 6)), (kind) => {
  const kinds: ReadonlyArray<Arbitrary.Arbitrary<Uint8Array<ArrayBuffer>>> = [
    bytes,
    Arbitrary.map(text, (text) => new TextEncoder().encode(text)),
    Arbitrary.map(json, encode),
    Arbitrary.map(Arbitrary.all({ status: json, requestId: json, result: json }), encode),
    Arbitrary.map(Arbitrary.all({ status: json, requestId: json, error: json }), encode),
    Arbitrary.map(Arbitrary.all({ error: text, requestId: text }), encode),
    Arbitrary.map(Arbitrary.all({ id, name: json, createdAt: json, status: json }), (item) =>
      encode({ result: [item] })
    )
  ]
  return kinds[kind] ?? bytes
})

const headerNames = [
  "content-type",
  "content-length",
  "content-encoding",
  "x-request-id",
  "retry-after",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit",
  "date",
  "location",
  "x-other"
] as const
const headerValues = Arbitrary.flatMap(Arbitrary.schema(Schema.Boolean), (known) =>
  known
    ? Arbitrary.schema(
        Schema.Literals([
          "0",
          "7",
          "-1",
          "1e999",
          "99999999999999999999",
          "NaN",
          "gzip",
          "soon",
          "application/json",
          "Fri, 31 Dec 9999 23:59:59 GMT",
          "limit=1, remaining=0, reset=9"
        ])
      )
    : Arbitrary.map(text, (text) => text.replace(/[^\u0020-\u007e\u00a0-\u00ff]/g, ""))
)
const headers = Arbitrary.schema(Schema.Array(Schema.Literals(headerNames))).pipe(
  Arbitrary.flatMap((names) => Arbitrary.all(Object.fromEntries(names.map((name) => [name, headerValues]))))
)

/** The exit is a value, or an error of the operation's own; a defect fails the test with its cause. */
const isExpected = (operation: Operation.Any, exit: Exit.Exit<unknown, { readonly reason: object }>) => {
  if (Exit.isSuccess(exit)) return
  const error = Option.getOrThrowWith(Exit.findErrorOption(exit), () => new Error(String(exit)))
  assert.instanceOf(error, CallError)
  const own = [...operation.errors, UnexpectedStatus, InvalidResponse, TransportFailed]
  assert.isTrue(own.some((Reason) => error.reason instanceof Reason))
  assert.match(error.message, /^[^\u0000-\u001f]*$/)
  assert.isBelow(error.message.length, 500)
}

describe("whatever comes back", () => {
  const operation = Schema.Literals([...registry.keys()])

  it.effect.prop(
    "7: a call gives a value or one of its operation's own errors, for any status, headers and body",
    {
      operation,
      status: between(200, 599),
      headers,
      body: bodies,
      sizes: Schema.Array(between(1, 64)),
      broken: Schema.Boolean
    },
    function* ({ body, broken, headers, operation: index, sizes, status }) {
      const operation = registry[index] ?? expect.unreachable()
      const empty = [204, 205, 304].includes(status)
      const { cloud } = yield* connect(
        () => new Response(empty ? null : inChunks(body, sizes, broken), { status, headers })
      )
      const exit = yield* Effect.exit(call(cloud, operation))
      isExpected(operation, exit)
      if (Exit.isSuccess(exit)) assert.isTrue(status < 300 && (empty || !broken), String(status))
    },
    seeded(300)
  )

  it.effect.prop(
    "7: a call fails with TransportFailed, whatever the transport throws",
    { operation, thrown: json, message: text, code: json, depth: between(0, 7) },
    function* ({ code, depth, message, operation: index, thrown }) {
      const operation = registry[index] ?? expect.unreachable()
      let error: unknown = thrown
      for (let i = 0; i < depth; i++) error = Object.assign(new Error(message, { cause: error }), { code })
      const { cloud } = yield* connect(() => Promise.reject(error))
      const exit = yield* Effect.exit(call(cloud, operation))
      isExpected(operation, exit)
      expect(Option.getOrUndefined(Exit.findErrorOption(exit))?.reason._tag).toBe("TransportFailed")
    },
    seeded(100)
  )
})

describe("a broken connection", () => {
  const broken = (error: unknown) => failure(deleteApiKey, () => Promise.reject(error))
  const withCode = (code: string) =>
    new TypeError("fetch failed", { cause: Object.assign(new Error(`connect ${code} 127.0.0.1:1`), { code }) })

  const codes = (outcome: string, isRetryable: boolean, codes: string) =>
    codes.split(/\s+/).map((code): [string, string, boolean] => [code, outcome, isRetryable])
  it.effect.each([
    ...codes(
      "not-sent",
      true,
      `ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT
      UND_ERR_PRX_CONN EADDRNOTAVAIL`
    ),
    ...codes(
      "not-sent",
      false,
      `ERR_PROXY_REFUSED ERR_TLS_CERT_ALTNAME_INVALID DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED
      INVALID_PURPOSE INVALID_CA CRL_HAS_EXPIRED PATH_LENGTH_EXCEEDED UND_ERR_INVALID_ARG
      SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_SSL_WRONG_VERSION_NUMBER
      ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ERR_SSL_DH_KEY_TOO_SMALL`
    ),
    ...codes(
      "unknown",
      true,
      `ECONNRESET EPIPE UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT ETIMEDOUT HPE_INVALID_CONSTANT
      ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC ERR_SSL_BAD_RECORD_TYPE SOMETHING_NEW`
    )
  ])("with the code %s leaves the request %s", function* ([code, outcome, isRetryable]) {
    const error = yield* broken(withCode(code))
    expect(error).toMatchObject({ outcome, isRetryable, reason: { _tag: "TransportFailed", code } })
    expect(error.status).toBe(undefined)
    expect(error.reason.message).toContain("fetch failed")
    expect(error.reason.message).toContain(code)
  })

  it.effect.each<[syscall: string, outcome: string, codes: ReadonlyArray<string>]>([
    ["connect", "not-sent", ["ECONNRESET", "ECONNABORTED", "EPIPE", "ENOBUFS", "EHOSTUNREACH"]],
    ["getaddrinfo", "not-sent", ["EHOSTUNREACH"]],
    ["read", "unknown", ["EHOSTUNREACH"]],
    ["write", "unknown", ["EHOSTUNREACH"]],
    ["writev", "unknown", ["EHOSTUNREACH"]]
  ])(
    "that ends in the system's %s leaves the request %s, whatever the code: %j",
    function* ([syscall, outcome, codes]) {
      for (const code of codes) {
        const cause = Object.assign(new Error(`${syscall} ${code} 127.0.0.1:1`), { code, syscall })
        const error = yield* broken(new TypeError("fetch failed", { cause }))
        expect(error).toMatchObject({ outcome, isRetryable: true, reason: { code } })
      }
    }
  )

  it.effect.each(["ECONNREFUSED", "ETIMEDOUT"])("to each of several addresses names them: %s", function* (code) {
    const errors = ["::1", "127.0.0.1"].map((address) =>
      Object.assign(new Error(`connect ${code} ${address}:1`), { code, syscall: "connect" })
    )
    const error = yield* broken(new TypeError("fetch failed", { cause: new AggregateError(errors) }))
    expect(error).toMatchObject({ outcome: "not-sent", isRetryable: true, reason: { code } })
    expect(error.reason.message).toBe(`fetch failed: connect ${code} ::1:1, connect ${code} 127.0.0.1:1`)
  })

  it.effect("leaves no URL in a message, since ids are in it", function* () {
    const url = `https://api.example.com/v1/organizations/${ids.organizationId}/keys/${ids.keyId}`
    const cause = new Error(`error sending request for url (${url}): client error (Connect)`)
    const error = yield* broken(new TypeError(`fetch of ${url} failed`, { cause }))
    expect(error.reason.message).toBe("fetch of … failed: error sending request for url (…): client error (Connect)")
  })

  it.effect("without a code may have been applied", function* () {
    const error = yield* broken(new TypeError("Failed to fetch"))
    expect(error).toMatchObject({ outcome: "unknown", isRetryable: true })
    expect("code" in error.reason).toBe(false)
  })

  it.effect("of a proxy names it, whatever its name looks like, and quotes nothing else", function* () {
    const proxyOrigin = "http://enterprisehttpproxy1ab.example:3128"
    const failed = (text: string) =>
      broken(Object.assign(new Error(`the proxy ${proxyOrigin} ${text}`), { code: "ERR_PROXY_REFUSED", proxyOrigin }))
    expect(yield* failed("refused CONNECT (403)")).toMatchObject({
      outcome: "not-sent",
      isRetryable: false,
      reason: { message: `${proxyOrigin}: the proxy refused CONNECT (403)`, proxy: proxyOrigin }
    })
    const { reason } = yield* failed("refused c2VjcmV0LW9mLWEta2V5")
    expect(reason.message).toBe(`${proxyOrigin}: (withheld: it may repeat the credentials)`)
  })

  it.effect("within the body of a refusal that no other connection would complete leaves its type", function* () {
    const cause = Object.assign(new Error("the coding br is unknown"), { code: "INVALID_CONTENT_CODING" })
    const refusal = yield* failure(deleteApiKey, () => {
      const body = new ReadableStream({ pull: (controller) => controller.error(cause) })
      return new Response(body, { status: 403, headers: { "x-request-id": "req-1" } })
    })
    expect(refusal).toMatchObject({ status: 403, outcome: "refused", requestId: "req-1" })
    expect(refusal.reason).toMatchObject({
      _tag: "Forbidden",
      message: "no error envelope: the body cannot be read: the coding br is unknown"
    })
  })

  it.effect("within a body has sent the request, whatever its code says of connections", function* () {
    const broken = Object.assign(new Error("unreachable"), { code: "EHOSTUNREACH" })
    const body = new ReadableStream({ pull: (controller) => controller.error(broken) })
    const error = yield* failure(deleteApiKey, () => new Response(body, { status: 200 }))
    expect(error).toMatchObject({ outcome: "unknown", reason: { _tag: "TransportFailed", code: "EHOSTUNREACH" } })
  })

  it.effect("whose cause is itself is read all the same", function* () {
    const cyclic = new Error("round and round")
    cyclic.cause = cyclic
    expect((yield* broken(cyclic)).reason.message).toContain("round and round")
  })
})

describe("the size limit", () => {
  const standard = 10 * 1024 * 1024
  const padded = (bytes: number) => {
    // counted in bytes, not in characters
    const body = new TextEncoder().encode(
      JSON.stringify({ result: [{ id: ids.organizationId, name: "✓".repeat(50) }], status: 200 })
    )
    return Uint8Array.from({ length: bytes }, (_, i) => body[i] ?? 0x20)
  }
  const list = Effect.fnUntraced(function* (respond: Respond, maxResponseBytes?: number) {
    const { cloud } = yield* connect(respond, maxResponseBytes === undefined ? {} : { maxResponseBytes })
    return yield* Effect.result(cloud.organizations.list())
  })

  it.effect.each([
    ["declared", { "content-length": "" }],
    ["not declared", {}]
  ] as const)("8: lets a body pass that has just its length, if the length is %s", function* ([, headers]) {
    const respond = (bytes: number) => () => {
      const length = "content-length" in headers ? { "content-length": String(bytes) } : {}
      return new Response(inChunks(padded(bytes), [100]), { headers: length })
    }
    expect(yield* list(respond(1000), 1000)).toMatchObject({ _tag: "Success" })
    expect(yield* list(respond(1001), 1000)).toMatchObject({
      failure: { status: 200, reason: { _tag: "InvalidResponse", message: "the body exceeds maxResponseBytes (1000)" } }
    })
  })

  it.effect("8: is 10 MiB unless an option says otherwise", function* () {
    expect(yield* list(() => new Response(padded(standard)))).toMatchObject({ _tag: "Success" })
    expect(yield* list(() => new Response(padded(standard + 1)))).toMatchObject({
      failure: { reason: { _tag: "InvalidResponse", message: "the body exceeds maxResponseBytes (10485760)" } }
    })
  })

  it.effect("stops reading, and cancels the rest", function* () {
    let [pulled, cancelled] = [0, false]
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(1000))
      },
      cancel: () => {
        cancelled = true
      }
    })
    expect(yield* list(() => new Response(endless), 10_000)).toMatchObject({ _tag: "Failure" })
    expect(pulled).toBeLessThan(20)
    expect(cancelled).toBe(true)
  })
})
