import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as TestClock from "effect/testing/TestClock"
import * as Body from "@cloud-management/client/Body"
import * as Client from "@cloud-management/client/Client"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import * as Faults from "@cloud-management/testing/Faults"
import * as Recorder from "@cloud-management/testing/Recorder"
import { runInNewContext } from "node:vm"
import { answering, folder, offline, post, using } from "./recorded.ts"

const wiped = Redacted.make("sesame")
Redacted.wipeUnsafe(wiped)

const origin = "http://service.example"

/** Answers with the number of the request, as JSON. */
const counting = () => {
  let count = 0
  return answering(() => Response.json({ count: ++count }))
}
const text = (path: string) => (http: HttpClient.HttpClient) =>
  Effect.flatMap(http.get(origin + path), ({ text }) => text)
/** The message of the defect that an effect ends with. */
const defect = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return error instanceof Error ? `${error.name}: ${error.message}` : "no defect"
  })
const environment = (variables: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: variables }))

describe("a cassette", () => {
  it.effect("has no secret of a client's credentials, whatever header or parameter holds it", () =>
    Effect.gen(function* () {
      const { record, replay, text: content } = yield* folder
      const credentials = Credentials.all(
        Credentials.bearer("abcdefgh-ijkl"),
        Credentials.header("X-Tenant", "QRSTUVWX-0123"),
        Credentials.query("tenant", "456789ZY-mnop")
      )
      const operation = Operation.make({
        group: "things",
        name: "get",
        method: "GET",
        path: "/v1/things",
        success: Body.text(),
        errors: []
      })
      const transport = answering(({ headers }, { search }) => new Response(`${search} ${headers["x-tenant"]}`))
      const call = (http: HttpClient.HttpClient) =>
        Effect.flatMap(
          Effect.provideService(Client.make({}, { baseUrl: origin, credentials }), HttpClient.HttpClient, http),
          (client) => client.execute(operation, {})
        )
      yield* record(transport, { matchHeaders: ["x-tenant"] })(call)
      const written = yield* content
      expect(written).toContain("/v1/things")
      for (const secret of ["abcdefgh", "QRSTUVWX", "456789ZY"]) expect(written).not.toContain(secret)
      // and is found again
      yield* replay({ matchHeaders: ["x-tenant"] })(call)
    })
  )

  it.effect("has an entry for each attempt, to be read by people", () =>
    Effect.gen(function* () {
      const { record, text: content } = yield* folder
      const transport = answering((_, { pathname }) =>
        pathname === "/bytes"
          ? new Response(Uint8Array.of(0, 255, 1), { status: 203 })
          : Response.json({ name: "Acme" }, { headers: { "x-request-id": "r-1" } })
      ).pipe(Faults.inject([Faults.Fault.None(), Faults.Fault.DropAfterSend()]))
      yield* record(transport, { matchHeaders: ["X-Tenant"] })((http) =>
        Effect.gen(function* () {
          const request = HttpClientRequest.post(`${origin}/v1/keys?limit=2&tag=b&tag=a`).pipe(
            HttpClientRequest.bodyJsonUnsafe({ name: "deploy" }),
            HttpClientRequest.setHeaders({ "x-tenant": "t-1", "x-other": "not compared" })
          )
          yield* Effect.flatMap(http.execute(request), ({ json }) => json)
          yield* Effect.flip(http.get(`${origin}/lost`))
          yield* Effect.flatMap(http.get(`${origin}/bytes`), ({ arrayBuffer }) => arrayBuffer)
        })
      )
      const written = yield* content
      yield* Effect.promise(() => expect(written).toMatchFileSnapshot("./cassette.snap"))
    })
  )

  it.effect("is replayed in the order of its entries, each of them once", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      const program = (http: HttpClient.HttpClient) =>
        Effect.forEach(["/a", "/b", "/a", "/a"], (path) => text(path)(http))
      const recorded = yield* record(counting())(program)
      expect(recorded).toEqual([1, 2, 3, 4].map((count) => `{"count":${count}}`))
      for (let run = 0; run < 2; run++) {
        expect(yield* replay()(program)).toEqual(recorded)
      }
    })
  )

  it.effect("is found by the query and the body, whatever the order of parameters and fields", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      const send = (http: HttpClient.HttpClient, path: string, body: object) => post(http, origin + path, body)
      yield* record(counting())((http) =>
        Effect.all([
          send(http, "/?a=1&b=2", { x: 1, y: [1, 2] }),
          send(http, "/?a=1&b=3", { x: 1, y: [1, 2] }),
          send(http, "/?a=1&b=3", { x: 1, y: [2, 1] })
        ])
      )
      const replayed = yield* replay()((http) =>
        Effect.all([
          send(http, "/?b=3&a=1", { y: [2, 1], x: 1 }),
          send(http, "/?b=3&a=1", { y: [1, 2], x: 1 }),
          send(http, "/?b=2&a=1", { y: [1, 2], x: 1 })
        ])
      )
      expect(replayed).toEqual(['{"count":3}', '{"count":2}', '{"count":1}'])
    })
  )

  it.effect("is found by a request with a time and a random value, if they are normalized", () =>
    Effect.gen(function* () {
      const { read, record, replay } = yield* folder
      let run = 0
      const normalize: Recorder.Options["normalize"] = ({ body, query, ...request }) => ({
        ...request,
        query: { ...query, at: "…" },
        ...(body !== undefined && "json" in body && { body: { json: { ...Object(body.json), nonce: "…" } } })
      })
      const sent: Array<string> = []
      const transport = answering((_, url) => {
        sent.push(url.search)
        return new Response("done")
      })
      const send = (http: HttpClient.HttpClient, name: string) =>
        post(http, `${origin}/?at=${++run}`, { name, nonce: String(run) })
      yield* record(transport, { normalize })((http) => send(http, "a"))
      expect(sent).toEqual(["?at=1"])
      expect(yield* read).toMatchObject({
        entries: [{ request: { query: { at: "…" }, body: { json: { name: "a", nonce: "…" } } } }]
      })
      const replaying = replay({ normalize })
      expect(yield* replaying((http) => send(http, "a"))).toBe("done")
      expect(yield* defect(replaying((http) => send(http, "b")))).toContain('body.json.name: recorded "a", sent "b"')
      expect(yield* defect(replay()((http) => send(http, "a")))).toContain("query.at")
    })
  )

  it.effect.each<[what: string, normalize: () => unknown, problem: string]>([
    ["nothing", () => undefined, "Expected object"],
    ["a promise", async () => ({}), 'Missing key\n  at ["method"]'],
    ["a field that no cassette has", () => ({ method: "GET", path: "/", at: "…" }), '["at"]']
  ])("is not written if normalize returns %s", ([, normalize, problem]) =>
    Effect.gen(function* () {
      const { file, read, record } = yield* folder
      yield* record(counting())(text("/"))
      const before = yield* read
      // @ts-expect-error: of a program without types
      const options: Recorder.Options = { file, mode: "record", normalize }
      const message = yield* defect(using(counting(), options)(text("/")))
      expect(message).toContain("TypeError: normalize of the recorder must return a request: ")
      expect(message).toContain(problem)
      expect(yield* read).toEqual(before)
    })
  )

  it.effect("is found again if normalize leaves parts undefined, or sets what JSON changes", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      // @ts-expect-error: of a program without types
      const normalize: Recorder.Options["normalize"] = (request) => ({
        ...request,
        headers: undefined,
        body: { json: new Date(0) }
      })
      yield* record(counting(), { normalize })(text("/"))
      expect(yield* replay({ normalize })(text("/"))).toBe('{"count":1}')
    })
  )

  it.effect.each<[what: string, body: () => HttpBody.HttpBody]>([
    ["a form", () => HttpBody.urlParams([["a", "1 2"]])],
    ["bytes", () => HttpBody.uint8Array(Uint8Array.of(0, 1, 128, 255))],
    ["bytes of another realm", () => HttpBody.uint8Array(runInNewContext("Uint8Array.of(0, 1, 128, 255)"))],
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
  ])("is found by a body that is %s", ([, body]) =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      const received: Array<string> = []
      const transport = answering(async (request) => {
        const web = await Effect.runPromise(HttpClientRequest.toWeb(request))
        received.push(`${web.headers.get("content-length")} ${(await web.bytes()).length}`)
        return new Response("done")
      })
      const send = (http: HttpClient.HttpClient, sent: HttpBody.HttpBody) =>
        Effect.flatMap(
          http.execute(HttpClientRequest.put(origin).pipe(HttpClientRequest.setBody(sent))),
          ({ text }) => text
        )
      yield* record(transport)((http) => send(http, body()))
      expect(received).toEqual([expect.stringMatching(/ [1-9]\d*$/)])
      expect(yield* replay()((http) => send(http, body()))).toBe("done")
      const other = HttpBody.text("other")
      const message = yield* defect(replay()((http) => send(http, other)))
      expect(message).toContain("body")
    })
  )

  it.effect("that it cannot read fails, and is not sent", () =>
    Effect.gen(function* () {
      const { record } = yield* folder
      const broken = HttpBody.raw(new Blob(["--"], { type: "multipart/form-data; boundary=a" }))
      const put = HttpClientRequest.setBody(HttpClientRequest.put(origin), broken)
      const sent = record(counting())((http) => Effect.flip(http.execute(put)))
      expect((yield* sent).reason._tag).toBe("EncodeError")
    })
  )

  it.effect.each([
    ["utf-16le", (bytes: Buffer) => bytes],
    ["utf-16be", (bytes: Buffer) => bytes.swap16()]
  ] as const)("has a body of %s that people can read, and that is the same byte for byte", ([charset, order]) =>
    Effect.gen(function* () {
      const { file, read, replay } = yield* folder
      const bytes = Uint8Array.from(order(Buffer.from("\ufeffkey,name\r\n1,Zoë 🔑", "utf16le")))
      const get = (http: HttpClient.HttpClient) => Effect.flatMap(http.get(origin), ({ arrayBuffer }) => arrayBuffer)
      yield* using(
        answering(() => new Response(bytes)),
        { file, mode: "record" }
      )(get)
      const body = { text: "\ufeffkey,name\r\n1,Zoë 🔑", charset }
      expect(yield* read).toMatchObject({ entries: [{ response: { body } }] })
      const replayed = yield* replay()(get)
      expect(new Uint8Array(replayed)).toEqual(bytes)
    })
  )

  it.effect("has its body once, however many read it at the same time", () =>
    Effect.gen(function* () {
      const { read, record, replay } = yield* folder
      const transport = answering(() => {
        const pieces = ['{"a":', "[1,", "2]}"].map((piece) => new TextEncoder().encode(piece)).values()
        const pull = async (controller: ReadableStreamDefaultController) => {
          const { value } = pieces.next()
          if (value === undefined) controller.close()
          else controller.enqueue(value)
        }
        return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
      })
      const readAll = (http: HttpClient.HttpClient) =>
        Effect.flatMap(http.get(origin), ({ json, stream, text }) =>
          Effect.all([text, json, Stream.mkString(Stream.decodeText(stream))], { concurrency: "unbounded" })
        )
      const all = ['{"a":[1,2]}', { a: [1, 2] }, '{"a":[1,2]}']
      expect(yield* record(transport)(readAll)).toEqual(all)
      expect(yield* read).toMatchObject({ entries: [{ response: { body: { json: { a: [1, 2] } } } }] })
      expect(yield* replay()(readAll)).toEqual(all)
    })
  )

  it.effect("is found by the headers that are named, and no others", () =>
    Effect.gen(function* () {
      const { file } = yield* folder
      const send = (http: HttpClient.HttpClient, headers: Record<string, string>) =>
        Effect.flatMap(http.get(origin, { headers }), ({ text }) => text)
      const options = { file, matchHeaders: ["X-Tenant"] }
      yield* using(counting(), { ...options, mode: "record" })((http) =>
        Effect.all([send(http, { "x-tenant": "a", "x-other": "1" }), send(http, { "x-tenant": "b" })])
      )
      const replayed = using(offline, { ...options, mode: "replay" })
      expect(yield* replayed((http) => send(http, { "x-tenant": "b", "x-other": "2" }))).toBe('{"count":2}')
      expect(yield* defect(replayed((http) => send(http, {})))).toContain(
        'headers.x-tenant: recorded "a", sent nothing'
      )
    })
  )

  it.effect("keeps bodies that are not text, and JSON that would not be the same", () =>
    Effect.gen(function* () {
      const { read, record, replay } = yield* folder
      const bodies = [
        new Uint8Array(),
        Uint8Array.from({ length: 256 }, (_, i) => i),
        // "café" in Latin-1
        Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
        ...[
          "\ufefftext",
          "12345678901234567890",
          '{"n":12345678901234567890}',
          '{"a":1,"a":2}',
          "[".repeat(1000),
          "[".repeat(1000) + "]".repeat(1000),
          "1.0",
          '{"status":20 0}',
          '{"a":tr ue}',
          '{"a":\u00a01}',
          "\ufeff\ufeff[]"
        ].map((text) => new TextEncoder().encode(text))
      ]
      const program = (http: HttpClient.HttpClient) =>
        Effect.forEach(bodies, (_, i) =>
          Effect.flatMap(http.get(`${origin}/${i}`), (response) =>
            Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
          )
        )
      const headers = { "content-type": "application/json" }
      const transport = answering((_, { pathname }) => new Response(bodies[Number(pathname.slice(1))], { headers }))
      expect(yield* record(transport)(program)).toEqual(bodies)
      expect(yield* replay()(program)).toEqual(bodies)
      const content = JSON.stringify(yield* read)
      expect(content).toContain('"text":"{\\"a\\":1,\\"a\\":2}"')
      expect(content.match(/"text":"\[{1000}/g)).toHaveLength(2)
    })
  )

  it.effect("keeps the meaning of JSON, whatever its white space and escapes", () =>
    Effect.gen(function* () {
      const { read, record, replay } = yield* folder
      const body = '{ "name" : "\\u00fc\\/" ,\n "list": [ 1, "a b" ] }'
      const program = (http: HttpClient.HttpClient) =>
        Effect.flatMap(http.get(origin), ({ headers, text }) =>
          Effect.map(text, (text) => [headers["content-length"], JSON.parse(text) as unknown])
        )
      const transport = answering(
        () =>
          new Response(body, {
            headers: {
              "content-type": "application/json",
              "content-length": String(new TextEncoder().encode(body).length)
            }
          })
      )
      const value = { name: "ü/", list: [1, "a b"] }
      expect(yield* record(transport)(program)).toEqual([String(body.length), value])
      expect(yield* replay()(program)).toEqual([String(new TextEncoder().encode(JSON.stringify(value)).length), value])
      expect(yield* read).toMatchObject({ entries: [{ response: { body: { json: value } } }] })
    })
  )

  it.effect.each<[type: string, replayed: string, mark?: string]>([
    ["application/json", '{"a":1}'],
    // which readers of text drop
    ["application/json", '{"a":1}', "\ufeff"],
    ["application/json; charset=utf-8", '{"a":1}'],
    ["Application/Problem+JSON ; a=b", '{"a":1}'],
    ["text/plain", '{ "a":  1 }\n'],
    ["application/json-seq", '{ "a":  1 }\n'],
    ["", '{ "a":  1 }\n']
  ])("keeps the white space of a response unless its type is JSON: %j", ([type, replayed, mark = ""]) =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      const transport = answering(() => new Response(`${mark}{ "a":  1 }\n`, { headers: { "content-type": type } }))
      yield* record(transport)(text("/"))
      expect(yield* replay()(text("/"))).toBe(replayed)
    })
  )

  it.effect("serves concurrent calls, in the order in which they were sent", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      const program = (http: HttpClient.HttpClient) =>
        Effect.forEach(
          Array.from({ length: 50 }, (_, i) => i),
          (i) => Effect.map(text(`/${i % 7}`)(http), (text) => `${i}: ${text}`),
          { concurrency: 10 }
        )
      const recorded = yield* record(counting())(program)
      expect(new Set(recorded).size).toBe(50)
      expect(yield* replay()(program)).toEqual(recorded)
    })
  )
})

describe("the mode", () => {
  it.effect.each<[environment: Record<string, string>, sends: boolean]>([
    [{ CI: "true" }, false],
    [{ CI: "1" }, false],
    [{ CI: "false" }, true],
    [{ CI: "" }, true],
    [{}, true]
  ])("is replay where CI is set, else update: %j", ([variables, sends]) =>
    Effect.gen(function* () {
      const { file, record } = yield* folder
      yield* record(counting())(text("/a"))
      const message = yield* defect(using(counting(), { file })(text("/b")).pipe(environment(variables)))
      expect(message.startsWith("NotRecorded")).toBe(!sends)
    })
  )

  it.effect("update replays the recordings there are, and adds the others", () =>
    Effect.gen(function* () {
      const { file, read, replay } = yield* folder
      const [first, second] = [counting(), counting()]
      yield* using(first, { file, mode: "update" })(text("/a"))
      const all = (http: HttpClient.HttpClient) => Effect.all([text("/a")(http), text("/b")(http), text("/a")(http)])
      const expected = ['{"count":1}', '{"count":1}', '{"count":2}']
      expect(yield* using(second, { file, mode: "update" })(all)).toEqual(expected)
      expect(yield* replay()(all)).toEqual(expected)
      expect(yield* read).toMatchObject({
        entries: ["/a", "/b", "/a"].map((path) => ({ request: { path } }))
      })
    })
  )

  it.effect("update does not write where nothing was sent", () =>
    Effect.gen(function* () {
      const { file, fs, record, text: content } = yield* folder
      yield* record(counting())(text("/a"))
      yield* fs.writeFileString(file, ` ${yield* content}`)
      yield* using(offlineWhenUsed, { file, mode: "update" })(text("/a"))
      expect((yield* content).startsWith(" {")).toBe(true)
    })
  )

  it.effect.each<[option: string, value: unknown, rule: string]>([
    ["file", "", 'a path, not ""'],
    ["file", undefined, "a path"],
    ["mode", "playback", 'one of replay, record, update, not "playback"'],
    ["unused", "error", 'one of ignore, fail, not "error"'],
    ["timing", true, "one of immediate, recorded"],
    ["normalize", "path", 'a function, not "path"'],
    ["matchHeaders", "accept", 'names, not "accept"'],
    ["secrets", ["text"], "redacted strings"],
    ["secrets", [wiped], "redacted strings"],
    ["modes", "replay", "left out: the options are file, mode, matchHeaders, normalize, secrets, unused, timing"]
  ])("or another option that is none is refused: %s is %j", ([option, value, rule]) =>
    Effect.gen(function* () {
      const { file } = yield* folder
      // of a program without types
      const options: Recorder.Options = { file, ...Object.fromEntries([[option, value]]) }
      const error = yield* Effect.flip(using(offline, options)(() => Effect.void))
      expect(error.message).toBe(`${option} of the recorder must be ${rule}`)
    })
  )
})
const offlineWhenUsed = answering(() => {
  throw new Error("a request was sent")
})

describe("a request without a recording", () => {
  it.effect("shows the nearest entry, and where it differs", () =>
    Effect.gen(function* () {
      const { file, record, replay } = yield* folder
      const send = (http: HttpClient.HttpClient, path: string, body: object) => post(http, origin + path, body)
      yield* record(counting())((http) =>
        Effect.all([
          text("/v1/other")(http),
          send(http, "/v1/keys?limit=1", { name: "a", tags: ["x"] }),
          text("/v1/keys")(http)
        ])
      )
      const message = yield* defect(replay()((http) => send(http, "/v1/keys?limit=2", { name: "b", tags: ["x", "y"] })))
      expect(message).toBe(
        [
          `NotRecorded: ${file} has no recording left for POST /v1/keys`,
          "The nearest is entry 2 of 3, POST /v1/keys",
          '  query.limit: recorded "1", sent "2"',
          '  body.json.name: recorded "a", sent "b"',
          '  body.json.tags.1: recorded nothing, sent "y"',
          'Add it with the mode "update", or record everything again with "record".'
        ].join("\n")
      )
    })
  )

  it.effect("says that the entry was replayed already", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      yield* record(counting())(text("/a"))
      const message = yield* defect(replay()((http) => Effect.all([text("/a")(http), text("/a")(http)])))
      expect(message).toContain("The nearest is entry 1 of 1, GET /a, which was already replayed\nAdd it")
    })
  )
})

describe("recordings that no request takes", () => {
  it.effect("fail if that is asked for, by name", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      yield* record(counting())((http) => Effect.all([text("/a")(http), text("/b")(http)]))
      expect(yield* defect(replay({ unused: "ignore" })(text("/a")))).toBe("no defect")
      expect(yield* defect(replay({ unused: "fail" })(text("/a")))).toMatch(
        /^UnusedRecordings: .*\n {2}entry 2, GET \/b$/
      )
    })
  )

  it.effect("do not hide another failure", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      yield* record(counting())(text("/a"))
      const message = yield* defect(replay({ unused: "fail" })(() => Effect.die(new Error("of the test"))))
      expect(message).toBe("Error: of the test")
    })
  )
})

describe("a file that is not a cassette", () => {
  const cases: Readonly<Record<string, readonly [content: string | undefined, message: RegExp]>> = {
    "that does not exist": [undefined, /does not exist: record it with the mode "record" or "update"$/],
    "of a later version": ['{"version":2,"entries":[]}', /has format version 2, .* reads version 1: record it again/],
    "that is not JSON": ['{"version":1,', /is not JSON: restore it, or record it again with the mode "record"$/],
    "of another shape": [
      '{"version":1,"entries":[{"request":{"method":"GET"}}]}',
      /is not a cassette: .*\["entries"\]\[0\]\["request"\]\["path"\].*record it again/s
    ],
    "with an unknown field": ['{"version":1,"entries":[],"extra":1}', /is not a cassette: .*\["extra"\]/s],
    "with a body that is not base64": [
      '{"version":1,"entries":[{"request":{"method":"GET","path":"/","body":{"base64":"?"}},"millis":0,"response":{"status":200,"headers":{}}}]}',
      /is not a cassette/
    ],
    "with an entry without an end": [
      '{"version":1,"entries":[{"request":{"method":"GET","path":"/"},"millis":0}]}',
      /an entry with a response or a failure/
    ]
  }
  it.effect.each(Object.entries(cases))("is named, with the remedy: one %s", ([, [content, message]]) =>
    Effect.gen(function* () {
      const { file, fs, path, replay } = yield* folder
      yield* fs.makeDirectory(`${path}/cassettes`)
      if (content !== undefined) yield* fs.writeFileString(file, content)
      const error = yield* Effect.flip(replay()(() => Effect.void))
      expect(error).toMatchObject({ _tag: "InvalidCassette", file })
      expect(error.message).toMatch(message)
      expect(error.message.startsWith(`${file} `)).toBe(true)
    })
  )

  it.effect("is replaced by a new recording", () =>
    Effect.gen(function* () {
      const { file, fs, path, record, replay } = yield* folder
      yield* fs.makeDirectory(`${path}/cassettes`)
      yield* fs.writeFileString(file, "broken")
      yield* record(counting())(text("/a"))
      expect(yield* replay()(text("/a"))).toBe('{"count":1}')
    })
  )
})

describe("a recording that does not come to its end leaves the cassette as it was", () => {
  const recorded = Effect.gen(function* () {
    const all = yield* folder
    yield* all.record(counting())(text("/a"))
    return { ...all, before: yield* all.text, names: all.fs.readDirectory(`${all.path}/cassettes`) }
  })

  it.effect("when it is interrupted", () =>
    Effect.gen(function* () {
      const { before, names, record, text: after } = yield* recorded
      const sent = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        record(counting())((http) =>
          Effect.andThen(text("/b")(http), Effect.andThen(Deferred.succeed(sent, undefined), Effect.never))
        )
      )
      yield* Deferred.await(sent)
      yield* Fiber.interrupt(fiber)
      expect(yield* after).toBe(before)
      expect(yield* names).toEqual(["test.json"])
    })
  )

  it.effect.each<[what: string, program: (http: HttpClient.HttpClient) => Effect.Effect<unknown, unknown>]>([
    ["it fails before it sends anything", () => Effect.fail("no settings")],
    ["an assertion fails", (http) => Effect.andThen(text("/b")(http), Effect.die("wrong"))]
  ])("when %s", ([, program]) =>
    Effect.gen(function* () {
      const { before, record, text: after } = yield* recorded
      expect((yield* Effect.exit(record(counting())(program)))._tag).toBe("Failure")
      expect(yield* after).toBe(before)
    })
  )

  it.effect.each(["writeFileString", "rename"] as const)("when the file system fails: %s", (method) =>
    Effect.gen(function* () {
      const { before, file, fs, names, text: after } = yield* recorded
      const failing = Layer.succeed(FileSystem.FileSystem, {
        ...fs,
        [method]: (path: string, content: string) =>
          method === "writeFileString"
            ? Effect.andThen(fs.writeFileString(path, content.slice(0, 5)), fs.readFileString("/not/there"))
            : fs.readFileString("/not/there")
      })
      const layer = counting().pipe(Recorder.layer({ file, mode: "record" }), Layer.provide(failing))
      const program = Effect.flatMap(HttpClient.HttpClient, text("/b"))
      expect(yield* defect(Effect.provide(program, layer))).toMatch(
        /^NotWritten: .*test\.json was not written: NotFound/
      )
      expect(yield* after).toBe(before)
      expect(yield* names).toEqual(["test.json"])
    })
  )

  it.effect("but is written when the program fails as it may", () =>
    Effect.gen(function* () {
      const { record, replay } = yield* folder
      const program = (http: HttpClient.HttpClient) => Effect.andThen(text("/a")(http), Effect.fail("expected"))
      expect(yield* Effect.flip(record(counting())(program))).toBe("expected")
      expect(yield* Effect.flip(replay()(program))).toBe("expected")
    })
  )
})

describe("time", () => {
  const slow = answering(() => Response.json(1)).pipe(Faults.inject([Faults.Fault.Delay({ duration: "3 seconds" })]))
  /** When a call has its result, in virtual milliseconds. */
  const ends = (http: HttpClient.HttpClient) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(text("/a")(http))
      for (let millis = 0; millis <= 5000; millis += 500) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        if (fiber.pollUnsafe() !== undefined) return millis
        yield* TestClock.adjust("500 millis")
      }
      return undefined
    })

  it.effect("is recorded, and passes in a replay only if that is asked for", () =>
    Effect.gen(function* () {
      const { read, record, replay } = yield* folder
      expect(yield* record(slow)(ends)).toBe(3000)
      expect(yield* read).toMatchObject({ entries: [{ millis: 3000 }] })
      expect(yield* replay()(ends)).toBe(0)
      expect(yield* replay({ timing: "recorded" })(ends)).toBe(3000)
    })
  )
})

describe("secrets that are named", () => {
  it.effect("are not written, and do not keep a request from its recording", () =>
    Effect.gen(function* () {
      const { file, text: content } = yield* folder
      const run = (secret: string, transport: Layer.Layer<HttpClient.HttpClient>, mode: Recorder.Mode) =>
        using(transport, { file, mode, secrets: [Redacted.make(secret)] })(text(`/hooks/${secret}`))
      const [first, second] = ["tok_0123456789abcdef", "another-secret-of-the-test"]
      expect(
        yield* run(
          first,
          answering((_, { pathname }) => new Response(`called ${pathname}`)),
          "record"
        )
      ).toBe(`called /hooks/${first}`)
      expect(yield* content).not.toContain("tok_0123")
      expect(yield* run(second, offline, "replay")).toBe("called /hooks/[redacted]")
    })
  )
})
