import { Child, describe, expect, Host, it } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { Fixtures } from "@cloud-management/testing"
import * as Server from "./Server.ts"

const { acme, deployKey } = Fixtures

const list = "/v1/organizations"
const asked = { authorization: `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}` }
const guess = { authorization: `Basic ${Base64.encode(`${deployKey.id}:${Child.wrongSecret}`)}` }

/** The lines of a log that are not the service's own. */
const accesses = (stderr: string) => Child.documents(stderr).filter(({ message }) => message === "request")

describe.concurrent("the access log", () => {
  it.live("has a line for each request, malformed and rejected ones too", function* () {
    const options = ["--access-log", "--rate-limit", "2/1h", "--log-format", "pretty", "--no-docs"]
    const child = yield* Server.seeded({}, ...options)
    const fetched = (path: string, init: RequestInit) =>
      Effect.promise(async () => {
        const response = await fetch(`${child.url}${path}`, init)
        const { byteLength: bytes } = new Uint8Array(await response.arrayBuffer())
        return { requestId: response.headers.get("x-request-id"), bytes }
      })
    const raw = (text: string) =>
      Effect.map(Host.exchange(child.url, text), (response) => {
        const [head = "", body = ""] = response.split("\r\n\r\n")
        return { requestId: /x-request-id: (.+)/i.exec(head)?.[1], bytes: body.length }
      })

    const { id: keyId } = deployKey
    const key = { route: `${list}/{organizationId}/keys/{keyId}`, status: 400, keyId }
    const expected: Array<object> = []
    for (const [method, sent, fields] of [
      ["GET", fetched(`${list}?token=hidden`, { headers: asked }), { route: list, status: 200, keyId }],
      ["DELETE", fetched(`${list}/${acme}/keys/hidden`, { method: "DELETE", headers: asked }), key],
      ["GET", fetched(list, { headers: asked }), { route: list, status: 429, keyId }],
      ["GET", fetched(list, { headers: guess }), { route: list, status: 401 }],
      ["GET", fetched("/hidden", { headers: asked }), { status: 404 }],
      ["HEAD", fetched("/health", { method: "HEAD" }), { route: "/health", status: 200 }],
      ["_OTHER", raw("hidden\r\n\r\n"), { status: 400 }],
      ["GET", raw(Host.closing("GET /health", "Host: hidden")), { status: 400 }]
    ] as const) {
      expected.push({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: "INFO",
        message: "request",
        durationMs: expect.any(Number),
        address: "127.0.0.1",
        method,
        ...(yield* sent),
        ...fields
      })
    }
    const { stderr } = yield* child.stop
    const lines = stderr.split("\n").filter((line) => line.startsWith("{"))
    expect(accesses(lines.join("\n"))).toEqual(expected)
    expect(lines).toHaveLength(expected.length)
    expect(lines.join()).not.toContain("hidden")
  })

  it.live("does not wait in memory without limit for a reader that stalls", function* () {
    const child = yield* Server.seeded({}, "--access-log")
    child.process.stderr.pause()
    // a line has more than 200 bytes: together more than the pipe and the log hold
    const batch = Host.request("GET /health").repeat(29) + Host.closing("GET /health")
    const batches = 250
    yield* Effect.replicateEffect(Host.exchange(child.url, batch), batches, { concurrency: 4, discard: true })
    child.process.stderr.resume()
    const [, dropped] = yield* child.until("stderr", /"message":"(\d+) log entries were dropped/)
    const written = accesses((yield* child.stop).stderr).length
    expect(written + Number(dropped)).toBe(30 * batches)
  })
})
