import { describe, expect, it } from "vitest"
import { runInNewContext } from "node:vm"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/client/Body"
import * as Operation from "@cloud-management/client/Operation"
import { Client, CloudManagement, ConnectionError } from "@cloud-management/promise"
import { connect, id, listed, rejection, settings, silence, stub } from "./Stub.ts"

// as in Jest's sandbox and in frames, whose objects `instanceof` does not know

const foreign = <A>(code: string): A => runInNewContext(code)
const errors: ReadonlyArray<readonly [kind: string, error: unknown]> = [
  ["Error", foreign("new Error('enough')")],
  ["TypeError", foreign("new TypeError('enough')")],
  ["subclass", foreign("new (class Enough extends Error {})('enough')")],
  ["DOMException", foreign("({ name: 'TimeoutError', message: 'enough', [Symbol.toStringTag]: 'DOMException' })")]
]

describe.each(errors)("a foreign %s", (_, error) => {
  it("is what an aborted call rejects with, before it and while it runs", async () => {
    const { cloud } = connect(silence)
    expect(await rejection(cloud.organizations.list({ signal: AbortSignal.abort(error) }))).toBe(error)
    const controller = new AbortController()
    const running = cloud.organizations.list({ signal: controller.signal })
    controller.abort(error)
    expect(await rejection(running)).toBe(error)
  })

  it("is what a call rejects with if the credentials cannot be read", async () => {
    const { baseUrl } = settings
    const cloud = new CloudManagement({
      baseUrl,
      fetch: async () => listed(),
      credentials: () => Promise.reject(error)
    })
    expect(await rejection(cloud.organizations.list())).toBe(error)
  })

  it("is what a call rejects with if an input throws it", async () => {
    const hostile = {
      organizationId: id,
      get keyId(): string {
        throw error
      }
    }
    expect(await rejection(connect(listed).cloud.apiKeys.delete(hostile))).toBe(error)
  })
})

it("a foreign failure of fetch is a ConnectionError with its code", async () => {
  const failure = foreign("Object.assign(new TypeError('failed', { cause: { code: 'ECONNREFUSED' } }))")
  const { cloud } = connect(() => Promise.reject(failure), { maxRetries: 0 })
  const error = await rejection(cloud.organizations.list())
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: "ECONNREFUSED", outcome: "not-sent" })
})

describe("a foreign input", () => {
  const put = <Payload extends Body.Payload>(payload: Payload) =>
    Operation.make({
      group: "things",
      name: "put",
      method: "PUT",
      path: "/v1/things",
      summary: "Replace a thing",
      payload,
      success: Body.json(Schema.Unknown),
      errors: [],
      annotations: { scope: "key", stability: "stable" }
    })
  const open = () => {
    const { fetch, requests } = stub(() => Response.json(null))
    return { options: { baseUrl: settings.baseUrl, fetch }, requests }
  }

  it("can be an object with dates, of Date and of DateTime", async () => {
    const { options, requests } = open()
    const schema = Schema.Struct({ dates: Schema.Array(Schema.DateFromString), to: Schema.DateTimeUtcFromString })
    const cloud = new Client({ ...options, operations: { things: { put: put(Body.json(schema)) } } })
    const text = "2026-01-01T00:00:00.000Z"
    await cloud.things.put(foreign(`({ payload: { dates: [new Date("${text}")], to: new Date("${text}") } })`))
    expect(await requests[0]?.json()).toEqual({ dates: [text], to: text })
  })

  it("can be bytes", async () => {
    const { options, requests } = open()
    const cloud = new Client({
      ...options,
      operations: { things: { put: put(Body.bytes("application/octet-stream")) } }
    })
    await cloud.things.put({ payload: foreign("new Uint8Array([0, 1, 2, 3]).subarray(1, 3)") })
    expect(await requests[0]?.bytes()).toEqual(new Uint8Array([1, 2]))
  })
})
