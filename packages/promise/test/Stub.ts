import { Schema } from "effect"
import { Body, Operation } from "@cloud-management/client"
import { commonRefusals } from "@cloud-management/core/Refusals"
import { CloudManagement, type CloudManagementOptions } from "@cloud-management/promise"

export type Respond = (request: Request, attempt: number) => Response | Promise<Response>

export const id = "12345678-1234-1234-1234-123456789012"

export const settings = { baseUrl: "https://api.example.com", keyId: "key-id", keySecret: "key-secret" }

export const stub = (respond: Respond) => {
  const requests: Array<Request> = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init)
    requests.push(request)
    return respond(request, requests.length)
  }
  return { fetch, requests }
}

export const connect = (respond: Respond, options: CloudManagementOptions = {}) => {
  const { fetch, requests } = stub(respond)
  return { cloud: new CloudManagement({ ...settings, fetch, ...options }), requests }
}

export const listed = () =>
  Response.json(
    { status: 200, requestId: "req-1", result: [{ id, name: "Acme", createdAt: "2026-01-01T00:00:00Z" }] },
    { headers: { "x-request-id": "req-1" } }
  )

export const refused = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ status, error: "CODE: text", requestId: "req-2" }, { status, headers })

/** Never responds; rejects when the request is aborted, as `fetch` does. */
export const silence: Respond = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))

export const counted = () => {
  const { signal } = new AbortController()
  let listeners = 0
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args))
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args))
  return { signal, listeners: () => listeners }
}

export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("it resolved")
    },
    (error: unknown) => error
  )

export const list = Operation.make({
  group: "keys",
  name: "list",
  method: "GET",
  path: "/v1/keys",
  query: Operation.query(Schema.Struct({ cursor: Schema.optionalKey(Schema.String) })),
  success: Body.json(
    Schema.Struct({
      keys: Schema.Array(Schema.Struct({ at: Schema.DateTimeUtcFromString })),
      next: Schema.optionalKey(Schema.String)
    })
  ),
  errors: commonRefusals,
  pagination: Operation.cursor({ query: "cursor", next: "next", items: "keys" })
})
