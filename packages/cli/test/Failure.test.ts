import { describe, expect, it } from "vitest"
import { Duration } from "effect"
import { Advice, Refusals } from "@cloud-management/core"
import { ApiKeyNotFound } from "@cloud-management/core/ApiKey"
import { CallError } from "@cloud-management/client"
import { ReversePrivateEndpointNotFound } from "@cloud-management/core/ReversePrivateEndpoint"
import { AlreadyExists, NotFound } from "@cloud-management/service/Administration"
import * as Failure from "../src/output/Failure.ts"

const info = { message: "CODE: text", requestId: "req-1" }
const failed = (
  reason: Failure.AnyCloudError["reason"],
  status?: number,
  over: {
    readonly method?: string
    readonly outcome?: CallError.Outcome
    readonly headers?: Readonly<Record<string, string>>
  } = {},
  call: Partial<Failure.Call> = {}
) =>
  Failure.fromCloudError(
    new CallError.CallError({
      operation: "group.name",
      method: "GET",
      path: "/v1",
      ...(status !== undefined && { status }),
      attempts: 1,
      outcome: "refused",
      ...over,
      reason
    }),
    { baseUrl: "https://api.example.com", ...call }
  )
const timeout = new CallError.Timeout({ message: "text", limit: Duration.seconds(1) })
const unsent = (code: string, transient = true) => new CallError.TransportFailed({ message: "text", transient, code })

const refused = (code: string) => failed(unsent(code, false))
const perhaps = (method: string) => failed(unsent("ECONNRESET"), undefined, { method, outcome: "unknown" })
const late = { elapsed: Duration.millis(4100), timeout: Duration.seconds(4) }
const proxy = "http://proxy.example:3128"
const unreachable = new CallError.TransportFailed({ message: `${proxy}: text`, transient: true, code: "X", proxy })

it.each([
  [new Refusals.BadRequest(info), 400, 6],
  [new Refusals.Unauthorized(info), 401, 4],
  [new Refusals.Forbidden(info), 403, 4],
  [new ApiKeyNotFound(info), 404, 5],
  [new ReversePrivateEndpointNotFound(info), 404, 5],
  [new Refusals.RateLimited(info), 429, 7],
  [new Refusals.InternalError(info), 500, 7],
  [new Refusals.ServiceUnavailable(info), 503, 7],
  [new CallError.UnexpectedStatus(info), 302, 1],
  [new CallError.UnexpectedStatus(info), 404, 6],
  [new CallError.UnexpectedStatus(info), 408, 7],
  [new CallError.UnexpectedStatus(info), 418, 6],
  [new CallError.UnexpectedStatus(info), 502, 7],
  [new CallError.InvalidResponse({ message: "text" }), 200, 1],
  [unsent("ECONNRESET"), undefined, 7],
  [unsent("DEPTH_ZERO_SELF_SIGNED_CERT", false), undefined, 1],
  [timeout, undefined, 7],
  [new CallError.Throttled({ message: "text", retryAfter: Duration.seconds(1) }), undefined, 7]
] as const)("the exit code of %s with status %s is %i", (reason, status, code) => {
  expect(Failure.exitCodes[failed(reason, status).exit]).toBe(code)
})

const elsewhere = new CallError.UnexpectedStatus(info)
const location = "https://b.example.com"
class Conflict extends Refusals.make("Conflict", 409) {}
class Broken extends Refusals.make("Broken", 503) {}

describe("the text", () => {
  it.each([
    ["no response from https://api.example.com: text", failed(unsent("ECONNRESET"))],
    ["https://api.example.com redirects to https://b.example.com\n", failed(elsewhere, 301, { headers: { location } })],
    ["api.example.com does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER)", refused("ERR_SSL_WRONG_VERSION_NUMBER")],
    ["set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to its PEM file.", refused("DEPTH_ZERO_SELF_SIGNED_CERT")],
    [`cannot connect to https://api.example.com: ${proxy}: text`, failed(unreachable)],
    // the limit is that of the call, whatever was left for its last attempt
    ["within 4s (1 attempt)\n       Allow more time with --timeout", failed(timeout, undefined, {}, late)],
    ["Disabled and expired keys are also refused.", failed(new Refusals.Unauthorized(info), 401)],
    [Advice.byReason.RateLimited, failed(new Refusals.RateLimited(info), 429)],
    ["Try again in 1m 40s.", failed(new Refusals.RateLimited({ ...info, retryAfter: Duration.seconds(100) }), 429)],
    // of a request of your own
    [Advice.byReason.BadRequest, failed(new Conflict(info), 409)],
    [Advice.byReason.InternalError, failed(new Broken(info), 503)],
    [Advice.byReason.ApiKeyNotFound, failed(new ApiKeyNotFound(info), 404)],
    [Advice.byReason.InternalError, failed(new Refusals.InternalError(info), 500)],
    [Advice.byReason.InternalError, failed(new CallError.UnexpectedStatus(info), 502)],
    ["It may have been deleted anyway. It is safe to delete it again.", perhaps("DELETE")],
    ["It may have been applied anyway: find out before you send it again.", perhaps("POST")],
    ["It may have been applied anyway", failed(new Broken(info), 503, { method: "PATCH", outcome: "unknown" })],
    [Advice.byReason.BadRequest, failed(new CallError.UnexpectedStatus({ message: "TOO_LARGE: text" }), 413)],
    ["the response from https://api.example.com breaks off: text", failed(unsent("ECONNRESET"), 200)],
    ["has expired. Ask the operator of the service to renew it", refused("CERT_HAS_EXPIRED")],
    ["Check the clock of this machine", refused("CERT_NOT_YET_VALID")],
    ["The certificate is for another host", refused("ERR_TLS_CERT_ALTNAME_INVALID")]
  ])("says: %s", (text, failure) => {
    expect(Failure.toText(failure)).toContain(text)
  })

  it.each([
    [404, "https://h/v1/", "The base URL should probably be https://h, because"],
    [404, "https://h/api", "Requested: GET https://h/api/v1/organizations\n       Check the base URL"],
    [200, "https://h/v1", "The base URL should probably be https://h, because each path already starts with /v1."],
    [200, "https://h/api", "Requested: GET https://h/api/v1/organizations\n       Check the base URL"],
    [405, "https://h/api", "Requested: GET https://h/api/v1/organizations\n       Check the base URL"]
  ])("of a status %i of what is not the API, below %s, shows what was requested", (status, baseUrl, text) => {
    const reason = new CallError[status === 200 ? "InvalidResponse" : "UnexpectedStatus"]({ message: "text" })
    const failure = failed(reason, status, {}, { baseUrl, path: "/v1/organizations" })
    expect(Failure.toText(failure)).toContain(text)
  })

  it.each([
    ["http://api.example.com", "UND_ERR_SOCKET", undefined, true],
    ["http://api.example.com", "ECONNRESET", undefined, true],
    ["https://api.example.com", "ECONNRESET", undefined, false],
    ["http://api.example.com", "ECONNREFUSED", undefined, false],
    // the connection ended within the response
    ["http://api.example.com", "UND_ERR_SOCKET", 200, false]
  ])("of %s, %s and status %s asks for https: %s", (baseUrl, code, status, hinted) => {
    const text = Failure.toText(failed(unsent(code), status, {}, { baseUrl }))
    expect(text.includes("For TLS, it must start with https.")).toBe(hinted)
  })

  it("is JSON with six fields, null where nothing is known", () => {
    expect(Failure.toJson(failed(new Refusals.Forbidden(info), 403))).toBe(
      `{"error":{"tag":"Forbidden","message":"CODE: text","status":403,"requestId":"req-1","retryable":false,"advice":"A key works only in its own organization: \`cloud-management organizations list\` shows which one."}}`
    )
    expect(Failure.toJson(Failure.usage("text", "advice"))).toBe(
      `{"error":{"tag":"Usage","message":"text","status":null,"requestId":null,"retryable":false,"advice":"advice"}}`
    )
    expect(Failure.toJson(Failure.usage("text"))).toContain(`"retryable":false,"advice":null}}`)
  })
})

it("an act of an operator keeps the tags of its JSON document, whatever the service calls its errors", () => {
  const id = "12345678-1234-1234-1234-123456789012"
  expect(Failure.fromAdministration(new NotFound({ kind: "key", id }))).toMatchObject({ tag: "Missing" })
  expect(Failure.fromAdministration(new AlreadyExists({ kind: "key", id }))).toMatchObject({ tag: "Taken" })
})
