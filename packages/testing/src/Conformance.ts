import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as Body from "@cloud-management/client/Body"
import type { CallError } from "@cloud-management/client/CallError"
import * as Client from "@cloud-management/client/Client"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import { deleteApiKey, listOrganizations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Pagination from "@cloud-management/client/Pagination"
import * as Retry from "@cloud-management/client/Retry"
import type { Odd } from "./internal/odd.ts"
import * as Echo from "./Echo.ts"
import * as Faults from "./Faults.ts"
import * as Fixtures from "./Fixtures.ts"

/** A statement is not true for the transport under test. */
export class Mismatch extends Data.TaggedError("Mismatch")<{
  readonly message: string
  readonly expected: string
  readonly actual: string
}> {
  constructor({ actual, expected }: { readonly expected: string; readonly actual: string }) {
    super({ expected, actual, message: `expected ${expected}, got ${actual}` })
  }
}

/**
 * One statement, as a program over the transport under test that fails, in any way, if the statement is not true.
 */
export interface Case {
  /** The statement, as a sentence. */
  readonly name: string
  /** Its source: a section of the specification, or `semantics` for behaviour that the specification leaves open. */
  readonly section: string
  readonly effect: Effect.Effect<void, unknown, HttpClient.HttpClient>
}

const equal = (actual: unknown, expected: unknown): Effect.Effect<void, Mismatch> => {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  return a === e ? Effect.void : Effect.fail(new Mismatch({ expected: e, actual: a }))
}
const matches = (actual: string | undefined, pattern: RegExp): Effect.Effect<void, Mismatch> =>
  actual !== undefined && pattern.test(actual)
    ? Effect.void
    : Effect.fail(new Mismatch({ expected: String(pattern), actual: String(actual) }))

const row = (
  section: string,
  name: string,
  body: () => Generator<Effect.Effect<unknown, unknown, HttpClient.HttpClient>, void, never>
): Case => ({ section, name, effect: Effect.gen(body) })

/** A case of one kind of operation. */
const kind = (name: string, body: Parameters<typeof row>[2]) => row("operations", name, body)

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Client = Client.Client<typeof Echo.registry>
type AnyError = CallError<{ readonly _tag: string; readonly message: string }>

const { multipart } = Echo.operations.kinds
const typed = Body.multipart(multipart.payload.schema, Body.partTypes({ title: "text/markdown", tags: "text/plain" }))

/** Creates the clients for the cases: those of `core`, or others that must behave the same. */
export type MakeClient = typeof Client.make

/**
 * The cases that every transport must pass: the statements of the specification, and each decision on open behaviour
 * that a transport can affect.
 *
 * **Details**
 *
 * Cases are data, independent of any test runner, so they also run in a page or a worker. `baseUrl` is the URL of a
 * `ConformanceService` with fresh content. Each case runs once against it, in any order. `makeClient` creates the
 * clients.
 *
 * **Example** (Running all cases over one transport)
 *
 * ```ts
 * import * as Duration from "effect/Duration"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Conformance from "@cloud-management/testing/Conformance"
 * import * as ConformanceService from "@cloud-management/testing/ConformanceService"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const transport = InMemoryTransport.layerService.pipe(Layer.provide(ConformanceService.layer))
 * const all = Effect.forEach(Conformance.cases("http://in-memory"), ({ effect }) => effect).pipe(
 *   Effect.provide(transport)
 * )
 * ```
 */
export const cases = (baseUrl: string, makeClient: MakeClient = Client.make): ReadonlyArray<Case> => {
  const connect = (
    options: Partial<Client.Options> & { readonly key?: { readonly id: string; readonly secret: string } } = {}
  ) => {
    const { key = Fixtures.deployKey, ...rest } = options
    const credentials = Credentials.make(key.id, key.secret)
    const client = makeClient(Echo.registry, { baseUrl, credentials, retry: Retry.none, ...rest })
    return <A, E>(use: (cloud: Client) => Effect.Effect<A, E>) => Effect.flatMap(Effect.orDie(client), use)
  }
  const deploy = connect()
  const odd = (name: Odd, options: Partial<Client.Options> = {}) =>
    connect({ baseUrl: `${baseUrl}/odd/${name}`, ...options })

  const list = (cloud: Client) => cloud.organizations.list()
  const name = (cloud: Client) => Effect.map(list(cloud), ([{ name }]) => name)
  /** The target that the service got, below the base URL, with its credentials. */
  const asked = (options?: Partial<Client.Options>) =>
    Effect.map(odd("asked", options)(name), (asked = "") => asked.split("").reverse().join(""))
  const remove = (keyId: ApiKeyId) => (cloud: Client) => cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId })

  /** `ok`, or the status and the tag of the reason. */
  const outcome = <A, R>(effect: Effect.Effect<A, AnyError, R>) =>
    Effect.match(effect, {
      onSuccess: () => "ok",
      onFailure: ({ reason, status }) => (status === undefined ? reason._tag : `${status} ${reason._tag}`)
    })

  /** The raw response. */
  const raw = (path: string) =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { id, secret } = Fixtures.deployKey
      const request = HttpClientRequest.get(baseUrl + path).pipe(HttpClientRequest.basicAuth(id, secret))
      const response = yield* Effect.catchReason(
        client.execute(request),
        "HttpClientError",
        "StatusCodeError",
        ({ response }) => Effect.succeed(response)
      )
      return { status: response.status, headers: response.headers, text: yield* response.text }
    })
  const hanging = (path: string, count: string) =>
    Effect.flatMap(HttpClient.HttpClient, (client) =>
      Effect.flatMap(client.get(`${baseUrl}/hanging${path}`), ({ text }) => text)
    ).pipe(
      Effect.flatMap((now) => equal(now, count)),
      // so often, and not so long: a busy machine is slower, and a garbage collector ends a request that nobody does
      Effect.retry({ times: 400, schedule: Schedule.spaced("5 millis") })
    )

  /**
   * How a call with an odd response ends. An endless response is cut off; if not even its head has arrived by then, as
   * on a busy machine, it gets more time.
   */
  const ending = Effect.fnUntraced(function* <A>(name: Odd, use: (cloud: Client) => Effect.Effect<A, AnyError>) {
    if (!name.startsWith("stalled") && name !== "hang") return yield* outcome(odd(name)(use))
    let actual = "Timeout"
    for (const attempt of name === "hang" ? [250] : [250, 1000, 4000]) {
      if (actual === "Timeout") actual = yield* outcome(odd(name, { deadline: { attempt } })(use))
    }
    return actual
  })
  /** Cases of a call with an odd response. */
  const oddities =
    <A>(use: (cloud: Client) => Effect.Effect<A, AnyError>) =>
    (...rows: ReadonlyArray<readonly [odd: Odd, expected: string, name: string]>) =>
      rows.map(([response, expected, name]) =>
        row("semantics", name, function* () {
          yield* equal(yield* ending(response, use), expected)
        })
      )
  const missing = ApiKeyId.make("a0000000-0000-4000-8000-0000000000ff")

  /** Text that a query, a form and a path must carry unchanged. */
  const text = "a b+c%2F&d=e/ü✓;#?\u{1f600}"
  const reserved = "a/b?c#d%2F;=&,:@ü"
  const parameters = { text, number: -1.5, list: ["x", "", "x,y", text] }
  /** Each byte, after those of a byte order mark. */
  const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, ...Array.from({ length: 256 }, (_, i) => i))
  const same = (call: (cloud: Client) => Effect.Effect<unknown, unknown>, expected: unknown) =>
    Effect.flatMap(deploy(call), (actual) => equal(actual, expected))
  /** A case of inputs that come back. */
  const echoed = <A>(
    name: string,
    call: (cloud: Client, input: A) => Effect.Effect<unknown, unknown>,
    inputs: ReadonlyArray<A>
  ) =>
    kind(name, function* () {
      for (const input of inputs) yield* same((cloud) => call(cloud, input), input)
    })
  const operationCases: ReadonlyArray<Case> = [
    echoed("path variables arrive unchanged", ({ echo }, params) => echo.path(params), [
      { text, number: 0 },
      { text: "...", number: -1e21 },
      { text: "%2e%2e", number: 0.5 }
    ]),
    kind("query parameters arrive unchanged: none, one, and several with one name", function* () {
      yield* same(({ echo }) => echo.query(), {})
      for (const query of [{ text: "" }, { list: ["one"] }, parameters]) {
        yield* same(({ echo }) => echo.query({ query }), query)
      }
    }),
    kind("an invalid parameter is refused by name", function* () {
      const { status, text } = yield* raw("/v1/echo/query?number=many")
      yield* equal(status, 400)
      yield* matches(text, /"BAD_REQUEST: Expected a finite number at \[\\"number\\"\]/)
    }),
    echoed("headers arrive unchanged", ({ echo }, headers) => echo.headers({ headers }), [
      { "x-echo": 'a, b; c="d"\te' },
      { "x-echo": "", "if-match": 'W/"1"' }
    ]),
    kind("a response to HEAD has headers and no content, even if it is a refusal", function* () {
      const exchange = (text: string) =>
        deploy((cloud) => cloud.exchange(Echo.operations.echo.head, { query: { text } }))
      const { requestId, status, value } = yield* exchange("yes")
      yield* equal([status, value], [204, undefined])
      yield* matches(requestId, uuid)
      const { reason, status: refused } = yield* Effect.flip(exchange("no"))
      yield* equal([refused, reason._tag], [400, "BadRequest"])
      yield* equal(reason.message, "no error envelope: the body is empty")
    }),
    kind("JSON is sent and received unchanged", function* () {
      const payload = { text, number: 0.1, at: DateTime.makeUnsafe("2026-01-02T03:04:05.678Z"), list: [null, ""] }
      yield* same(({ echo }) => echo.json({ payload }), payload)
      const exchange = yield* deploy((cloud) => cloud.exchange(Echo.operations.echo.json, { payload }))
      yield* equal([exchange.status, exchange.attempts], [200, 1])
      yield* equal(exchange.requestId, exchange.value.requestId)
    }),
    echoed("a form is sent, and received as JSON", ({ echo }, payload) => echo.form({ payload }), [
      {},
      { text: "" },
      parameters
    ]),
    echoed("text is sent and received unchanged, empty or long", ({ echo }, payload) => echo.text({ payload }), [
      "",
      "\r\n",
      text,
      "✓".repeat(20_000)
    ]),
    echoed("bytes are sent and received unchanged, none or many", ({ echo }, payload) => echo.bytes({ payload }), [
      new Uint8Array(),
      bytes,
      new Uint8Array(60_000).fill(255)
    ]),
    kind("a payload over the limit of the service is refused", function* () {
      const payload = new Uint8Array(65_537)
      // a host may end the connection before all of it has gone
      yield* matches(
        yield* outcome(deploy(({ echo }) => echo.bytes({ payload }))),
        /^(413 UnexpectedStatus|TransportFailed)$/
      )
      yield* Effect.retry(raw("/health"), { times: 3 })
    }),
    kind("a success can be empty", function* () {
      const exchange = yield* deploy((cloud) => cloud.exchange(Echo.operations.echo.delete, {}))
      yield* equal([exchange.status, exchange.value], [204, undefined])
    }),
    kind("with an idempotency key, a lost request is sent again and applied once", function* () {
      const retrying = connect({ retry: { base: 0 } })
      const create = (name: string) =>
        retrying((cloud) => cloud.exchange(Echo.operations.echo.create, { payload: { name } }))
      const transport = Layer.succeed(HttpClient.HttpClient, yield* HttpClient.HttpClient)
      const lost = transport.pipe(Faults.inject([Faults.Fault.DropAfterSend(), Faults.Fault.DropAfterSend()]))
      const first = yield* Effect.provide(create("first"), lost)
      const second = yield* create("second")
      yield* equal([first.attempts, second.attempts], [3, 1])
      yield* equal(
        [first.value.result, second.value.result],
        [
          { name: "first", count: 1 },
          { name: "second", count: 2 }
        ]
      )
    }),
    kind("a request without the required idempotency key is refused", function* () {
      const { repeat: _, ...create } = Echo.operations.echo.create
      const error = yield* Effect.flip(deploy((cloud) => cloud.execute(create, { payload: { name: "x" } })))
      yield* equal(error.status, 400)
      yield* equal(error.reason.message, "BAD_REQUEST: The header idempotency-key is missing")
    }),
    ...(["byCursor", "byOffset", "byLink"] as const).map((name) => {
      const operation = Echo.operations.echo[name]
      return kind(`a list is read to its end, from its start or from a cursor: ${name}`, function* () {
        const pages = (from?: string) =>
          deploy((cloud) =>
            Stream.runCollect(Pagination.pages(cloud, operation, { query: { list: ["a b", "&"] } }, { from }))
          )
        const all = yield* pages()
        const items = [1, 2, 3, 4, 5]
        const itemsOf = (read: typeof all) => read.flatMap((page) => page.items)
        yield* equal(itemsOf(all), items)
        yield* equal(itemsOf(yield* pages(all[0]?.next)), items.slice(2))
      })
    }),
    kind("variables inside a segment, a list in it, a colon and a fixed query", function* () {
      for (const params of [
        { name: "report", ext: "pdf", list: [1] },
        { name: reserved, ext: "tar", list: [1, -2.5, 3] }
      ]) {
        yield* same(({ kinds }) => kinds.path({ ...params, query: { text: "x" } }), params)
      }
    }),
    kind(
      "parameters of every style, JSON and long integers in them, and a list and an object in headers",
      function* () {
        for (const query of [
          {},
          { comma: ["a"], space: ["b"], pipe: ["c"], list: [reserved] },
          { comma: ["a,b", "c d", reserved], space: ["a|b", "c,d"], pipe: ["a b", "c"] },
          { deep: { "a b": "1", c: reserved } },
          { nested: { in: { [reserved]: reserved }, list: [{ item: reserved }, { item: "" }] } },
          { spread: { state: reserved, size: 7, tags: [reserved, ""] } },
          { pairs: { x: "1,2", y: reserved } },
          { json: { [reserved]: reserved } }
        ]) {
          yield* same(({ kinds }) => kinds.styles({ query }), query)
        }
        yield* same(({ kinds }) => kinds.styles({ headers: { "x-list": ["a", "b"] } }), { header: ["a", "b"] })
        const pair = { x: "1", y: "=" }
        yield* same(({ kinds }) => kinds.styles({ headers: { "x-pair": pair } }), { pair })
        yield* same(({ kinds }) => kinds.styles({ query: { long: -9007199254740993n } }), { long: "-9007199254740993" })
      }
    ),
    kind("an optional payload of another media type, and successes told apart by their status", function* () {
      yield* same(({ kinds }) => kinds.patch({ payload: { name: "x" } }), { status: 201, value: { name: "x" } })
      yield* same(({ kinds }) => Effect.map(kinds.patch({}), ({ status }) => status), 202)
    }),
    echoed("a deletion with content", ({ kinds }, payload) => kinds.remove({ payload }), [{ name: "x" }]),
    kind("one of several payloads, and a success of status 201", function* () {
      const json = { contentType: "application/json", value: { name: "x" } } as const
      const created = yield* deploy((cloud) => cloud.kinds.created({ payload: json }))
      yield* equal(created, { name: "x" })
      const text = { contentType: "text/plain", value: "y" } as const
      yield* same(({ kinds }) => kinds.created({ payload: text }), { name: "y" })
    }),
    ...[
      ["", multipart] as const,
      [", texts with types", Operation.make({ ...multipart, payload: typed })] as const
    ].map(([more, operation]) =>
      kind(`files, bytes and texts of a form, with their names and types${more}`, function* () {
        const payload = {
          title: reserved,
          file: new File(["ü✓"], "a.txt", { type: "text/plain" }),
          bytes: Uint8Array.of(104, 105),
          tags: ["x", ""]
        }
        yield* same(
          (cloud) => cloud.execute(operation, { payload }),
          [
            { name: "title", type: "", text: reserved },
            { name: "file", type: "text/plain", text: "ü✓" },
            { name: "bytes", type: "application/octet-stream", text: "hi" },
            { name: "tags", type: "", text: "x" },
            { name: "tags", type: "", text: "" }
          ]
        )
      })
    ),
    kind("a stream is sent as it is made, or not at all where the transport cannot", function* () {
      const text = ["a", "ü", "✓".repeat(5000)]
      const stream = Stream.encodeText(Stream.fromIterable(text))
      const sent = deploy(({ kinds }) => kinds.upload({ payload: { stream } }))
      yield* Effect.matchEffect(sent, {
        onSuccess: (received) => equal(received, text.join("")),
        onFailure: ({ outcome, attempts, reason }) =>
          equal([outcome, attempts, reason._tag], ["not-sent", 1, "TransportFailed"])
      })
    }),
    kind("bytes are received as they arrive", function* () {
      const stream = yield* deploy(({ kinds }) => kinds.download({ query: { parts: 300 } }))
      const sizes = yield* Stream.runFold(
        stream,
        () => [0, 0],
        ([size = 0, sum = 0], part) => [size + part.length, sum + part.reduce((a, b) => a + b, 0)]
      )
      const sum = Array.from({ length: 300 }, (_, i) => ((i + 1) % 256) * 1024).reduce((a, b) => a + b, 0)
      yield* equal(sizes, [300 * 1024, sum])
      const first = yield* deploy(({ kinds }) => kinds.download({ query: { parts: 300 } }))
      yield* equal((yield* Stream.runCollect(Stream.take(first, 1))).length, 1)
    }),
    kind("lines of JSON and events are received as they arrive", function* () {
      const lines = yield* deploy(({ kinds }) => kinds.lines())
      yield* equal(yield* Stream.runCollect(lines), [{ name: "a" }, { name: "ü✓" }])
      const events = yield* deploy(({ kinds }) => kinds.events())
      yield* equal(yield* Stream.runCollect(events), [
        { event: "message", id: "1", data: { name: "a" } },
        { event: "done", id: "1", data: { name: "b\nc" } }
      ])
    }),
    kind("integers keep their digits, both ways", function* () {
      for (const id of [1, -9007199254740993n, 9223372036854775807n]) {
        const text = "12345678901234567890"
        const { id: received, text: same } = yield* deploy(({ kinds }) => kinds.exact({ payload: { id, text } }))
        yield* equal([typeof received, String(received), same], [typeof id, String(id), text])
      }
    }),
    echoed<typeof Echo.operations.kinds.union.payload.schema.Type>(
      "alternatives lose no field",
      ({ kinds }, payload) => kinds.union({ payload }),
      [{ user: "u", password: "p" }, { note: "n" }]
    ),
    kind("an input that breaks a rule of its schema is refused by its name, and nothing is sent", function* () {
      const payload: { readonly name: string } = Object.assign({ name: "x" }, { size: 1 })
      const refusals = [
        ["payload.size", yield* Effect.flip(deploy(({ kinds }) => kinds.remove({ payload })))],
        ["text", yield* Effect.flip(deploy(({ echo }) => echo.path({ text: "..", number: 0 })))],
        ["number", yield* Effect.flip(deploy(({ echo }) => echo.path({ text: "a", number: Infinity })))]
      ] as const
      for (const [path, { attempts, outcome, reason }] of refusals) {
        yield* equal([outcome, attempts, "path" in reason && reason.path], ["not-sent", 0, path])
      }
    }),
    kind("refusals with bodies, free text, of a range and of the rest", function* () {
      const as = (as: string) => Effect.flip(deploy(({ kinds }) => kinds.refuse({ query: { as } })))
      const many = yield* as("many")
      const { reason } = many
      yield* equal(reason._tag === "TooMany" && [String(reason.body.limit), reason.message], [
        "9007199254740993",
        "At most"
      ])
      const taken = yield* as("taken")
      yield* equal(taken.reason._tag === "Taken" && [taken.status, taken.reason.body.by], [409, "others"])
      const rejected = yield* as("rejected")
      yield* equal([rejected.reason._tag, rejected.status, rejected.reason.message], ["Rejected", 422, "Not like that"])
      const gone = yield* as("gone")
      yield* equal([gone.reason._tag, gone.reason.message], ["Gone", "The word is gone since Monday"])
      const failed = yield* as("else")
      yield* equal([failed.reason._tag, failed.status, failed.reason.message], ["Failed", 507, "Out of ideas"])
    })
  ]

  const apiCases: ReadonlyArray<Case> = [
    row("2.1", "a success has status 200 and a requestId that the header x-request-id repeats", function* () {
      const { headers, text } = yield* raw("/v1/organizations")
      const beginning = `{"status":200,"requestId":"${headers["x-request-id"]}","result":[`
      yield* equal(text.slice(0, beginning.length), beginning)
      const envelope = yield* deploy((cloud) => cloud.execute(listOrganizations, {}))
      yield* equal(envelope.status, 200)
      yield* matches(envelope.requestId, uuid)
    }),
    row("2.1", "a deletion has no result", function* () {
      const params = { organizationId: Fixtures.acme, keyId: Fixtures.spareKeys.once.id }
      const envelope = yield* deploy((cloud) => cloud.execute(deleteApiKey, params))
      yield* equal(Object.keys(envelope).sort(), ["requestId", "status"])
    }),
    row("2.2", "an organization has id, createdAt, name, privateEndpoints and byocConfig", function* () {
      const [{ createdAt, ...rest }] = yield* deploy(list)
      yield* equal(rest, {
        id: Fixtures.acme,
        name: "Acme",
        privateEndpoints: [{ id: "pe-1", description: "office" }],
        byocConfig: [{ id: "byoc-1", accountName: "acme-aws" }]
      })
      yield* equal(createdAt === undefined ? undefined : DateTime.formatIso(createdAt), "2026-01-01T00:00:00.000Z")
    }),
    row("2.3", "a reverse private endpoint has the common fields and those of its type", function* () {
      yield* equal(yield* deploy((cloud) => cloud.reversePrivateEndpoints.get(Fixtures.endpoint)), {
        id: Fixtures.readyEndpoint,
        serviceId: Fixtures.analytics,
        description: "orders",
        type: "VPC_ENDPOINT_SERVICE",
        vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
        endpointId: "vpce-0123456789abcdef0",
        dnsNames: ["vpce-0123456789abcdef0.example.com"],
        privateDnsNames: ["orders.internal.example.com"],
        status: "Ready"
      })
    }),
    row("4", "a path in the base URL comes before /v1", function* () {
      yield* matches(yield* asked(), /^\/v1\/organizations Basic /)
    }),
    row("4.1", "a key lists exactly one organization, its own", function* () {
      for (const [key, id] of [
        [Fixtures.deployKey, Fixtures.acme],
        [Fixtures.globexKey, Fixtures.globex]
      ] as const) {
        yield* equal(
          (yield* connect({ key })(list)).map((organization) => organization.id),
          [id]
        )
      }
    }),
    row("4.2", "a key is deleted once: the second deletion finds none", function* () {
      const { id } = Fixtures.spareKeys.twice
      yield* equal(yield* outcome(deploy(remove(id))), "ok")
      yield* equal(yield* outcome(deploy(remove(id))), "404 ApiKeyNotFound")
    }),
    row("4.2", "exactly one of many simultaneous deletions of a key succeeds", function* () {
      const deletion = outcome(deploy(remove(Fixtures.spareKeys.concurrent.id)))
      const outcomes = yield* Effect.all(
        Array.from({ length: 8 }, () => deletion),
        { concurrency: "unbounded" }
      )
      yield* equal([...outcomes].sort(), [...Array.from({ length: 7 }, () => "404 ApiKeyNotFound"), "ok"])
    }),
    row("4.2", "the key in use cannot be deleted, and still works", function* () {
      yield* equal(yield* outcome(deploy(remove(Fixtures.deployKey.id))), "400 BadRequest")
      yield* equal(yield* outcome(deploy(list)), "ok")
    }),
    row("4.2", "a deleted key is refused at its very next request", function* () {
      const key = Fixtures.spareKeys.caller
      yield* equal(yield* outcome(connect({ key })(list)), "ok")
      yield* deploy(remove(key.id))
      yield* equal(yield* outcome(connect({ key })(list)), "401 Unauthorized")
    }),
    row("4.2", "a key of another organization is not found, and is not deleted", function* () {
      yield* equal(yield* outcome(deploy(remove(Fixtures.globexKey.id))), "404 ApiKeyNotFound")
      yield* equal(yield* outcome(connect({ key: Fixtures.globexKey })(list)), "ok")
    }),
    row("4.3", "a missing endpoint, or one of another organization, is not found", function* () {
      for (const params of [
        { ...Fixtures.endpoint, reversePrivateEndpointId: Fixtures.globexEndpoint },
        { ...Fixtures.endpoint, serviceId: Fixtures.globexService }
      ]) {
        const read = deploy((cloud) => cloud.reversePrivateEndpoints.get(params))
        yield* equal(yield* outcome(read), "404 ReversePrivateEndpointNotFound")
      }
    }),
    row("5", "an unknown key and a wrong secret get the same response", function* () {
      const refusals = yield* Effect.forEach([missing, Fixtures.deployKey.id], (id) =>
        Effect.flip(connect({ key: { id, secret: "wrong" } })(list))
      )
      yield* equal(
        refusals.map(({ reason, status }) => [status, reason._tag, reason.message]),
        Array.from({ length: 2 }, () => [401, "Unauthorized", "UNAUTHORIZED: Key is not found"])
      )
    }),
    row("5", "a disabled key and an expired key are not active", function* () {
      for (const key of [Fixtures.disabledKey, Fixtures.expiredKey]) {
        const { reason } = yield* Effect.flip(connect({ key })(list))
        yield* equal(reason.message, "UNAUTHORIZED: Key is not active")
      }
    }),
    row("5", "a secret may contain colons and any Unicode", function* () {
      yield* equal(yield* outcome(connect({ key: Fixtures.unicodeKey })(list)), "ok")
    }),
    row(
      "semantics",
      "credentials of other kinds are sent where they belong, encoded, alone and together",
      function* () {
        const bearer = Credentials.bearer("a.b~c+/==")
        const query = Credentials.query("a key", "k&1")
        for (const [credentials, expected] of [
          [bearer, " Bearer a.b~c+/== "],
          [Credentials.header("X-Echo", "k&1"), "  k&1"],
          [query, "?a%20key=k%261  "],
          [Credentials.all(bearer, query), "?a%20key=k%261 Bearer a.b~c+/== "],
          [Credentials.schemes({ query, bearer }), "?a%20key=k%261  "],
          [Credentials.none, "  "]
        ] as const) {
          yield* equal(yield* asked({ credentials }), `/v1/organizations${expected}`)
        }
      }
    ),
    row("5", "a key cannot access another organization, whether or not that one exists", function* () {
      for (const organizationId of [Fixtures.globex, OrganizationId.make(missing)]) {
        const deletion = deploy((cloud) => cloud.apiKeys.delete({ organizationId, keyId: Fixtures.globexKey.id }))
        const read = deploy((cloud) => cloud.reversePrivateEndpoints.get({ ...Fixtures.endpoint, organizationId }))
        yield* equal([yield* outcome(deletion), yield* outcome(read)], ["403 Forbidden", "403 Forbidden"])
      }
    }),
    ...oddities(remove(missing))(
      ["html-404", "404 UnexpectedStatus", "a 404 without the error envelope is a gateway's, not a missing resource"],
      ["stalled-404", "404 UnexpectedStatus", "a 404 whose body stalls is not known to be the service's"],
      ["empty-204", "ok", "a deletion confirmed without content succeeds"],
      ["empty-205", "ok", "a deletion confirmed with a 205 succeeds"]
    ),
    ...oddities(list)(
      ["empty-204", "204 InvalidResponse", "a success without content is invalid where a result is expected"],
      ["empty-205", "205 InvalidResponse", "a 205, which has no content, is invalid where a result is expected"],
      ["empty-304", "304 UnexpectedStatus", "a 304, which has no content, is unexpected"],
      ["unknown-coding", "200 InvalidResponse", "a success with an unknown content coding is invalid"],
      ["stalled", "200 Timeout", "a body that stalls is cut off at the deadline"],
      ["stalled-403", "403 Forbidden", "a refusal whose body stalls is still a refusal"],
      ["hang", "Timeout", "a request without a response ends at the deadline"],
      ["gzip", "ok", "a compressed body is read"],
      ["upper-case-gzip", "ok", "a compressed body is read regardless of the letter case of its coding"]
    ),
    ...[["large", "a body"] as const, ["gzip-bomb", "a body, when decompressed,"] as const].map(([response, what]) =>
      row("semantics", `${what} of 2 MiB is read, and cut off at a limit below`, function* () {
        yield* equal(yield* outcome(odd(response)(list)), "ok")
        const limited = odd(response, { maxResponseBytes: 1024 * 1024 })
        const { reason, status } = yield* Effect.flip(limited(list))
        yield* equal([status, reason._tag], [200, "InvalidResponse"])
        yield* matches(reason.message, /^the body exceeds maxResponseBytes \(1048576\)/)
      })
    ),
    row("semantics", "the target of a redirect is not used as the response", function* () {
      // a browser hides the status
      yield* matches(yield* outcome(odd("redirect")(list)), /^(307|0) UnexpectedStatus$/)
    }),
    row("semantics", "a body that breaks off is a failure of the transport", function* () {
      yield* equal(yield* outcome(odd("truncated")(list)), "200 TransportFailed")
      // a host may end the connection a moment later: under this request, and not under that of another case
      yield* Effect.retry(raw("/health"), { times: 3 })
    }),
    row("semantics", "a missing requestId is taken from the header", function* () {
      const { requestId } = yield* odd("absent")((cloud) => cloud.execute(listOrganizations, {}))
      yield* equal(requestId, "req-9")
    }),
    row("semantics", "a rate limit states when to try again", function* () {
      const { reason } = yield* Effect.flip(odd("limited")(list))
      yield* equal(reason._tag === "RateLimited" && reason.retryAfter, Duration.seconds(7))
    }),
    row("semantics", "characters that are split across chunks are joined", function* () {
      yield* equal(yield* odd("split")(name), "Äcmé ✓")
    }),
    row("semantics", "an interrupted call ends its request", function* () {
      yield* hanging("/release", "0")
      const fiber = yield* Effect.forkChild(odd("hang")(list))
      yield* hanging("", "1")
      yield* Fiber.interrupt(fiber)
      yield* hanging("/release", "0")
    })
  ]
  return [...apiCases, ...operationCases]
}
