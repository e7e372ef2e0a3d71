import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { TrustedProxies } from "@cloud-management/service/node"
import type { RateLimit } from "@cloud-management/service/RateLimitStore"
import * as Commands from "../commands.ts"
import * as Duration from "../input/duration.ts"
import * as Flags from "../input/flag.ts"
import * as Setting from "../input/setting.ts"
import * as Logging from "../output/Logging.ts"

const port = (text: string): Option.Option<number> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none()

/** `10/10s`: requests, and the window they fall in. */
const rateLimit = (text: string): Option.Option<RateLimit> => {
  const [, limit, window = ""] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? []
  return Option.map(Duration.parse(window), (window) => ({ limit: Number(limit), window }))
}

const ports = { parse: port, expected: "a port from 0 to 65535; 0 picks a free one", metavar: "number" }

const file = (kind: "JSON" | "PEM", description: string) =>
  Flags.text(`the path of a ${kind} file`, "path", `${kind} file with ${description}`)

const timeout = (name: Setting.Name, description: string, value: string) =>
  Setting.withDefault(name, value, Duration.kind(description))

const numbers = { parse: Flags.whole, expected: "a whole number from 1", metavar: "number" }
const maximum = (name: Setting.Name, description: string, value: string) =>
  Setting.withDefault(name, value, { ...numbers, description })

const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text

const isProxy = (text: string) => Option.isSome(TrustedProxies.make([text]))

const flags = {
  host: Setting.withDefault(
    "host",
    "127.0.0.1",
    Flags.text(
      "an address or a name of this machine",
      "address",
      "Address to listen on, or the path of a Unix socket; 0.0.0.0 for all"
    )
  ),
  port: Setting.withDefault("port", "8080", { ...ports, description: "Port to listen on; 0 picks a free one" }),
  metricsPort: Setting.optional("metrics-port", {
    ...ports,
    description: "Serve metrics for Prometheus on this port; 0 picks a free one"
  }),
  database: Setting.withDefault(
    "database",
    ":memory:",
    Setting.url(
      "the path of a SQLite file, :memory:, or a postgres:// URL",
      "A SQLite file, :memory:, or a postgres:// URL"
    )
  ),
  seed: Setting.optional("seed", file("JSON", "the content of a new database")),
  rateLimit: Setting.optional("rate-limit", {
    parse: rateLimit,
    expected: "REQUESTS/WINDOW, such as 10/10s; units are ms, s, m, h, d",
    metavar: "requests/window",
    description: "Requests allowed per key, such as 10/10s [default: no limit]"
  }),
  corsOrigins: Setting.repeated("cors-origin", {
    parse: Option.liftPredicate(isOrigin),
    expected: "an origin, such as https://app.example.com",
    metavar: "origin",
    description: "Origin that browsers may call from; can be repeated"
  }),
  tlsCert: Setting.optional("tls-cert", file("PEM", "the certificate and those of its issuers; turns HTTPS on")),
  tlsKey: Setting.optional("tls-key", file("PEM", "the private key of the certificate")),
  trustedProxies: Setting.repeated("trusted-proxy", {
    parse: Option.liftPredicate(isProxy),
    expected: "an address or a range, such as 10.0.0.0/8, or unix",
    metavar: "address",
    description: "Proxy, or range of proxies, whose X-Forwarded-* headers are trusted; can be repeated"
  }),
  documentation: Setting.toggle("docs", "Serve /docs and /openapi.json; --no-docs turns this off", true),
  accessLog: Setting.toggle("access-log", "Write a line of JSON to stderr for each request", false),
  limits: {
    headers: timeout("headers-timeout", "How long the headers of a request may take", "5s"),
    request: timeout("request-timeout", "How long a whole request may take", "10s"),
    silence: timeout("silence-timeout", "How long a response may take, or stay unread", "30s"),
    keepAlive: timeout("keep-alive-timeout", "How long a connection may wait for its next request", "5s"),
    shutdown: timeout("shutdown-timeout", "How long a shutdown may take", "10s"),
    maxHeaderSize: maximum("max-header-size", "Maximum size of the head of a request, in bytes", "16384"),
    maxTargetLength: maximum("max-target-length", "Maximum length of path and query, in characters", "2048"),
    maxRequestsPerConnection: maximum("max-requests", "Maximum number of requests on a connection", "1000")
  }
}

export type Options = Command.Command.Config.Infer<typeof flags>

export const command = Commands.make("serve", flags, function* (options) {
  const { run } = yield* Effect.promise(() => import("./run.ts"))
  return yield* Effect.scoped(run(options))
}).pipe(
  Commands.described(
    "Run the service until it is interrupted. Each flag also has a variable, such as CLOUD_MANAGEMENT_PORT for --port",
    ["--database cloud.db --seed seed.json", "On 127.0.0.1:8080, with a database in a file"],
    ["--host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem", "For other machines, over TLS"]
  ),
  Command.withGlobalFlags([Logging.LogFormat])
)
