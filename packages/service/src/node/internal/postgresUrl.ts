import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { promises } from "node:fs"
import { createSecureContext } from "node:tls"
import type { Kind } from "@cloud-management/client/OptionRules"
import { InvalidDatabase, pooler } from "./invalidDatabase.ts"
import * as Passwords from "./passwords.ts"

const invalid = (message: string) => new InvalidDatabase({ message })

const oneOf = (...values: ReadonlyArray<string>): Kind => [
  `one of ${values.join(", ")}`,
  (text) => values.some((value) => value === text)
]
const whole = (rule: string, least: number, most = Infinity): Kind => [
  rule,
  (text) => /^\d+$/.test(String(text)) && Number(text) >= least && Number(text) <= most
]
const tlsVersions = ["TLSv1.2", "TLSv1.3"] as const
const texts = (...names: ReadonlyArray<string>) => names.map((name): [string, Kind] => [name, ["a text", () => true]])

/** The form of each parameter: the driver ignores a mistyped `sslmode`, and reports a wrong value as an outage. */
const known: ReadonlyMap<string, Kind> = new Map([
  ...texts("host", "hostaddr"),
  ["port", whole("a number from 1 to 65535", 1, 65_535)],
  ...texts("user", "password", "passfile", "dbname"),
  ["sslmode", oneOf("disable", "allow", "prefer", "require", "verify-ca", "verify-full")],
  ...texts("sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl"),
  ["sslsni", oneOf("0", "1")],
  ["ssl_min_protocol_version", oneOf(...tlsVersions)],
  ["ssl_max_protocol_version", oneOf(...tlsVersions)],
  ["gssencmode", oneOf("disable", "prefer")],
  ["channel_binding", oneOf("disable", "prefer", "require")],
  ["target_session_attrs", oneOf("any", "read-write", "primary", "read-only", "standby", "prefer-standby")],
  ["connect_timeout", whole("a number of seconds", 0)],
  ...texts("application_name", "options"),
  ["pool_max_conns", whole("a number of connections", 1)]
])

/** Parameters of libpq and of hosts that only tune, and are ignored; the encoding is always UTF8. */
const ignored = [
  "client_encoding",
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

/** Without fencing, an old primary accepts writes as well, and what it acknowledges is lost. */
const oneServer =
  "a list of servers is not supported: name one address that leads to the primary, such as HAProxy's, and add target_session_attrs=read-write"

const slash = "the password has a / that ends the host before it begins: write / as %2F, ? as %3F and # as %23"

/** Whether an authority lists several servers; a password may have a comma too. */
const isList = (text: string) => text.split(/[/?]/, 3)[2]?.replace(/^.*@/, "").includes(",") === true

/** Parameters can be right alone, and wrong together. `require` verifies the name in a certificate too, unlike in libpq. */
const contradiction = (parameters: ReadonlyMap<string, string>): string | undefined => {
  const [mode = "", target = ""] = [parameters.get("sslmode"), parameters.get("target_session_attrs")]
  if (parameters.get("sslrootcert") === "system" && mode !== "verify-full") {
    return "sslrootcert=system requires sslmode=verify-full, which is then the default"
  }
  if (parameters.get("channel_binding") === "require" && !["require", "verify-full"].includes(mode)) {
    return "channel_binding=require is supported only with sslmode=verify-full: add that, or omit channel_binding"
  }
  return ["read-only", "standby"].includes(target)
    ? `target_session_attrs=${target} selects a server that accepts no writes: pass read-write, or omit it`
    : undefined
}

/** With channel binding nobody in the middle can pass on what the client sends, nor with a certificate. */
const warningsOf = (parameters: ReadonlyMap<string, string>): ReadonlyArray<string> => [
  ...ignored.flatMap((name) => (parameters.has(name) ? [`the parameter ${name}, which is ignored`] : [])),
  ...(parameters.get("channel_binding") === "require"
    ? ["channel_binding=require, which is ignored: its certificate and its name are verified"]
    : []),
  ...(parameters.get("target_session_attrs") === "prefer-standby"
    ? ["target_session_attrs=prefer-standby, which is ignored: a server that accepts writes is used"]
    : [])
]

const decode = (part: string, text: string) =>
  Effect.try({
    try: () => decodeURIComponent(text),
    catch: () => invalid(`${part} has a % that encodes nothing: write % as %25`)
  })

/** The files that OpenSSL reads. It ignores an authority that it cannot read, and an empty text. */
const contents: ReadonlyArray<readonly [option: string, as: "ca" | "cert" | "key" | "crl", what: string]> = [
  ["sslrootcert", "ca", "certificate"],
  ["sslcert", "cert", "certificate"],
  ["sslkey", "key", "private key"],
  ["sslcrl", "crl", "list of revoked certificates"]
]

/** The settings of TLS that the driver does not read. Where TLS is only preferred, they apply if they name a file. */
const tls = Effect.fnUntraced(function* (parameters: ReadonlyMap<string, string>) {
  const mode = parameters.get("sslmode") ?? "prefer"
  // Node's own authorities are those of the system, or as good
  const files = contents.filter(([name]) => parameters.has(name) && parameters.get(name) !== "system")
  const isPreferred = mode === "prefer" || mode === "allow"
  if (mode === "disable" || (isPreferred && files.length === 0)) return undefined
  if (parameters.has("sslcert") !== parameters.has("sslkey"))
    return yield* invalid("sslcert and sslkey are needed together")
  const passphrase = parameters.get("sslpassword")
  const version = (name: string) => tlsVersions.find((version) => version === parameters.get(name))
  const read = yield* Effect.forEach(files, ([name, as, what]) => {
    const path = parameters.get(name) ?? ""
    // it can be a pipe, whose writer may not come
    return Effect.tryPromise({
      try: () => promises.readFile(path, "utf8"),
      catch: () => invalid(`${name}: ${path} cannot be read`)
    }).pipe(
      Effect.timeoutOrElse({
        duration: "1 minute",
        orElse: () => Effect.fail(invalid(`${name}: ${path} does not end within a minute`))
      }),
      Effect.tap((text) =>
        Effect.try({
          try: () => createSecureContext({ [as === "ca" ? "cert" : as]: text || " ", passphrase }),
          catch: () => invalid(`${name}: ${path} contains no ${what}`)
        })
      ),
      Effect.map((text) => [as, text] as const)
    )
  })
  return {
    ...Object.fromEntries(read),
    passphrase,
    minVersion: version("ssl_min_protocol_version"),
    maxVersion: version("ssl_max_protocol_version"),
    ...(parameters.get("sslsni") === "0" && { servername: "" }),
    ...(mode === "verify-ca" && { checkServerIdentity: () => undefined })
  }
})

/** The driver reads user, password and some of the parameters out of the URL once more. */
export const parse = Effect.fnUntraced(function* (where: string) {
  // what libpq takes and a URL does not: a # in any place, a ? or a + in a password, a user without a host
  const text = where
    .replaceAll("#", "%23")
    .replace(/^\w+:\/\/[^@/]*@/, (credentials) => credentials.replaceAll("?", "%3F"))
    .replace(/[?&]password=[^&]*/, (password) => password.replaceAll("+", "%2B"))
    .replace(/^(\w+:\/\/[^/?]*@)([/?]|$)/, "$1localhost$2")
  if (isList(text)) return yield* invalid(oneServer)
  const isCut = /^\w+:\/\/[^@/]*\/[^@=]*@/.test(where)
  const url = yield* Effect.try({
    try: () => new URL(text),
    catch: () => invalid(isCut ? slash : "not the URL of a PostgreSQL server")
  })
  // as in libpq; where the server is, and who connects, is in the URL
  for (const name of known.keys()) {
    if (!/^(?:ssl(?!password)|gss|channel|target|options)/.test(name) || url.searchParams.has(name)) continue
    const value = yield* Passwords.variable(`PG${name.replaceAll("_", "").toUpperCase()}`)
    if (Option.isSome(value)) url.searchParams.set(name, value.value)
  }
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
  if (user === "") return yield* invalid(isCut ? slash : "the URL has no user")
  const address = parameters.get("host") || host.replace(/^\[|\]$/g, "") || "localhost"
  if (address.includes(",")) return yield* invalid(oneServer)
  for (const [parameter, value] of parameters) {
    if (parameter === "pgbouncer" && value === "true") return yield* new InvalidDatabase(pooler)
    if (ignored.includes(parameter)) continue
    const [rule, isValid] = known.get(parameter) ?? [undefined, () => true]
    if (!isValid(value)) return yield* invalid(`${parameter} must be ${rule}`)
    if (rule !== undefined) continue
    // which can be what follows a ? or a & in a password
    const shown =
      /[?&]password=/.test(where) || where.includes("@", where.indexOf("?")) ? "a parameter" : `parameter ${parameter}`
    return yield* invalid(`${shown} is unknown; known parameters are ${Array.from(known.keys()).join(", ")}`)
  }
  const problem = contradiction(parameters)
  if (problem !== undefined) return yield* invalid(problem)
  return {
    href: url.href,
    peer: parameters.get("hostaddr") || address,
    parameters,
    host: address,
    port: Number(parameters.get("port") ?? (url.port || 5432)),
    mustWrite: (parameters.get("target_session_attrs") ?? "any") !== "any",
    user,
    password: parameters.get("password") ?? (password || undefined),
    database: parameters.get("dbname") ?? (path || undefined),
    connections: Number(parameters.get("pool_max_conns") ?? 10),
    applicationName: parameters.get("application_name") ?? "cloud-management",
    ssl: yield* tls(parameters),
    warnings: warningsOf(parameters).map((warning) => `the database's URL has ${warning}`)
  }
})
