import type { Outcome } from "@cloud-management/client/CallError"
import type { AnyOperation } from "../fixtures/Scripted.ts"
import type { Behaviour } from "./proxy.ts"
import * as Wire from "./wire.ts"

export interface Facts {
  readonly ending: string
  /** HTTP status of the error; `service`: that of the service's own response. */
  readonly status?: number | "service"
  readonly outcome?: Outcome
  readonly again?: boolean
  /** Whether the service does the work. */
  readonly served?: boolean
  /** Whether the attempt lasts until its deadline, as one that ends as `Timeout` always does. */
  readonly stalls?: boolean
  /** How long the client has to wait before the next attempt, or, where there is none, says that it would have to: `hint.test.ts` has the forms of a hint. */
  readonly hint?: number
}

/** Of a connection or a request, which may go somewhere else, or over a connection that was used before. */
export interface Fault extends Behaviour {
  readonly to?: (places: Wire.Places) => string
  readonly kept?: true
}

export interface Row {
  readonly fault: string
  readonly wire: Fault
  readonly expected: Facts
  readonly except?: { readonly [O in AnyOperation]?: Facts }
  /** By how much the time of day jumps during the first attempt, in milliseconds. */
  readonly jump?: number
  /** A transport that leaves the connection open for some seconds, and cannot be made to end it. */
  readonly lingers?: "fetch"
  /** The outcome over a transport that makes the right one impossible. */
  readonly deviation?: { readonly undici?: Facts; readonly fetch?: Facts }
}

const connectionFailed: Facts = { ending: "TransportFailed", outcome: "not-sent", again: true }
const distrusted: Facts = { ending: "TransportFailed", outcome: "not-sent" }
const broke: Facts = { ending: "TransportFailed", outcome: "unknown", again: true }
const brokeAfter: Facts = { ...broke, served: true }
const brokeInBody: Facts = { ...brokeAfter, status: "service" }
const silent: Facts = { ending: "Timeout", outcome: "unknown", again: true }
const silentAfter: Facts = { ...silent, served: true }
const silentInBody: Facts = { ...silentAfter, status: "service" }
const invalid: Facts = { ending: "InvalidResponse", status: 200, outcome: "unknown" }
const invalidAfter: Facts = { ...invalid, served: true }
const unexpected = (status: number, outcome: Outcome, again = false): Facts => ({
  ending: "UnexpectedStatus",
  status,
  outcome,
  again
})
const forbidden: Facts = { ending: "Forbidden", status: 403, outcome: "refused" }
const limited: Facts = { ending: "RateLimited", status: 429, outcome: "refused", again: true }
const unavailable: Facts = { ending: "ServiceUnavailable", status: 503, outcome: "unknown", again: true }
const okAfter: Facts = { ending: "ok", served: true }

const { json } = Wire
const html = { "content-type": "text/html" }
const page = "<html><h1>Something is wrong</h1></html>"
const envelope = (status: number) => JSON.stringify({ status, error: "CODE: text", requestId: "req-1" })

const row = (
  fault: string,
  wire: Fault | NonNullable<Fault["request"]>,
  expected: Facts,
  more: Omit<Row, "fault" | "wire" | "expected"> = {}
): Row => ({ fault, wire: typeof wire === "function" ? { request: wire } : wire, expected, ...more })

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  Wire.respond(status, { ...json, ...headers }, envelope(status))
const cut = (how: "breaks off" | "stalls", status: number, expected: Facts, retryAfter?: string) => {
  const stalls = how === "stalls"
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
  const hint = retryAfter === undefined ? "" : `, Retry-After: ${retryAfter},`
  return row(`${status}${hint} with a body that ${how}`, Wire.cutRefusal(stalls, status, headers), {
    ...expected,
    stalls
  })
}

const { after, before } = Wire
const silentInTheBody = after(Wire.head, Wire.halfBody, Wire.headRead, Wire.silent)
const length = /^content-length:/i
const chunked = Wire.changed(length, "transfer-encoding: chunked")

const hour = 3_600_000
const nineSeconds = { "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT", date: "Wed, 21 Oct 2026 12:00:00 GMT" }

export const table: ReadonlyArray<Row> = [
  // connecting
  row("connection refused", { to: ({ refused }) => refused }, connectionFailed),
  row("unknown host name", { to: ({ unknown }) => unknown }, connectionFailed),
  row("self-signed certificate", { to: ({ selfSigned }) => selfSigned }, distrusted),
  row("https to a port of plain http", { to: ({ tls }) => tls, connection: Wire.plainHttp }, distrusted),
  // fetch reports it as it reports any reset: the client cannot tell that nothing was sent
  row(
    "reset during the TLS handshake",
    { to: ({ tls }) => tls, connection: Wire.resetAtFirstBytes },
    connectionFailed,
    { deviation: { fetch: broke } }
  ),
  // Node goes on making a connection for 10 seconds when its request is aborted
  row("silence during the TLS handshake", { to: ({ tls }) => tls, connection: Wire.silent }, silent, {
    lingers: "fetch"
  }),

  // the connection breaks
  row("reset when connected", { connection: Wire.reset }, connectionFailed),
  row("reset before the service", before(Wire.reset), broke),
  row("reset after the service", after(Wire.reset), brokeAfter),
  row("closed after the service", after(Wire.end), brokeAfter),
  row("reset on a kept connection", { kept: true, request: before(Wire.reset) }, broke),
  row("reset in the headers", after(Wire.halfHead, Wire.reset), brokeAfter),
  row("reset in the body", after(Wire.head, Wire.halfBody, Wire.headRead, Wire.reset), brokeInBody),
  row("body shorter than its content-length", after(Wire.head, Wire.halfBody, Wire.end), brokeInBody),
  row(
    "body without a length cut short",
    after(Wire.changed(length, "connection: close"), Wire.halfBody, Wire.end),
    invalidAfter
  ),

  // nothing more comes
  row("silence before the service", before(Wire.silent), silent),
  row("silence after the service", after(Wire.silent), silentAfter),
  row("silence in the headers", after(Wire.halfHead, Wire.silent), silentAfter),
  row("silence in the body", silentInTheBody, silentInBody),
  row("body that drips", after(chunked, Wire.headRead, Wire.silent, Wire.forever("1\r\n \r\n")), silentInBody),

  // what comes is not HTTP
  row("bytes that are not HTTP", before("SSH-2.0-OpenSSH_9.9\r\n"), broke),
  row("headers without end", before("HTTP/1.1 200 OK\r\n", Wire.forever(`x-more: ${"a".repeat(1000)}\r\n`)), broke),
  row("two different content-lengths", after(Wire.changed(/^$/, "content-length: 1"), Wire.body), brokeAfter),
  row("bad chunk", after(chunked, "1\r\n{\r\n", Wire.headRead, "no length\r\n"), brokeInBody),
  row(
    "a switch of protocols that nobody asked for",
    before("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: foo\r\n\r\n"),
    broke
  ),

  // something responds in place of the service
  row("502 in HTML", Wire.respond(502, html, page), unexpected(502, "unknown", true)),
  row("503 in HTML", Wire.respond(503, html, page), unavailable),
  row("504 in HTML", Wire.respond(504, html, page), unexpected(504, "unknown", true)),
  row("504 in HTML after the service", Wire.respondAfter(504, html, page), {
    ...unexpected(504, "unknown", true),
    served: true
  }),
  row("500 after the service", Wire.respondAfter(500, json, envelope(500)), {
    ...broke,
    ending: "InternalError",
    status: 500,
    served: true
  }),
  row("408", Wire.respond(408, html, ""), unexpected(408, "unknown", true)),
  row("404 in HTML", Wire.respond(404, html, page), unexpected(404, "refused")),
  row("404 whose error has no code", Wire.respond(404, json, '{"error":"Not Found"}'), unexpected(404, "refused")),
  row(
    "404 of Spring",
    Wire.respond(404, json, '{"timestamp":"2026-10-21T12:00:00Z","status":404,"error":"Not Found","path":"/"}'),
    unexpected(404, "refused")
  ),
  row("403 whose error has no code", Wire.respond(403, json, '{"error":"Forbidden"}'), forbidden),
  row("200 that asks to log in, in JSON", Wire.respond(200, json, '{"login":"please"}'), invalid),
  row("200 that asks to log in", Wire.respond(200, html, "<html><form>Log in</form></html>"), invalid),
  row("redirect to elsewhere", Wire.redirect, unexpected(307, "refused")),

  // a success that is not one, and one that is
  row("200 with broken JSON", Wire.respondAfter(200, json, '{"status":200,'), invalidAfter),
  row("200 without a body", Wire.respondAfter(200, json, ""), invalidAfter),
  row("200 with a gzip bomb", Wire.gzipBomb, invalid),
  row("200 with a body without end", Wire.endless(200), invalid),
  row("503 with a body without end", Wire.endless(503), unavailable),
  // browsers do not say why, so there it counts as a body that breaks off
  row("200 with gzip that is none", Wire.relay(Wire.changed(/^$/, "content-encoding: gzip")), invalidAfter),
  // which stands for any that a transport does not know; browsers leave such a body as it is
  row("200 in an unknown coding", Wire.compressed("compress"), invalidAfter),
  row("200 in GZIP", Wire.compressed("GZIP"), okAfter),
  row("200 of another content type", Wire.relay(Wire.changed(/^content-type:/i, "content-type: text/plain")), okAfter),
  row("204", Wire.respondAfter(204, {}), { ...invalidAfter, status: 204 }, { except: { "apiKeys.delete": okAfter } }),
  row(
    "103 and then the response",
    Wire.relay("HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n", Wire.head),
    okAfter
  ),
  // undici closes a connection that sends 100 unasked, though RFC 9110 §15.2 has clients ignore it
  row("100 and then the response", Wire.relay("HTTP/1.1 100 Continue\r\n\r\n", Wire.head), okAfter, {
    deviation: { undici: brokeAfter, fetch: brokeAfter }
  }),

  // limits
  row("429", refusal(429), limited),
  row("429, Retry-After: 7", refusal(429, { "retry-after": "7" }), { ...limited, hint: 7000 }),
  row("429, Retry-After: 0", refusal(429, { "retry-after": "0" }), { ...limited, hint: 0 }),
  row("429, Retry-After: date, with Date", refusal(429, nineSeconds), { ...limited, hint: 9000 }),
  row(
    "429, X-RateLimit-Reset: 2.5",
    refusal(429, { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2.5" }),
    { ...limited, hint: 2500 }
  ),
  row("503, Retry-After: 2", refusal(503, { "retry-after": "2" }), { ...unavailable, hint: 2000 }),
  row("429, Retry-After: 3600", refusal(429, { "retry-after": "3600" }), { ...limited, again: false, hint: hour }),
  row("503, Retry-After: 3600", refusal(503, { "retry-after": "3600" }), { ...unavailable, again: false, hint: hour }),

  cut("breaks off", 429, { ...limited, hint: 7000 }, "7"),
  cut("breaks off", 429, { ...limited, again: false, hint: hour }, "3600"),
  cut("stalls", 429, { ...limited, hint: 7000 }, "7"),
  cut("breaks off", 403, forbidden),
  cut("stalls", 403, forbidden),
  // whose 404 it is, only its body tells
  cut("breaks off", 404, unexpected(404, "refused")),
  cut("stalls", 404, unexpected(404, "refused")),
  cut("stalls", 503, unavailable),

  // the time of day jumps
  row("clock an hour ahead, silence", before(Wire.silent), silent, { jump: hour }),
  row("clock an hour back, silence in the body", silentInTheBody, silentInBody, { jump: -hour }),
  row(
    "clock an hour back, 429, Retry-After: date, with Date",
    refusal(429, nineSeconds),
    { ...limited, hint: 9000 },
    { jump: -hour }
  )
]
