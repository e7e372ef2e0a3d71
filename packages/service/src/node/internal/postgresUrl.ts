import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import { InvalidDatabase, pooler } from "./invalidDatabase.ts"

const invalid = (message: string) => new InvalidDatabase({ message })

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** Those that verify the certificate and the name in it; `require` does so too, unlike in libpq. */
const verified = ["require", "verify-full"]

const oneOf = (name: string, values: ReadonlyArray<string>, text: string) =>
  values.includes(text) ? Effect.void : invalid(`${name} must be one of ${values.join(", ")}`)

/** As libpq names the settings of TLS; what asks for it also verifies the certificate. */
const tls = Effect.fnUntraced(function* (parameters: ReadonlyMap<string, string>) {
  const [mode, authority] = [parameters.get("sslmode"), parameters.get("sslrootcert")]
  if (mode !== undefined) yield* oneOf("sslmode", modes, mode)
  if (authority === "system" && mode !== "verify-full") {
    return yield* invalid("sslrootcert=system requires sslmode=verify-full, which is then the default")
  }
  // Node's own authorities are those of the system, or as good
  if (authority === undefined || authority === "system" || mode === "disable") return undefined // left to the driver
  const ca = yield* Effect.try({
    try: () => readFileSync(authority, "utf8"),
    catch: () => invalid(`sslrootcert: ${authority} cannot be read`)
  })
  return { ca, ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }) } satisfies ConnectionOptions
})

/**
 * What the driver does not have, but a verified certificate makes up for: with channel binding nobody in the middle can
 * pass on what the client sends.
 */
const channelBinding = Effect.fnUntraced(function* (parameters: ReadonlyMap<string, string>) {
  const binding = parameters.get("channel_binding") ?? "prefer"
  yield* oneOf("channel_binding", ["disable", "prefer", "require"], binding)
  if (binding !== "require") return []
  if (!verified.includes(parameters.get("sslmode") ?? "")) {
    return yield* invalid(
      "channel_binding=require is supported only with sslmode=verify-full: add that, or omit channel_binding"
    )
  }
  return ["the database's URL has channel_binding=require, which is ignored: its certificate and its name are verified"]
})

const sessions = ["any", "read-write", "primary", "read-only", "standby", "prefer-standby"]

/** Whether each session has to be asked whether it takes writes: the service needs the server that does. */
const targetSession = Effect.fnUntraced(function* (parameters: ReadonlyMap<string, string>) {
  const target = parameters.get("target_session_attrs") ?? "any"
  yield* oneOf("target_session_attrs", sessions, target)
  if (target === "read-only" || target === "standby") {
    return yield* invalid(
      `target_session_attrs=${target} selects a server that accepts no writes: pass read-write, or omit it`
    )
  }
  return {
    mustWrite: target !== "any",
    warnings:
      target === "prefer-standby"
        ? [
            "the database's URL has target_session_attrs=prefer-standby, which is ignored: a server that accepts writes is used"
          ]
        : []
  }
})

/** The driver ignores any other, and so would leave TLS off where `sslmode` is mistyped. */
const known =
  "host, port, user, password, passfile, dbname, sslmode, sslrootcert, channel_binding, target_session_attrs, connect_timeout, application_name, options, pool_max_conns"

/** Parameters of libpq and of hosts that only tune, and are ignored. */
const ignored = [
  "fallback_application_name",
  "keepalives",
  "keepalives_count",
  "keepalives_idle",
  "keepalives_interval",
  "load_balance_hosts",
  "pgbouncer",
  "sslcompression",
  "tcp_user_timeout"
]

const decode = (part: string, text: string) =>
  Effect.try({
    try: () => decodeURIComponent(text),
    catch: () => invalid(`${part} has a % that encodes nothing: write % as %25`)
  })

const whole = (problem: string, text: string, least: number, most = Infinity) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? Effect.succeed(Number(text)) : invalid(problem)

const portOf = (text: string) => whole("port must be a number from 1 to 65535", text === "" ? "5432" : text, 1, 65_535)

/** Without fencing, an old primary accepts writes as well, and what it acknowledges is lost. */
const oneServer =
  "a list of servers is not supported: name one address that leads to the primary, such as HAProxy's, and add target_session_attrs=read-write"

/** Whether an authority lists several servers; a password may have a comma too. */
const isList = (text: string) => text.split(/[/?]/, 3)[2]?.replace(/^.*@/, "").includes(",") === true

/** What a URL says; the driver reads user, password and some of the parameters out of it once more. */
export const parse = Effect.fnUntraced(function* (where: string) {
  // what libpq takes and a URL does not: a # in any place, and a user without a host
  const text = where.replaceAll("#", "%23").replace(/^(\w+:\/\/[^/?]*@)([/?]|$)/, "$1localhost$2")
  if (isList(text)) return yield* invalid(oneServer)
  const url = yield* Effect.try({
    try: () => new URL(text),
    catch: () => invalid("not the URL of a PostgreSQL server")
  })
  // as in libpq, which accepts nothing less with these authorities, and never plain text
  if (url.searchParams.get("sslrootcert") === "system" && !url.searchParams.has("sslmode")) {
    url.searchParams.set("sslmode", "verify-full")
  }
  const parameters: ReadonlyMap<string, string> = new Map(url.searchParams)
  const name = yield* decode("user", url.username)
  const password = yield* decode("password", url.password)
  const host = yield* decode("host", url.hostname)
  const path = yield* decode("dbname", url.pathname.slice(1))
  const user = parameters.get("user") ?? name
  if (user === "") return yield* invalid("the URL has no user")
  const warnings: Array<string> = []
  for (const parameter of parameters.keys()) {
    if (known.split(", ").includes(parameter)) continue
    if (parameter === "pgbouncer" && parameters.get(parameter) === "true") return yield* new InvalidDatabase(pooler)
    if (ignored.includes(parameter)) {
      warnings.push(`the database's URL has the parameter ${parameter}, which is ignored`)
      continue
    }
    // which can be what follows a ? or a & in a password
    const shown =
      /[?&]password=/.test(where) || where.includes("@", where.indexOf("?")) ? "a parameter" : `parameter ${parameter}`
    return yield* invalid(`${shown} is unknown; known parameters are ${known}`)
  }
  yield* whole("connect_timeout must be a number of seconds", parameters.get("connect_timeout") ?? "5", 0)
  const address = parameters.get("host") || host.replace(/^\[|\]$/g, "") || "localhost"
  if (address.includes(",")) return yield* invalid(oneServer)
  const port = yield* portOf(parameters.get("port") ?? url.port)
  const target = yield* targetSession(parameters)
  warnings.push(...target.warnings, ...(yield* channelBinding(parameters)))
  // which the driver does not know
  url.searchParams.delete("host")
  url.searchParams.delete("port")
  return {
    href: url.href,
    parameters,
    host: address,
    port,
    mustWrite: target.mustWrite,
    user,
    password: parameters.get("password") ?? (password || undefined),
    database: parameters.get("dbname") ?? (path || undefined),
    connections: yield* whole(
      "pool_max_conns must be a number of connections",
      parameters.get("pool_max_conns") ?? "10",
      1
    ),
    applicationName: parameters.get("application_name") ?? "cloud-management",
    ssl: yield* tls(parameters),
    warnings
  }
})
