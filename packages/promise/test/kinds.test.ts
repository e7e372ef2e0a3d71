import { createReadStream } from "node:fs"
import { PassThrough, Readable } from "node:stream"
import { buffer, text } from "node:stream/consumers"
import { inspect } from "node:util"
import { assert, describe, expect, expectTypeOf, it } from "vitest"
import { constVoid } from "effect/Function"
import { Schema } from "effect"
import { Body, Credentials, Operation, Refusal } from "@cloud-management/client"
import * as Core from "@cloud-management/client/CallError"
import { commonRefusals } from "@cloud-management/core/Refusals"
import { Client, isRefusal, type Options, TimeoutError } from "@cloud-management/promise"
import { Client as ClientOfPages } from "../src/index.ts"
import { turns } from "../../../checks/fixtures/turns.ts"
import { counted, refused, rejection, stub, type Respond } from "./Stub.ts"

class Taken extends Core.refusal(
  "Taken",
  409,
  Refusal.body(Schema.Struct({ code: Schema.String, since: Schema.DateTimeUtcFromString }))
) {}

const At = Schema.Struct({ at: Schema.DateTimeUtcFromString })
const on = <const Name, const Method, const Path>(name: Name, method: Method, path: Path) =>
  ({ group: "things", errors: [...commonRefusals, Taken], name, method, path }) as const
const operations = {
  things: {
    list: Operation.make({ ...on("list", "GET", "/v1/things"), success: Body.empty }),
    read: Operation.make({ ...on("read", "GET", "/v1/file"), success: Body.stream() }),
    rows: Operation.make({ ...on("rows", "GET", "/v1/rows"), success: Body.jsonLines(At) }),
    ask: Operation.make({
      ...on("ask", "POST", "/v1/ask"),
      payload: Body.json(Schema.Struct({ stream: Schema.Boolean })),
      success: Body.oneOf(Body.status(200, Body.json(At)), Body.status(200, Body.events(At)))
    }),
    put: Operation.make({ ...on("put", "PUT", "/v1/file"), payload: Body.upload(), success: Body.empty }),
    either: Operation.make({
      ...on("either", "PUT", "/v1/either"),
      payload: Body.choice(Body.upload(), Body.text()),
      success: Body.empty
    })
  }
}

const connect = (respond: Respond, options: Partial<Options> = {}) => {
  const { fetch, requests } = stub(respond)
  const credentials = Credentials.bearer("token-1")
  const cloud = new Client({ baseUrl: "https://api.example.com", credentials, fetch, operations, ...options })
  return { cloud, requests }
}
const done = () => new Response(null, { status: 204 })

/** A body of these parts, which then stalls; it says when it is cancelled. */
const stalling = (...parts: ReadonlyArray<string>) => {
  const cancelled = Promise.withResolvers<void>()
  const rest = [...parts]
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = rest.shift()
      if (part === undefined) return new Promise(() => {})
      controller.enqueue(new TextEncoder().encode(part))
      return undefined
    },
    cancel: () => cancelled.resolve()
  })
  return { body, cancelled: cancelled.promise }
}

describe("a refusal", () => {
  it("has the type of its body where it is told apart by its operation and its name", async () => {
    const { list, rows } = operations.things
    const since = "2026-01-01T00:00:00.000Z"
    const { cloud } = connect(() => Response.json({ code: "taken", since }, { status: 409 }))
    const error: unknown = await rejection(cloud.things.list())
    assert(isRefusal(error, list, "Taken"))
    expectTypeOf(error.body).toEqualTypeOf<{ readonly code: string; readonly since: Date }>()
    expect(error.body.since).toEqual(new Date(since))
    expect([
      isRefusal(error, rows, "Taken"),
      isRefusal(error, list, "BadRequest"),
      isRefusal(1, list, "Taken")
    ]).toEqual([false, false, false])
    // @ts-expect-error -- the operation declares no refusal of that name
    isRefusal(error, list, "Gone")
  })

  it("shows its body nowhere, since a service can repeat the credentials in it", async () => {
    const body = { code: "token-1 is unknown", since: "2026-01-01T00:00:00Z" }
    const { cloud } = connect(() => Response.json(body, { status: 409 }))
    const error = await rejection(cloud.things.list())
    expect(error).toMatchObject({ body: { code: body.code } })
    const printed = [String(error), JSON.stringify(error), inspect(error, { depth: null, showHidden: true })]
    const copied = [JSON.stringify({ ...Object(error) }), inspect(structuredClone(error))]
    for (const text of [...printed, ...copied]) expect(text).not.toContain("token-1")
  })
})

it("an upload to a platform that sends no streams says what it sends, and does not withhold that", async () => {
  const { fetch, requests } = stub(done)
  const { things } = new ClientOfPages({ baseUrl: "https://api.example.com", fetch, operations })
  expect(await rejection(things.put({ payload: { stream: new Blob(["a"]).stream() } }))).toMatchObject({
    message: expect.stringContaining("fetch sends no Stream: send a Blob, or use layerStreams"),
    outcome: "not-sent"
  })
  expect(requests).toEqual([])
})

describe("a streamed result", () => {
  it("is an async generator, of bytes or of values with dates", async () => {
    const { cloud } = connect(({ url }) =>
      url.endsWith("rows")
        ? new Response('{"at":"2026-01-01T00:00:00Z"}\n\n{"at":"2026-01-02T00:00:00Z"}')
        : new Response("some bytes")
    )
    let text = ""
    for await (const part of await cloud.things.read()) {
      expectTypeOf(part).toEqualTypeOf<Uint8Array>()
      text += new TextDecoder().decode(part)
    }
    expect(text).toBe("some bytes")
    const days: Array<Date> = []
    for await (const { at } of await cloud.things.rows()) days.push(at)
    expect(days).toEqual([new Date("2026-01-01"), new Date("2026-01-02")])
  })

  type Parts = AsyncGenerator<Uint8Array, void, undefined>
  type Ending = (parts: Parts, abort: () => void, close: () => Promise<void>) => Promise<unknown>
  const endings: ReadonlyArray<[how: string, end: Ending, then: object | undefined]> = [
    ["return()", (parts) => parts.return(), undefined],
    ["throw()", (parts) => rejection(parts.throw(new Error("enough"))), undefined],
    ["dispose", async (parts) => parts[Symbol.asyncDispose](), undefined],
    ["an abort", async (_, abort) => abort(), { name: "AbortError" }],
    ["closing", (_, _abort, close) => close(), { name: "ClosedError" }]
  ]
  const begun = { "before it is read": 0, "between two parts": 1, "while it waits for a part": 3 }
  it.each(
    endings.flatMap(([how, end, then]) =>
      Object.entries(begun).map(([when, reads]) => [how, when, end, reads, then] as const)
    )
  )("is closed at once by %s, %s, and gives nothing more", async (_, _when, end, reads, then) => {
    const { body, cancelled } = stalling("a", "b")
    const { cloud } = connect(() => new Response(body))
    const controller = new AbortController()
    const parts = await cloud.things.read({ signal: controller.signal })
    // of two parts, the third call waits
    const all = Array.from({ length: reads }, () => parts.next().catch((error: unknown) => error))
    await Promise.all(all.slice(0, 2))
    await turns()
    await end(
      parts,
      () => controller.abort(),
      () => cloud.close()
    )
    await cancelled
    const done = { done: true, value: undefined }
    const next = all[2] ?? parts.next().catch((error: unknown) => error)
    expect(await next).toMatchObject(then ?? done)
    expect(await parts.next()).toEqual(done)
    await cloud.close()
  })

  it("gives no part that came before an abort after it", async () => {
    const lines = [1, 2, 3].map(() => '{"at":"2026-01-01T00:00:00Z"}\n')
    const { cloud } = connect(() => new Response(lines.join("")))
    const controller = new AbortController()
    const rows = await cloud.things.rows({ signal: controller.signal })
    expect(await rows.next()).toMatchObject({ done: false })
    controller.abort()
    expect(await rejection(rows.next())).toMatchObject({ name: "AbortError" })
    expect(await rows.next()).toEqual({ done: true, value: undefined })
  })

  it("serves several calls of next() in their order", async () => {
    const { cloud } = connect(() => new Response(stalling("a", "b").body))
    const parts = await cloud.things.read()
    const all = [parts.next(), parts.next(), parts.next()]
    const text = async (part: (typeof all)[number] | undefined) =>
      new TextDecoder().decode((await part)?.value ?? undefined)
    expect([await text(all[0]), await text(all[1])]).toEqual(["a", "b"])
    await parts.return()
    expect(await all[2]).toEqual({ done: true, value: undefined })
  })

  it("leaves no listener on its signal", async () => {
    const { cloud } = connect(() => new Response("some bytes"))
    const { listeners, signal } = counted()
    for await (const _ of await cloud.things.read({ signal }));
    await turns()
    expect(listeners()).toBe(0)
  })

  it("of events or JSON is either, as the request asks", async () => {
    const { cloud } = connect(async (request) =>
      (await request.text()).includes("true")
        ? new Response('data: {"at":"2026-01-01T00:00:00Z"}\n\n', { headers: { "content-type": "text/event-stream" } })
        : Response.json({ at: "2026-01-01T00:00:00Z" })
    )
    const { value: whole } = await cloud.things.ask({ payload: { stream: false } })
    expect(whole).toEqual({ at: new Date("2026-01-01") })
    const { status, value } = await cloud.things.ask({ payload: { stream: true } })
    assert(Symbol.asyncIterator in value)
    const events: Array<unknown> = []
    for await (const event of value) events.push(event)
    expect([status, events]).toEqual([200, [{ event: "message", data: { at: new Date("2026-01-01") } }]])
  })

  it("rejects the loop when a part takes longer than it may", async () => {
    const { body, cancelled } = stalling("a")
    const { cloud } = connect(() => new Response(body))
    const parts = await cloud.things.read({ stall: 20 })
    await parts.next()
    const error = await rejection(parts.next())
    expect(error).toBeInstanceOf(TimeoutError)
    // with the stack of the program that made the call
    expect(error).toMatchObject({ stack: expect.stringMatching(/^.*\n.*kinds\.test\.ts/) })
    await cancelled
  })
})

describe("a streamed payload", () => {
  const parts = () => ["a", "ü"].map((text) => new TextEncoder().encode(text))
  async function* generate() {
    yield* parts()
  }
  const readable = () => new Blob(["aü"]).stream()
  /** As in Safari, whose streams have no iterator. */
  const withoutIterator = () => Object.assign(readable(), { [Symbol.asyncIterator]: undefined })

  const receive = async (use: (cloud: ReturnType<typeof connect>["cloud"]) => Promise<void>) => {
    const texts: Array<string> = []
    const { cloud } = connect(async (request) => {
      texts.push(await request.text())
      return done()
    })
    await use(cloud)
    return texts
  }

  it.each([
    ["an async iterable", generate],
    ["a ReadableStream", readable],
    ["a ReadableStream without an iterator", withoutIterator]
  ])("is sent from %s", async (_, make) => {
    const texts = await receive(async ({ things }) => {
      await things.put({ payload: { stream: make() } })
      await things.either({ payload: { contentType: "application/octet-stream", value: { stream: make() } } })
    })
    expect(texts).toEqual(["aü", "aü"])
  })

  const file = () => createReadStream(import.meta.filename)
  it.each<[what: string, make: () => AsyncIterable<Uint8Array>, use: (source: AsyncIterable<Uint8Array>) => unknown]>([
    ["a ReadableStream that was read", readable, buffer],
    ["a ReadableStream that is locked", readable, (source) => source[Symbol.asyncIterator]()],
    [
      "a ReadableStream of which a part was read",
      readable,
      async (source) => {
        for await (const _ of source) break
      }
    ],
    ["a stream of Node that was read", file, buffer],
    ["an empty stream of Node that was read", () => Readable.from([]), buffer],
    ["a stream of Node that was destroyed", () => file().destroy(), constVoid]
  ])("is rejected, and nothing is sent: %s", async (_, make, use) => {
    const { cloud, requests } = connect(done)
    const stream = make()
    await use(stream)
    const error = await rejection(cloud.things.put({ payload: { stream } }))
    expect(error).toMatchObject({ reason: "InvalidInput", outcome: "not-sent", attempts: 0, field: "payload.stream" })
    expect(requests).toEqual([])
  })

  it.each<[what: string, make: () => AsyncIterable<Uint8Array>]>([
    ["a generator", generate],
    [
      "an iterable over one generator",
      () => {
        const one = generate()
        return { [Symbol.asyncIterator]: () => one }
      }
    ],
    ["a ReadableStream", readable],
    ["a ReadableStream without an iterator", withoutIterator],
    ["a stream of Node", file]
  ])("is rejected for a second call, in turn or at once: %s", async (_, make) => {
    const { cloud, requests } = connect(async (request) => (await request.text(), refused(503)))
    const put = (stream: AsyncIterable<Uint8Array>) => rejection(cloud.things.put({ payload: { stream } }))
    const first = make()
    expect(await put(first)).toMatchObject({ status: 503, outcome: "unknown" })
    expect(await put(first)).toMatchObject({ reason: "InvalidInput", outcome: "not-sent" })
    const second = make()
    const errors = await Promise.all([put(second), put(second)])
    expect(errors).toMatchObject([{ status: 503 }, { reason: "InvalidInput", outcome: "not-sent" }])
    expect(requests.length).toBe(2)
  })

  it("is sent by each call if it can be read again", async () => {
    const texts = await receive(async ({ things }) => {
      const stream = { [Symbol.asyncIterator]: generate }
      await things.put({ payload: { stream } })
      await things.put({ payload: { stream } })
    })
    expect(texts).toEqual(["aü", "aü"])
  })

  const closing: ReadonlyArray<[what: string, make: (closed: () => void) => AsyncIterable<Uint8Array>]> = [
    ["a ReadableStream", (closed) => new ReadableStream({ cancel: closed })],
    ["a stream of Node", (closed) => new Readable({ read: constVoid }).on("close", closed)],
    [
      "an iterator",
      (closed) => {
        const iterator = {
          next: () => new Promise<never>(constVoid),
          return: async () => (closed(), { done: true as const, value: undefined }),
          [Symbol.asyncIterator]: () => iterator
        }
        return iterator
      }
    ]
  ]
  it.each(closing)("that no request took is closed at the end of its call: %s", async (_, make) => {
    const closed = Promise.withResolvers<void>()
    const { cloud } = connect(() => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })))
    const error = await rejection(cloud.things.put({ payload: { stream: make(closed.resolve) } }, { maxRetries: 0 }))
    expect(error).toMatchObject({ outcome: "not-sent", attempts: 1 })
    await closed.promise
  })

  const secured = Operation.make({ ...operations.things.put, security: [["oauth"]] })
  it.each(
    closing.flatMap(([what, make]) =>
      [
        ["aborted before", {}, { signal: AbortSignal.abort() }],
        ["given an option that does not exist", {}, { timout: 1 }],
        ["without credentials", { credentials: () => Promise.reject(new Error("sealed")) }, {}],
        [
          "without those of its scheme",
          { credentials: Credentials.schemes({}), operations: { things: { put: secured } } },
          {}
        ]
      ].map(([why, options, ofCall]) => [what, why, make, options, ofCall] as const)
    )
  )("of a call that does not begin is closed too: %s, %s", async (_, _why, make, options, ofCall) => {
    const closed = Promise.withResolvers<void>()
    const { cloud, requests } = connect(done, Object(options))
    await rejection(cloud.things.put({ payload: { stream: make(closed.resolve) } }, Object(ofCall)))
    await closed.promise
    expect(requests).toEqual([])
  })

  const early: ReadonlyArray<[when: string, connectOver: (wait: () => Promise<void>) => Partial<Options>]> = [
    ["while the request is sent", (wait) => ({ fetch: async (url, init) => (await wait(), received(url, init)) })],
    ["while the credentials are read", (wait) => ({ credentials: async () => (await wait(), Credentials.bearer("a")) })]
  ]
  let sent = ""
  const received: NonNullable<Options["fetch"]> = async (url, init) => {
    sent = await new Request(url, init).text()
    return done()
  }

  it.each(early)("that fails %s, before it is read, fails the call and not the process", async (_, connectOver) => {
    const stream = new Readable({ read: constVoid })
    const closed = new Promise<void>((resolve) => stream.on("close", () => resolve()))
    const { cloud } = connect(done, {
      fetch: received,
      ...connectOver(() => (stream.destroy(new Error("disk on fire")), closed))
    })
    const error = await rejection(cloud.things.put({ payload: { stream } }))
    expect(error).toMatchObject({
      message: expect.stringContaining("disk on fire"),
      attempts: expect.toBeOneOf([0, 1])
    })
  })

  it.each(early)("that others listen to loses nothing %s", async (_, connectOver) => {
    const stream = file()
    const before = text(stream.pipe(new PassThrough()))
    let heard = 0
    stream.on("data", ({ length }) => (heard += length))
    const { cloud } = connect(done, { fetch: received, ...connectOver(() => turns(20)) })
    const call = cloud.things.either({ payload: { contentType: "application/octet-stream", value: { stream } } })
    const after = text(stream.pipe(new PassThrough()))
    await call
    const expected = await text(file())
    expect([sent, await before, await after, heard]).toEqual([
      expected,
      expected,
      expected,
      Buffer.byteLength(expected)
    ])
  })

  it("of Node that many calls are given gets no listeners from each", async () => {
    const { cloud } = connect(done, { fetch: received })
    const stream = file()
    const put = () => cloud.things.put({ payload: { stream } })
    await put()
    const listeners = stream.listenerCount("error") + stream.listenerCount("readable")
    await rejection(put())
    expect(stream.listenerCount("error") + stream.listenerCount("readable")).toBe(listeners)
  })

  it("that somebody else reads stays open", async () => {
    const stream = file()
    for await (const _ of stream.iterator({ destroyOnReturn: false })) break
    await rejection(connect(done).cloud.things.put({ payload: { stream } }))
    expect(stream.destroyed).toBe(false)
    stream.destroy()
  })

  it("of Node that stalls is destroyed when its call ends", async () => {
    const aborting = new AbortController()
    const stream = new Readable({ read: () => setImmediate(() => aborting.abort()) })
    const { cloud } = connect(done, { fetch: received })
    await rejection(cloud.things.put({ payload: { stream } }, { signal: aborting.signal }))
    await cloud.close()
    expect(stream.destroyed).toBe(true)
  })

  it("of text, such as that of a file with an encoding, says that it has no bytes", async () => {
    const { cloud } = connect(async (request) => (await request.text(), done()))
    const error = await rejection(cloud.things.put({ payload: { stream: Readable.from(["a"]) } }))
    expect(error).toMatchObject({ message: expect.stringContaining("it has a part that is not bytes") })
  })
})
