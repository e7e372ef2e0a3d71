/** Properties of requests of every kind: those that HTTP allows have one right response, and any bytes do no harm. */
import { expect, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Net from "node:net"
import { HttpHost } from "@cloud-management/service/node"
import { Service } from "@cloud-management/service"
import { Fixtures } from "@cloud-management/testing"
import * as Host from "../../../checks/fixtures/Host.ts"
import { basic, served } from "./Served.ts"

const { acme, analytics, backupKey, deployKey, disabledKey, expiredKey, globex, globexKey, readyEndpoint, unicodeKey } =
  Fixtures
const missing = "00000000-0000-4000-8000-000000000000"
const seeded = (runs: number) => ({ arbitrary: { seed: 1, runs } })

/** The headers that a request can have, and whether they authenticate the deploy key. */
const callers: Readonly<Record<string, readonly [authorization: string | undefined, isKnown: boolean]>> = {
  "the key": [basic(), true],
  none: [undefined, false],
  empty: ["", false],
  "a scheme alone": ["Basic", false],
  "another scheme": [basic().replace("Basic", "Bearer"), false],
  "another scheme with commas": ['Digest username="a", realm="b"', false],
  "a wrong secret": [basic({ ...deployKey, secret: `${deployKey.secret} ` }), false],
  "an unknown ID": [basic({ ...deployKey, id: missing }), false],
  "a disabled key": [basic(disabledKey), false],
  "an expired key": [basic(expiredKey), false]
}

const invalid = { "%2e%2e": 400, "%00": 400, "%0d%0a": 400, "%c0%af": 400, "a%2Fb": 400, x: 400 } as const
/** Segments of a path, each with the status that it leads to. */
const organizations = { [acme]: 200, [acme.toUpperCase()]: 200, [globex]: 403, [missing]: 403, ...invalid }
const services = { [analytics]: 200, [Fixtures.globexService]: 404, [missing]: 404, ...invalid }
const endpoints = { [readyEndpoint]: 200, [Fixtures.globexEndpoint]: 404, [missing]: 404, ...invalid }
const keys = {
  [backupKey.id]: 200,
  [unicodeKey.id.toUpperCase()]: 200,
  [deployKey.id]: 400,
  [globexKey.id]: 404,
  [missing]: 404,
  ...invalid
}
const pages = ["/health", "/ready", "/openapi.json"] as const
const unrouted = ["/", "/v1/", "/V1/organizations", "//v1/organizations", "/v1/./organizations", "/%00", "/__proto__"]

const oneOf = (names: object) => Schema.Literals(Object.keys(names))
const Target = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("list") }),
  Schema.Struct({ kind: Schema.Literal("key"), organization: oneOf(organizations), key: oneOf(keys) }),
  Schema.Struct({
    kind: Schema.Literal("endpoint"),
    organization: oneOf(organizations),
    service: oneOf(services),
    endpoint: oneOf(endpoints)
  }),
  Schema.Struct({ kind: Schema.Literal("page"), path: Schema.Literals(pages) }),
  Schema.Struct({ kind: Schema.Literal("none"), path: Schema.Literals(unrouted) })
])
const Request = Schema.Struct({
  method: Schema.Literals(["GET", "GET", "HEAD", "DELETE", "DELETE", "POST", "OPTIONS", "TRACE"]),
  target: Target,
  query: Schema.Literals(["", "?x=1", "?%zz", `?${"a".repeat(2100)}`]),
  caller: oneOf(callers)
})

const of = (statuses: object, name: string): number =>
  Number(Object.entries(statuses).find(([key]) => key === name)?.[1])

/** The path of a target, the methods that it takes, and the status of a known caller's request before what is there. */
const read = (target: (typeof Target)["Type"]) => {
  const reads = ["GET", "HEAD"]
  switch (target.kind) {
    case "list":
      return { path: "/v1/organizations", methods: reads, ofCaller: [200] }
    case "key": {
      const { key, organization } = target
      const path = `/v1/organizations/${organization}/keys/${key}`
      return { path, methods: ["DELETE"], ofCaller: [of(organizations, organization), of(keys, key)], key }
    }
    case "endpoint": {
      const { endpoint, organization, service } = target
      const path = `/v1/organizations/${organization}/services/${service}/pipesReversePrivateEndpoints/${endpoint}`
      const ofCaller = [of(organizations, organization), of(services, service), of(endpoints, endpoint)]
      return { path, methods: reads, ofCaller }
    }
    default:
      return { path: target.path, methods: reads, ofCaller: undefined }
  }
}

/** The order of checks: the form, the route, the caller, the organization, IDs, what is there. */
const statusOf = ({ caller, method, query, target }: (typeof Request)["Type"], gone: ReadonlySet<string>): number => {
  const { key, methods, ofCaller } = { key: "", ...read(target) }
  if (query.length > 2000) return 414
  if (target.kind === "none") return 404
  if (!methods.includes(method)) return 405
  if (ofCaller === undefined) return 200
  if (!callers[caller]?.[1]) return 401
  // another's organization comes before all IDs
  if (ofCaller[0] === 403) return 403
  if (ofCaller.includes(400)) return 400
  return ofCaller.includes(404) || gone.has(key.toLowerCase()) ? 404 : 200
}

it.effect.prop(
  "requests of every kind get the response that the order of checks gives them, and see no other tenant",
  { requests: Schema.Array(Request).check(Schema.isMinLength(1), Schema.isMaxLength(30)) },
  ({ requests }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(expiredKey.expiresAt) + 1)
      const { handle } = yield* Service.Service
      const gone = new Set<string>()
      for (const request of requests) {
        const { path } = read(request.target)
        const [authorization] = callers[request.caller] ?? []
        const response = yield* handle({
          method: request.method,
          url: path + request.query,
          headers: { host: "service", ...(authorization !== undefined && { authorization }) },
          // guesses count against an address, which is not the property
          address: () => undefined,
          content: () => Stream.empty,
          source: {}
        })
        const web = HttpServerResponse.toWeb(response)
        const text = yield* Effect.promise(() => web.text())
        const status = statusOf(request, gone)
        expect([request, web.status]).toEqual([request, status])
        expect(text).not.toMatch(/globex|node_modules|\.ts:\d/i)
        if (request.target.kind === "key" && status === 200) gone.add(request.target.key.toLowerCase())
      }
    }).pipe(Effect.provide(served())),
  seeded(300)
)

const whole = `GET /v1/organizations HTTP/1.1\r\nHost: f\r\nAuthorization: ${basic()}\r\nContent-Length: 3\r\n\r\nabc`
const pieces = [
  "",
  "\r\n",
  "\n",
  "\r\n\r\n",
  "\0",
  ":",
  " ",
  "\u00ff",
  "GET / HTTP/1.1\r\n",
  "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
  "\r\nContent-Length: -1\r\n",
  "\r\nTransfer-Encoding: chunked, chunked\r\n",
  "\r\nExpect: 100-continue\r\n",
  "\r\nUpgrade: h2c\r\nConnection: upgrade\r\n",
  "\r\nX: a\r\n b",
  "a".repeat(40_000),
  "a:b\r\n".repeat(3000),
  whole
]
const position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: whole.length }))
const Edit = Schema.Struct({ from: position, length: Schema.Literals([0, 1, 7, 100]), insert: Schema.Literals(pieces) })

const exchange = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket = Net.connect(port, "127.0.0.1")
    socket.setEncoding("latin1").on("data", (chunk) => (received += chunk))
    // a connection that is refused while much is still to be sent is reset
    socket.on("error", () => {})
    socket.once("close", () => resume(Effect.succeed(received)))
    socket.end(Buffer.from(bytes, "latin1"))
  })

it.live.prop(
  "any bytes get a refusal or the end of the connection, and the next request its response",
  { edits: Schema.Array(Edit).check(Schema.isMinLength(1), Schema.isMaxLength(4)) },
  ({ edits }) =>
    Effect.gen(function* () {
      const { url } = yield* HttpHost.HttpHost
      const port = Number(new URL(url).port)
      const bytes = edits.reduce(
        (text, { from, insert, length }) => text.slice(0, from) + insert + text.slice(from + length),
        whole
      )
      const received = yield* exchange(port, bytes)
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
      expect(statuses.filter((status) => status >= 500 && status !== 501)).toEqual([])
      expect(received).not.toMatch(/node_modules|\.ts:\d/)
      expect(yield* exchange(port, `GET /health HTTP/1.1\r\nHost: f\r\nConnection: close\r\n\r\n`)).toContain(" 200 ")
    }).pipe(Effect.provide(Host.host())),
  seeded(200)
)
