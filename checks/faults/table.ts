import type { Outcome } from "@cloud-management/core/CloudError"
import * as Faults from "@cloud-management/testing/Faults"
import type { AnyOperation } from "../fixtures/Scripted.ts"
import * as Wire from "./wire.ts"

const { Fault } = Faults

/** What the one right outcome of an attempt is, and what follows from it. */
export interface Facts {
  /** The tag of the reason, or `ok`. */
  readonly ending: string
  /** HTTP status of the error; `service`: that of the service's own answer. */
  readonly status?: number | "service"
  /** What the client can know of the request's effect. */
  readonly outcome?: Outcome
  /** Whether another attempt may fare better. */
  readonly again?: boolean
  /** Whether the service does the work. */
  readonly served?: boolean
  /** Whether the attempt lasts until its deadline, as one that ends as `Timeout` always does. */
  readonly stalls?: boolean
  /** How long the client has to wait before the next attempt, or, where there is none, says that it would have to. */
  readonly hint?: number
  /** Where the hint is a moment of whole seconds: by how much less than `hint` the wait may be. */
  readonly hintSlack?: number
}

/** One fault, as the in-memory transport brings it about, and as it is on the wire. */
export interface Row {
  /** What happens. */
  readonly fault: string
  readonly memory: Faults.Fault | ((nowMillis: number) => Faults.Fault)
  /** What befalls the answer that `memory` brings about. */
  readonly cut?: Faults.Fault
  readonly wire: Wire.Fault
  readonly expected: Facts
  /** Where one operation differs. */
  readonly except?: { readonly [O in AnyOperation]?: Facts }
  /** By how much the time of day jumps during the first attempt, in milliseconds. */
  readonly jump?: number
  /** A transport that leaves the connection open for some seconds, and cannot be made to end it. */
  readonly lingers?: "fetch"
  /** What the transports over undici get, which cannot get the right outcome. */
  readonly deviation?: Facts
}

const connectionFailed: Facts = { ending: "TransportFailed", outcome: "not-sent", again: true }
const distrusted: Facts = { ending: "TransportFailed", outcome: "not-sent" }
const broke: Facts = { ending: "TransportFailed", outcome: "unknown", again: true }
const brokeAfter: Facts = { ...broke, served: true }
const silent: Facts = { ending: "Timeout", outcome: "unknown", again: true }
const silentAfter: Facts = { ...silent, served: true }
const invalid: Facts = { ending: "InvalidResponse", status: 200, outcome: "unknown" }
const invalidAfter: Facts = { ...invalid, served: true }
const unexpected = (status: number, outcome: Outcome, again = false): Facts => ({
  ending: "UnexpectedStatus",
  status,
  outcome,
  again
})
const limited: Facts = { ending: "RateLimited", status: 429, outcome: "refused", again: true }
const unavailable: Facts = { ending: "ServiceUnavailable", status: 503, outcome: "unknown", again: true }
const okAfter: Facts = { ending: "ok", served: true }

const html = { "content-type": "text/html" }
const json = { "content-type": "application/json" }
const page = "<html><h1>Something is wrong</h1></html>"
const envelope = (status: number) => JSON.stringify({ status, error: "CODE: text", requestId: "req-1" })
const breaks = (code: string, when: "before-send" | "after-send" = "before-send") => Fault.Break({ code, when })
const date = (millis: number) => new Date(millis).toUTCString()

/** An answer that never saw the service, both ways. */
const instead = (status: number, headers: Readonly<Record<string, string>>, body: string) => ({
  memory: Fault.Status({ status, headers, body }),
  wire: Wire.answer(status, headers, body)
})
/** The same after the service did the work. */
const insteadAfter = (status: number, headers: Readonly<Record<string, string>>, body: string) => ({
  memory: Fault.StatusAfterSend({ status, headers, body }),
  wire: Wire.answerAfter(status, headers, body)
})
const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  instead(status, { ...json, ...headers }, envelope(status))
/** A refusal after whose first bytes the body breaks off, or stalls. */
const cut = (how: "breaks off" | "stalls", status: number, headers: Readonly<Record<string, string>> = {}) => ({
  memory: Fault.Status({ status, headers, body: envelope(status) }),
  cut: how === "stalls" ? Fault.Stall({ bytes: 9 }) : Fault.Truncate({ bytes: 9 }),
  wire: { request: Wire.cutRefusal(how === "stalls", status, headers) }
})

const hour = 3_600_000

/** Each fault, and the one outcome that is right. */
export const table: ReadonlyArray<Row> = [
  // connecting
  {
    fault: "connection refused",
    memory: Fault.DropBeforeSend(),
    wire: { to: ({ refused }) => refused },
    expected: connectionFailed
  },
  {
    fault: "unknown host name",
    memory: breaks("ENOTFOUND"),
    wire: { to: ({ unknown }) => unknown },
    expected: connectionFailed
  },
  {
    fault: "self-signed certificate",
    memory: breaks("DEPTH_ZERO_SELF_SIGNED_CERT"),
    wire: { to: ({ selfSigned }) => selfSigned },
    expected: distrusted
  },
  {
    fault: "https to a port of plain http",
    memory: breaks("ERR_SSL_WRONG_VERSION_NUMBER"),
    wire: { to: ({ tls }) => tls, connection: Wire.plainHttp },
    expected: distrusted
  },
  {
    // the transport reports it as it reports any reset: the client cannot tell that nothing was sent
    fault: "reset during the TLS handshake",
    memory: breaks("ECONNRESET"),
    wire: { to: ({ tls }) => tls, connection: Wire.resetAtFirstBytes },
    expected: broke
  },
  {
    fault: "silence during the TLS handshake",
    memory: Fault.Hang(),
    wire: { to: ({ tls }) => tls, connection: Wire.stayConnected },
    // Node goes on making a connection for 10 seconds when its request is aborted
    lingers: "fetch",
    expected: silent
  },

  // the connection breaks
  {
    fault: "reset when connected",
    memory: breaks("ECONNRESET"),
    wire: { connection: Wire.resetAtOnce },
    expected: broke
  },
  { fault: "reset before the service", memory: breaks("ECONNRESET"), wire: { request: Wire.reset }, expected: broke },
  {
    fault: "reset after the service",
    memory: Fault.DropAfterSend(),
    wire: { request: Wire.resetAfter },
    expected: brokeAfter
  },
  {
    fault: "closed after the service",
    memory: breaks("UND_ERR_SOCKET", "after-send"),
    wire: { request: Wire.closeAfter },
    expected: brokeAfter
  },
  {
    fault: "reset on a kept connection",
    memory: breaks("ECONNRESET"),
    wire: { kept: true, request: Wire.reset },
    expected: broke
  },
  {
    fault: "reset in the headers",
    memory: Fault.DropAfterSend(),
    wire: { request: Wire.resetInHead },
    expected: brokeAfter
  },
  {
    fault: "reset in the body",
    memory: Fault.Truncate({ bytes: 10 }),
    wire: { request: Wire.resetInBody },
    expected: { ...brokeAfter, status: "service" }
  },
  {
    fault: "body shorter than its content-length",
    memory: Fault.Truncate({ bytes: 10 }),
    wire: { request: Wire.truncate },
    expected: { ...brokeAfter, status: "service" }
  },
  {
    fault: "body without a length cut short",
    memory: Fault.StatusAfterSend({ status: 200, body: '{"status":200,' }),
    wire: { request: Wire.cutWithoutLength },
    expected: invalidAfter
  },

  // nothing more comes
  { fault: "silence before the service", memory: Fault.Hang(), wire: { request: Wire.silent }, expected: silent },
  {
    fault: "silence after the service",
    memory: Fault.HangAfterSend(),
    wire: { request: Wire.silentAfter },
    expected: silentAfter
  },
  {
    fault: "silence in the headers",
    memory: Fault.HangAfterSend(),
    wire: { request: Wire.silentInHead },
    expected: silentAfter
  },
  {
    fault: "silence in the body",
    memory: Fault.Stall({ bytes: 10 }),
    wire: { request: Wire.silentInBody },
    expected: { ...silentAfter, status: "service" }
  },
  {
    fault: "body that drips",
    memory: Fault.Stall({ bytes: 10 }),
    wire: { request: Wire.drip },
    expected: { ...silentAfter, status: "service" }
  },

  // what comes is not HTTP
  {
    fault: "bytes that are not HTTP",
    memory: breaks("HPE_INVALID_CONSTANT"),
    wire: { request: Wire.write("SSH-2.0-OpenSSH_9.9\r\n") },
    expected: broke
  },
  {
    fault: "headers without end",
    memory: breaks("UND_ERR_HEADERS_OVERFLOW"),
    wire: { request: Wire.endlessHead },
    expected: broke
  },
  {
    fault: "two different content-lengths",
    memory: breaks("HPE_UNEXPECTED_CONTENT_LENGTH", "after-send"),
    wire: { request: Wire.twoLengths },
    expected: brokeAfter
  },
  {
    fault: "bad chunk",
    memory: Fault.Truncate({ bytes: 10 }),
    wire: { request: Wire.badChunk },
    expected: { ...brokeAfter, status: "service" }
  },
  {
    fault: "a switch of protocols that nobody asked for",
    memory: breaks("UND_ERR_SOCKET"),
    wire: { request: Wire.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: foo\r\n\r\n") },
    expected: broke
  },

  // something answers in the service's stead
  { fault: "502 in HTML", ...instead(502, html, page), expected: unexpected(502, "unknown", true) },
  { fault: "503 in HTML", ...instead(503, html, page), expected: unavailable },
  { fault: "504 in HTML", ...instead(504, html, page), expected: unexpected(504, "unknown", true) },
  {
    fault: "504 in HTML after the service",
    ...insteadAfter(504, html, page),
    expected: { ...unexpected(504, "unknown", true), served: true }
  },
  {
    fault: "500 after the service",
    ...insteadAfter(500, json, envelope(500)),
    expected: { ending: "InternalError", status: 500, outcome: "unknown", again: true, served: true }
  },
  { fault: "408", ...instead(408, html, ""), expected: unexpected(408, "unknown", true) },
  { fault: "404 in HTML", ...instead(404, html, page), expected: unexpected(404, "refused") },
  {
    fault: "404 whose error has no code",
    ...instead(404, json, '{"error":"Not Found"}'),
    expected: unexpected(404, "refused")
  },
  {
    fault: "404 of Spring",
    ...instead(404, json, '{"timestamp":"2026-10-21T12:00:00Z","status":404,"error":"Not Found","path":"/"}'),
    expected: unexpected(404, "refused")
  },
  {
    fault: "403 whose error has no code",
    ...instead(403, json, '{"error":"Forbidden"}'),
    expected: { ending: "Forbidden", status: 403, outcome: "refused" }
  },
  { fault: "200 that asks to log in, in JSON", ...instead(200, json, '{"login":"please"}'), expected: invalid },
  {
    fault: "200 that asks to log in",
    ...instead(200, html, "<html><form>Log in</form></html>"),
    expected: invalid
  },
  {
    fault: "redirect to elsewhere",
    memory: Fault.Status({ status: 307, headers: { location: "http://127.0.0.1:9/" } }),
    wire: { request: Wire.redirect },
    expected: unexpected(307, "refused")
  },

  // a success that is not one, and one that is
  { fault: "200 with broken JSON", ...insteadAfter(200, json, '{"status":200,'), expected: invalidAfter },
  { fault: "200 without a body", ...insteadAfter(200, json, ""), expected: invalidAfter },
  {
    fault: "200 with a gzip bomb",
    memory: Fault.Status({ status: 200, body: " ".repeat(2 ** 21) }),
    wire: { request: Wire.gzipBomb },
    expected: invalid
  },
  {
    fault: "200 with a body without end",
    memory: Fault.Status({ status: 200, body: " ".repeat(2 ** 21) }),
    wire: { request: Wire.endlessBody },
    expected: invalid
  },
  {
    fault: "503 with a body without end",
    memory: Fault.Status({ status: 503, body: " ".repeat(2 ** 21) }),
    wire: { request: Wire.endlessRefusal },
    expected: unavailable
  },
  {
    // browsers do not say why, so there it counts as a body that breaks off
    fault: "200 with gzip that is none",
    memory: Fault.StatusAfterSend({ status: 200, body: "\u001f\u008b" }),
    wire: { request: Wire.badGzip },
    expected: invalidAfter
  },
  {
    // which stands for any that a transport does not know; browsers leave such a body as it is
    fault: "200 in an unknown coding",
    memory: Fault.StatusAfterSend({ status: 200, body: "\u001f\u008b" }),
    wire: { request: Wire.compressed("compress") },
    expected: invalidAfter
  },
  { fault: "200 in GZIP", memory: Fault.None(), wire: { request: Wire.compressed("GZIP") }, expected: okAfter },
  { fault: "200 of another content type", memory: Fault.None(), wire: { request: Wire.asText }, expected: okAfter },
  {
    fault: "204",
    memory: Fault.StatusAfterSend({ status: 204 }),
    wire: Wire.answerAfter(204, {}, undefined),
    expected: { ...invalidAfter, status: 204 },
    except: { "apiKeys.delete": okAfter }
  },
  { fault: "103 and then the answer", memory: Fault.None(), wire: { request: Wire.earlyHints }, expected: okAfter },
  {
    fault: "100 and then the answer",
    memory: Fault.None(),
    wire: { request: Wire.continueFirst },
    expected: okAfter,
    // undici closes a connection that sends 100 unasked, though RFC 9110 §15.2 has clients ignore it
    deviation: brokeAfter
  },

  // limits
  { fault: "429", ...refusal(429), expected: limited },
  { fault: "429, Retry-After: 7", ...refusal(429, { "retry-after": "7" }), expected: { ...limited, hint: 7000 } },
  { fault: "429, Retry-After: 0", ...refusal(429, { "retry-after": "0" }), expected: { ...limited, hint: 0 } },
  {
    fault: "429, Retry-After: date, with Date",
    ...refusal(429, { "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT", date: "Wed, 21 Oct 2026 12:00:00 GMT" }),
    expected: { ...limited, hint: 9000 }
  },
  {
    fault: "429, Retry-After: date, without Date",
    memory: (now) => Fault.Status({ status: 429, headers: { "retry-after": date(now + 9000) }, body: envelope(429) }),
    wire: { request: Wire.answerAt((now) => [429, { ...json, "retry-after": date(now + 9000) }, envelope(429)]) },
    expected: { ...limited, hint: 9000, hintSlack: 1000 }
  },
  {
    fault: "429, X-RateLimit-Reset: 2.5",
    ...refusal(429, { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2.5" }),
    expected: { ...limited, hint: 2500 }
  },
  {
    fault: "429, X-RateLimit-Reset: in seconds since 1970, with Date",
    ...refusal(429, {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "1792584004",
      date: "Wed, 21 Oct 2026 12:00:00 GMT"
    }),
    expected: { ...limited, hint: 4000 }
  },
  {
    fault: "429, RateLimit-Reset: 3",
    ...refusal(429, { "ratelimit-limit": "10", "ratelimit-remaining": "0", "ratelimit-reset": "3" }),
    expected: { ...limited, hint: 3000 }
  },
  {
    fault: "429, RateLimit: limit=10, remaining=0, reset=4",
    ...refusal(429, { ratelimit: "limit=10, remaining=0, reset=4" }),
    expected: { ...limited, hint: 4000 }
  },
  {
    fault: '429, RateLimit: "default";r=0;t=5',
    ...refusal(429, { "ratelimit-policy": '"default";q=10;w=10', ratelimit: '"default";r=0;t=5' }),
    expected: { ...limited, hint: 5000 }
  },
  {
    fault: "503, Retry-After: 2",
    ...refusal(503, { "retry-after": "2" }),
    expected: { ...unavailable, hint: 2000 }
  },
  {
    fault: "429, Retry-After: 3600",
    ...refusal(429, { "retry-after": "3600" }),
    expected: { ...limited, again: false, hint: hour }
  },
  {
    fault: "503, Retry-After: 3600",
    ...refusal(503, { "retry-after": "3600" }),
    expected: { ...unavailable, again: false, hint: hour }
  },

  {
    fault: "429, Retry-After: 7, with a body that breaks off",
    ...cut("breaks off", 429, { "retry-after": "7" }),
    expected: { ...limited, hint: 7000 }
  },
  {
    fault: "429, Retry-After: 3600, with a body that breaks off",
    ...cut("breaks off", 429, { "retry-after": "3600" }),
    expected: { ...limited, again: false, hint: hour }
  },
  {
    fault: "429, Retry-After: 7, with a body that stalls",
    ...cut("stalls", 429, { "retry-after": "7" }),
    expected: { ...limited, hint: 7000, stalls: true }
  },
  {
    fault: "403 with a body that breaks off",
    ...cut("breaks off", 403),
    expected: { ending: "Forbidden", status: 403, outcome: "refused" }
  },
  {
    fault: "403 with a body that stalls",
    ...cut("stalls", 403),
    expected: { ending: "Forbidden", status: 403, outcome: "refused", stalls: true }
  },
  {
    // whose 404 it is, only its body tells
    fault: "404 with a body that breaks off",
    ...cut("breaks off", 404),
    expected: unexpected(404, "refused")
  },
  {
    fault: "404 with a body that stalls",
    ...cut("stalls", 404),
    expected: { ...unexpected(404, "refused"), stalls: true }
  },
  {
    fault: "503 with a body that stalls",
    ...cut("stalls", 503),
    expected: { ...unavailable, stalls: true }
  },

  // the time of day jumps
  {
    fault: "clock an hour ahead, silence",
    memory: Fault.Hang(),
    wire: { request: Wire.silent },
    jump: hour,
    expected: silent
  },
  {
    fault: "clock an hour back, silence in the body",
    memory: Fault.Stall({ bytes: 10 }),
    wire: { request: Wire.silentInBody },
    jump: -hour,
    expected: { ...silentAfter, status: "service" }
  },
  {
    fault: "clock an hour back, 429, Retry-After: date, with Date",
    ...refusal(429, { "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT", date: "Wed, 21 Oct 2026 12:00:00 GMT" }),
    jump: -hour,
    expected: { ...limited, hint: 9000 }
  }
]
