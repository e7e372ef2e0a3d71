import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { ConfigProvider, Deferred, Effect, Fiber, FileSystem, Layer, Result, Schema, Stream } from "effect"
import { HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import { Body } from "@cloud-management/client"
import { Faults, Recorder } from "@cloud-management/testing"
import { defect, folder, get, origin, post, responding, text, using } from "./recorded.ts"

const counting = () => {
  let count = 0
  return responding(() => Response.json({ count: ++count }))
}
const path = (path: string) => (http: HttpClient.HttpClient) => text(http, get(path))

describe("a cassette", () => {
  it.effect("has an entry for each attempt, to be read by people", function* () {
    const { record, text: content } = yield* folder
    const transport = responding((_, { pathname }) =>
      pathname === "/bytes"
        ? new Response(Uint8Array.of(0, 255, 1), { status: 203 })
        : Response.json({ name: "Acme" }, { headers: { "x-request-id": "r-1" } })
    ).pipe(Faults.inject([Faults.Fault.None(), Faults.Fault.DropAfterSend()]))
    yield* record(transport, { matchHeaders: ["X-Tenant"] })((http) =>
      Effect.gen(function* () {
        const request = HttpClientRequest.setHeaders(post("/v1/keys?limit=2&tag=b&tag=a", { name: "deploy" }), {
          "x-tenant": "t-1",
          "x-other": "not compared"
        })
        yield* text(http, request)
        yield* Effect.flip(http.get(`${origin}/lost`))
        yield* path("/bytes")(http)
      })
    )
    const written = yield* content
    yield* Effect.promise(() => expect(written).toMatchFileSnapshot("./cassette.snap"))
  })

  it.effect("is replayed in the order of its entries, each of them once, also by concurrent calls", function* () {
    const { record, replay } = yield* folder
    const program = (http: HttpClient.HttpClient) =>
      Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i),
        (i) => Effect.map(path(`/${i % 7}`)(http), (text) => `${i}: ${text}`),
        { concurrency: 10 }
      )
    const recorded = yield* record(counting())(program)
    expect(new Set(recorded).size).toBe(50)
    for (let run = 0; run < 2; run++) expect(yield* replay()(program)).toEqual(recorded)
  })

  it.effect("is found by the query and the body, whatever the order of parameters and fields", function* () {
    const { record, replay } = yield* folder
    const all =
      (...requests: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
      (http: HttpClient.HttpClient) =>
        Effect.forEach(requests, (request) => text(http, request))
    const body = { x: 1, y: [1, 2] }
    yield* record(counting())(
      all(post("/?a=1&b=2", body), post("/?a=1&b=3", body), post("/?a=1&b=3", { x: 1, y: [2, 1] }))
    )
    const replayed = replay()(
      all(post("/?b=3&a=1", { y: [2, 1], x: 1 }), post("/?b=3&a=1", { y: [1, 2], x: 1 }), post("/?b=2&a=1", body))
    )
    expect(yield* replayed).toEqual(['{"count":3}', '{"count":2}', '{"count":1}'])
  })

  it.effect("is found by the headers that are named, and no others", function* () {
    const { record, replay } = yield* folder
    const send = (headers: Record<string, string>) => (http: HttpClient.HttpClient) =>
      text(http, HttpClientRequest.setHeaders(get("/"), headers))
    const options = { matchHeaders: ["X-Tenant"] }
    yield* record(
      counting(),
      options
    )((http) => Effect.all([send({ "x-tenant": "a", "x-other": "1" })(http), send({ "x-tenant": "b" })(http)]))
    expect(yield* replay(options)(send({ "x-tenant": "b", "x-other": "2" }))).toBe('{"count":2}')
    expect(yield* defect(replay(options)(send({})))).toContain('headers: recorded {"x-tenant":"a"}, sent nothing')
  })

  it.effect("is found by a request with a time and a random value, if they are normalized", function* () {
    const { read, record, replay } = yield* folder
    let run = 0
    const normalize: Recorder.Options["normalize"] = ({ body, query, ...request }) => ({
      ...request,
      query: { ...query, at: "…" },
      ...(body !== undefined && "json" in body && { body: { json: { ...Object(body.json), nonce: "…" } } })
    })
    const sent: Array<string> = []
    const transport = responding((_, { search }) => {
      sent.push(search)
      return new Response("done")
    })
    const send = (name: string) => (http: HttpClient.HttpClient) =>
      text(http, post(`/?at=${++run}`, { name, nonce: String(run) }))
    yield* record(transport, { normalize })(send("a"))
    expect(sent).toEqual(["?at=1"])
    expect(yield* read).toMatchObject({
      entries: [{ request: { query: { at: "…" }, body: { json: { name: "a", nonce: "…" } } } }]
    })
    expect(yield* replay({ normalize })(send("a"))).toBe("done")
    expect(yield* defect(replay({ normalize })(send("b")))).toContain('body.json.name: recorded "a", sent "b"')
    expect(yield* defect(replay()(send("a")))).toContain("query.at")
    // @ts-expect-error: of a program without types
    expect(yield* defect(replay({ normalize: () => undefined })(send("a")))).toContain("SchemaError")
  })

  it.effect.each<[what: string, body: () => HttpBody.HttpBody]>([
    ["a form", () => HttpBody.urlParams([["a", "1 2"]])],
    ["bytes", () => HttpBody.uint8Array(Uint8Array.of(0, 1, 128, 255))],
    [
      "a stream",
      () => {
        const stream = new Blob(["ab", "cd"]).stream()
        // it can be read once
        return HttpBody.stream(Stream.fromReadableStream({ evaluate: () => stream, onError: String }), "text/plain")
      }
    ],
    [
      "a form with a file",
      () => {
        const form = new FormData()
        form.append("note", "ünder")
        form.append("file", new File([Uint8Array.of(0, 9, 200)], "a.bin", { type: "application/x" }))
        return HttpBody.formData(form)
      }
    ],
    [
      "a form with a text that has a type",
      () => {
        const typed = Body.multipart(Schema.Struct({ note: Schema.String }), Body.partTypes({ note: "text/markdown" }))
        return Result.getOrThrow(typed.write({ note: "ünder" }))
      }
    ]
  ])("is found by a body that is %s", function* ([, body]) {
    const { record, replay } = yield* folder
    const received: Array<string> = []
    const transport = responding(async (request) => {
      const web = await Effect.runPromise(HttpClientRequest.toWeb(request))
      received.push(`${web.headers.get("content-length")} ${(await web.bytes()).length}`)
      return new Response("done")
    })
    const send = (sent: HttpBody.HttpBody) => (http: HttpClient.HttpClient) =>
      text(http, HttpClientRequest.setBody(HttpClientRequest.put(origin), sent))
    yield* record(transport)(send(body()))
    expect(received).toEqual([expect.stringMatching(/ [1-9]\d*$/)])
    expect(yield* replay()(send(body()))).toBe("done")
    expect(yield* defect(replay()(send(HttpBody.text("other"))))).toContain("body")
  })

  it.effect("fails where the body of a request fails, and sends nothing", function* () {
    const { record } = yield* folder
    const broken = HttpBody.stream(Stream.fail("the disk"))
    const put = HttpClientRequest.setBody(HttpClientRequest.put(origin), broken)
    expect((yield* record(offlineWhenUsed)((http) => Effect.flip(http.execute(put)))).reason._tag).toBe("EncodeError")
  })

  const bytes = (text: string) => new TextEncoder().encode(text)
  it.effect.each<[what: string, shown: string, body: Uint8Array<ArrayBuffer>, replayed?: Uint8Array]>([
    ["nothing", "", new Uint8Array()],
    ["bytes", "base64", Uint8Array.from({ length: 256 }, (_, i) => i)],
    ["café in Latin-1", "base64", Uint8Array.of(0x63, 0x61, 0x66, 0xe9)],
    ["UTF-16", "base64", Uint8Array.from(Buffer.from("\ufeffZoë 🔑", "utf16le"))],
    ["a byte order mark", "text", bytes('\ufeff{"a":1}')],
    [
      "JSON in Python's form",
      "json",
      bytes('{ "name" : "\\u00fc\\/" ,\n "list": [ 1, "a b" ] }\n'),
      bytes('{"name":"ü/","list":[1,"a b"]}')
    ],
    ["a number of 20 digits", "text", bytes('{"n":12345678901234567890}')],
    ["a field twice", "text", bytes('{"a":1,"a":2}')],
    ["a number with its zero", "text", bytes("[1.0]")],
    ["an open list", "text", bytes("[".repeat(1000))],
    ["a deep list", "json", bytes("[".repeat(1000) + "]".repeat(1000))],
    ["a list as deep as no parser goes", "text", bytes("[".repeat(50_000) + "]".repeat(50_000))],
    ["almost JSON", "text", bytes('{"status":20 0}')]
  ])("keeps a body that is %s as %s", function* ([, shown, body, replayed = body]) {
    const { read, record, replay } = yield* folder
    const content = (http: HttpClient.HttpClient) =>
      Effect.flatMap(http.get(origin), ({ arrayBuffer, headers }) =>
        // a body can be read again
        Effect.map(Effect.andThen(arrayBuffer, arrayBuffer), (buffer) => [
          headers["content-length"],
          new Uint8Array(buffer)
        ])
      )
    const length = ({ length }: Uint8Array) => String(length)
    const headers = { "content-type": "application/json", "content-length": length(body) }
    yield* record(responding(() => new Response(body, { headers })))(content)
    expect(yield* replay()(content)).toEqual([length(replayed), replayed])
    const expected = shown === "" ? {} : { body: { [shown]: expect.anything() } }
    expect(yield* read).toMatchObject({ entries: [{ response: { status: 200, headers, ...expected } }] })
  })
})

const offlineWhenUsed = responding(() => {
  throw new Error("a request was sent")
})

describe("the mode", () => {
  it.effect.each<[environment: Record<string, string>, sends: boolean]>([
    [{ CI: "true" }, false],
    [{ CI: "1" }, false],
    [{ CI: "false" }, true],
    [{ CI: "" }, true],
    [{}, true]
  ])("is replay where CI is set, else update: %j", function* ([env, sends]) {
    const { file, record } = yield* folder
    yield* record(counting())(path("/a"))
    const environment = Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    const message = yield* defect(using(counting(), { file })(path("/b")).pipe(environment))
    expect(message.startsWith("NotRecorded")).toBe(!sends)
  })

  it.effect("update replays the recordings there are, and adds the others; it writes only what it sent", function* () {
    const { file, fs, replay, text: content } = yield* folder
    const update = (transport: Layer.Layer<HttpClient.HttpClient>) => using(transport, { file, mode: "update" })
    yield* update(counting())(path("/a"))
    const all = (http: HttpClient.HttpClient) => Effect.all(["/a", "/b", "/a"].map((one) => path(one)(http)))
    const expected = ['{"count":1}', '{"count":1}', '{"count":2}']
    expect(yield* update(counting())(all)).toEqual(expected)
    expect(yield* replay()(all)).toEqual(expected)
    yield* fs.writeFileString(file, ` ${yield* content}`)
    yield* update(offlineWhenUsed)(all)
    expect((yield* content).startsWith(" {")).toBe(true)
  })
})

it.effect("a request without a recording shows the nearest entry, and where it differs", function* () {
  const { file, record, replay } = yield* folder
  yield* record(counting())((http) =>
    Effect.all([
      path("/v1/other")(http),
      text(http, post("/v1/keys?limit=1", { name: "a", tags: ["x"] })),
      path("/v1/keys")(http)
    ])
  )
  const sent = post("/v1/keys?limit=2", { name: "b", tags: ["x", "y"] })
  expect(yield* defect(replay()((http) => text(http, sent)))).toContain(
    [
      `NotRecorded: ${file} has no recording left for POST /v1/keys`,
      "The nearest is entry 2 of 3, POST /v1/keys",
      '  query.limit: recorded "1", sent "2"',
      '  body.json.name: recorded "a", sent "b"',
      '  body.json.tags.1: recorded nothing, sent "y"',
      'Add it with the mode "update", or record everything again with "record".'
    ].join("\n")
  )
  const again = replay()((http) => Effect.all([path("/v1/other")(http), path("/v1/other")(http)]))
  expect(yield* defect(again)).toContain("entry 1 of 3, GET /v1/other, which was already replayed\nAdd it")
})

it.effect.each<[what: string, content: string | undefined, message: RegExp]>([
  ["that does not exist", undefined, /NotFound/],
  ["of a later version", '{"version":2,"entries":[]}', /Expected 1\b/],
  ["that is not JSON", '{"version":1,', /JSON/],
  ["of another shape", '{"version":1,"entries":[{"request":{"method":"GET"}}]}', /\["path"\]/],
  ["with an unknown field", '{"version":1,"entries":[],"extra":1}', /\["extra"\]/],
  [
    "with a body that is not base64",
    '{"version":1,"entries":[{"request":{"method":"GET","path":"/","body":{"base64":"?"}},"millis":0,"failure":"aborted"}]}',
    /base64/
  ],
  [
    "with an endless entry",
    '{"version":1,"entries":[{"request":{"method":"GET","path":"/"},"millis":0}]}',
    /a response or a failure/
  ]
])("a file that is not a cassette is named, with the remedy: one %s", function* ([, content, message]) {
  const { file, fs, path: parent, record, replay } = yield* folder
  yield* fs.makeDirectory(`${parent}/cassettes`)
  if (content !== undefined) yield* fs.writeFileString(file, content)
  const error = yield* Effect.flip(replay()(() => Effect.void))
  expect(error).toBeInstanceOf(Recorder.InvalidCassette)
  expect(error.message).toMatch(message)
  expect(error.message).toMatch(/^\/.*test\.json is not a cassette: .*: record it with the mode "record"$/s)
  // and is replaced by a new recording
  yield* record(counting())(path("/a"))
  expect(yield* replay()(path("/a"))).toBe('{"count":1}')
})

describe("a recording that does not come to its end leaves the cassette as it was", () => {
  const recorded = Effect.gen(function* () {
    const all = yield* folder
    yield* all.record(counting())(path("/a"))
    return { ...all, before: yield* all.text, names: all.fs.readDirectory(`${all.path}/cassettes`) }
  })

  it.effect("when it is interrupted", function* () {
    const { before, names, record, text: after } = yield* recorded
    const sent = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      record(counting())((http) =>
        Effect.andThen(path("/b")(http), Effect.andThen(Deferred.succeed(sent, undefined), Effect.never))
      )
    )
    yield* Deferred.await(sent)
    yield* Fiber.interrupt(fiber)
    expect([yield* after, yield* names]).toEqual([before, ["test.json"]])
  })

  it.effect.each<[what: string, program: (http: HttpClient.HttpClient) => Effect.Effect<unknown, unknown>]>([
    ["it fails before it sends anything", () => Effect.fail("no settings")],
    ["an assertion fails", (http) => Effect.andThen(path("/b")(http), Effect.die("wrong"))]
  ])("when %s", function* ([, program]) {
    const { before, record, text: after } = yield* recorded
    expect((yield* Effect.exit(record(counting())(program)))._tag).toBe("Failure")
    expect(yield* after).toBe(before)
  })

  it.effect.each(["writeFileString", "rename"] as const)("when the file system fails: %s", function* (method) {
    const { before, file, fs, names, text: after } = yield* recorded
    const failing = Layer.succeed(FileSystem.FileSystem, { ...fs, [method]: () => fs.readFileString("/not/there") })
    const layer = counting().pipe(Recorder.layer({ file, mode: "record" }), Layer.provide(failing))
    const program = Effect.flatMap(HttpClient.HttpClient, path("/b"))
    expect(yield* defect(Effect.provide(program, layer))).toMatch(/test\.json was not written: NotFound/)
    expect([yield* after, yield* names]).toEqual([before, ["test.json"]])
  })

  it.effect("but is written when the program fails as it may", function* () {
    const { record, replay } = yield* folder
    yield* Effect.flip(record(counting())((http) => Effect.andThen(path("/a")(http), Effect.fail("expected"))))
    yield* replay()(path("/a"))
  })
})
