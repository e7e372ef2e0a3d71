import { expect, it } from "vitest"
import { Option } from "effect"
import { HttpHost, MetricsHost, TrustedProxies } from "@cloud-management/service/node"
import { CloudService, Service, WebHandler } from "@cloud-management/service"

// of a program without types
const given = (options: object): never => options as never
const service = (options: object) => () => CloudService.layer(given(options))
const host = (options: object) => () => HttpHost.layer(given(options))
const handler = (options: object) => () => WebHandler.make(given({}), given(options))

const unknown = "left out: unknown option"
const whole = "a whole number of at least 1"
const time = "a duration above 0"
const origins = "a list of origins, such as https://app.example.com"
const port = "a whole number from 0 to 65535"

const trustedProxies = TrustedProxies.make(["10.0.0.1"])

it.each<[option: string, value: string, rule: string, use: () => unknown]>([
  ["service.rateLimit", "a number", "an object", service({ rateLimit: 10 })],
  ["service.rateLimit.limit", "zero", whole, service({ rateLimit: { limit: 0, window: "1 second" } })],
  ["service.rateLimit.window", "missing", time, service({ rateLimit: { limit: 1 } })],
  ["service.rateLimit.window", "in words", time, service({ rateLimit: { limit: 1, window: "a minute" } })],
  ["service.rateLimit.burst", "not an option", unknown, service({ rateLimit: { limit: 1, window: 1, burst: 2 } })],
  ["service.corsOrigins", "a string", origins, service({ corsOrigins: "https://app.example.com" })],
  ["service.corsOrigins", "a URL with a path", origins, service({ corsOrigins: ["https://app.example.com/"] })],
  ["service.corsOrigins", "not as browsers send it", origins, service({ corsOrigins: ["https://example.com:443"] })],
  ["service.corsOrigins", "any", origins, service({ corsOrigins: ["*"] })],
  ["service.documentation", "a word", "true or false", service({ documentation: "no" })],
  ["service.audit", "true", "a function", service({ audit: true })],
  ["service.accessLog", "true", "a function", service({ accessLog: true })],
  ["service.docs", "not an option", unknown, service({ docs: false })],
  ["service.docs", "not an option", unknown, () => Service.layerOf({}, {}, given({ docs: false }))],
  ["host.port", "a string", port, host({ port: "8080" })],
  ["host.port", "too large", port, host({ port: 70_000 })],
  ["host.host", "empty", "a string that is not empty", host({ host: "" })],
  ["host.limits", "a number", "an object", host({ limits: 5 })],
  ["host.limits.headers", "zero", time, host({ limits: { headers: 0 } })],
  ["host.limits.request", "in words", time, host({ limits: { request: "a while" } })],
  ["host.limits.silence", "missing", time, host({ limits: { silence: undefined } })],
  ["host.limits.keepAlive", "zero", time, host({ limits: { keepAlive: "0 seconds" } })],
  ["host.limits.shutdown", "negative", "a duration or number of at least 0", host({ limits: { shutdown: -1 } })],
  ["host.limits.maxHeaderSize", "two and a half", whole, host({ limits: { maxHeaderSize: 2.5 } })],
  ["host.limits.maxTargetLength", "zero", whole, host({ limits: { maxTargetLength: 0 } })],
  ["host.limits.maxRequestsPerConnection", "no number", whole, host({ limits: { maxRequestsPerConnection: NaN } })],
  ["host.limits.timeout", "not an option", unknown, host({ limits: { timeout: 1 } })],
  ["host.trustedProxies", "in an Option", "the value in the Option of TrustedProxies.make", host({ trustedProxies })],
  ["host.tls", "a path", "an object", host({ tls: "cert.pem" })],
  ["host.hostname", "not an option", unknown, host({ hostname: "localhost" })],
  ["metricsHost.port", "negative", port, () => MetricsHost.layer({ port: -1 })],
  ["metricsHost.tls", "not an option", unknown, () => MetricsHost.layer(given({ tls: {} }))],
  ["handler.remoteAddress", "missing", "a function", handler({})],
  ["handler.trustProxy", "not an option", unknown, handler({ remoteAddress: () => null, trustProxy: true })]
])("a RangeError names the option of %s, which is %s and must be %s", (option, _, rule, use) => {
  const message = `${option} must be ${rule}`
  expect(use).toThrow(rule === unknown ? RegExp(`^${message}, not \\w+`) : new RangeError(message))
})

it("a service and a host take what they document", () => {
  const corsOrigins = ["https://app.example.com", "http://localhost:5173", "capacitor://localhost"]
  expect(() =>
    CloudService.layer({ corsOrigins, rateLimit: { limit: 1, window: "Infinity" }, audit: undefined })
  ).not.toThrow()
  const trustedProxies = Option.getOrThrow(TrustedProxies.make(["10.0.0.0/8"]))
  expect(() =>
    HttpHost.layer({ trustedProxies, limits: { shutdown: 0, headers: "Infinity" }, tls: undefined })
  ).not.toThrow()
})
