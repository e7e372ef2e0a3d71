import { expect, it } from "vitest"
import { runInNewContext } from "node:vm"
import { Schema } from "effect"
import { Body } from "@cloud-management/client"
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

const hostile = (error: unknown) => ({
  organizationId: id,
  get keyId(): string {
    throw error
  }
})
const calls: Readonly<Record<string, (error: unknown) => Promise<unknown>>> = {
  "is aborted before it": (error) => connect(silence).cloud.organizations.list({ signal: AbortSignal.abort(error) }),
  "is aborted while it runs": (error) => {
    const controller = new AbortController()
    const running = connect(silence).cloud.organizations.list({ signal: controller.signal })
    controller.abort(error)
    return running
  },
  "has credentials that cannot be read": (error) =>
    new CloudManagement({
      baseUrl: settings.baseUrl,
      fetch: async () => listed(),
      credentials: () => Promise.reject(error)
    }).organizations.list(),
  "has an input that throws": (error) => connect(listed).cloud.apiKeys.delete(hostile(error))
}

it.each(
  errors.flatMap(([kind, error]) => Object.entries(calls).map(([when, call]) => [kind, when, error, call] as const))
)("a foreign %s is what a call rejects with that %s", async (_, _when, error, call) => {
  expect(await rejection(call(error))).toBe(error)
})

it("a foreign failure of fetch is a ConnectionError with its code", async () => {
  const failure = foreign("Object.assign(new TypeError('failed', { cause: { code: 'ECONNREFUSED' } }))")
  const { cloud } = connect(() => Promise.reject(failure), { maxRetries: 0 })
  const error = await rejection(cloud.organizations.list())
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: "ECONNREFUSED", outcome: "not-sent" })
})

it.each<[what: string, payload: Body.Payload, code: string, sent: string]>([
  [
    "an object with dates, of Date and of DateTime",
    Body.json(Schema.Struct({ dates: Schema.Array(Schema.DateFromString), to: Schema.DateTimeUtcFromString })),
    "({ dates: [new Date(0)], to: new Date(0) })",
    '{"dates":["1970-01-01T00:00:00.000Z"],"to":"1970-01-01T00:00:00.000Z"}'
  ],
  ["bytes", Body.bytes(), "new Uint8Array([0, 1, 2, 3]).subarray(1, 3)", "\u0001\u0002"]
])("a foreign input can be %s", async (_, payload, code, sent) => {
  const { fetch, requests } = stub(() => Response.json(null))
  const put = {
    group: "things",
    name: "put",
    method: "PUT",
    path: "/v1/things",
    payload,
    success: Body.json(Schema.Unknown),
    errors: []
  } as const
  const { things } = new Client({ baseUrl: settings.baseUrl, fetch, operations: { things: { put } } })
  await things.put({ payload: foreign(code) })
  expect(await requests[0]?.text()).toEqual(sent)
})
