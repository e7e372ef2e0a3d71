import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constFalse } from "effect/Function"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidTransportOption, type Options } from "../TransportOptions.ts"
import * as NoProxy from "./noProxy.ts"
import * as Given from "./given.ts"
import * as Proxy from "./proxy.ts"
import * as Tls from "./tls.ts"

/** Proxies by the scheme of the URL that is asked. */
export interface Proxies {
  readonly http: Proxy.Proxy | undefined
  readonly https: Proxy.Proxy | undefined
  /** Whether an origin is asked without a proxy. */
  readonly bypasses: (origin: URL) => boolean
}

/** Options that were checked. */
export interface Settings {
  readonly tls?: Tls.TlsSettings
  readonly socketPath?: string
  readonly connections?: number
  /** In milliseconds. */
  readonly keepAlive?: number
  readonly proxies?: Proxies
}

/** The first of some variables that is set, with its name. Config treats empty ones as unset. */
const variable = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  for (const name of names) {
    const value = yield* Effect.mapError(
      Config.option(Config.String(name)),
      () => new InvalidTransportOption({ option: "proxy", message: `${name} must be readable from the ConfigProvider` })
    )
    if (Option.isSome(value)) return { name, value: value.value }
  }
  return undefined
})

const fromEnvironment = Effect.fnUntraced(function* (options: Pick<Proxy.Proxy, "tls" | "tunnel">) {
  const read = (found: { readonly name: string; readonly value: string } | undefined) =>
    found === undefined ? Effect.undefined : Proxy.read(found.name, found.value, options)
  const isCgi = (yield* variable("REQUEST_METHOD")) !== undefined
  const https = yield* read(yield* variable("https_proxy", "HTTPS_PROXY"))
  const http = yield* read(yield* variable("http_proxy", ...(isCgi ? [] : ["HTTP_PROXY"])))
  const exceptions = yield* variable("no_proxy", "NO_PROXY")
  const { ignored, matches } = NoProxy.make(exceptions?.value ?? "")
  if (ignored.length > 0) {
    yield* Effect.logWarning(
      `${exceptions?.name}: these entries are not names, addresses or ranges, and match nothing: ${ignored.join(", ")}`
    )
  }
  return { http, https, bypasses: (origin: URL) => NoProxy.isLoopback(origin) || matches(origin) }
})

const readProxies = Effect.fnUntraced(function* (given: NonNullable<Options["proxy"]>) {
  const proxy = typeof given === "string" || Redacted.isRedacted(given) ? { url: given } : given
  yield* Given.checkNames("proxy", proxy, ["url", "tls", "tunnel"])
  const url = Given.reveal(proxy.url)
  const { tls, tunnel = false } = proxy
  yield* Given.check("proxy", typeof url === "string", 'must be "env", or have an http or https URL')
  yield* Given.check("proxy.tunnel", typeof tunnel === "boolean", "must be true or false")
  const options = { tls: tls === undefined ? {} : yield* Tls.read("proxy.tls", tls), tunnel }
  if (url === "env") return yield* fromEnvironment(options)
  const read = yield* Proxy.read("proxy", url, options)
  const isSecure = read.address.protocol === "https:"
  yield* Given.check("proxy.tls", tls === undefined || isSecure, "requires a proxy whose URL starts with https:")
  return { http: read, https: read, bypasses: constFalse }
})

/** Checks options, and reads the environment if they say so. */
export const read = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Settings, InvalidTransportOption> {
  yield* Given.checkNames("options", options, ["connections", "keepAlive", "proxy", "socketPath", "tls"])
  const { connections, proxy, socketPath, tls } = options
  const isCount = connections === undefined || (Number.isSafeInteger(connections) && connections > 0)
  yield* Given.check("connections", isCount, "must be a whole number of at least 1")
  if (socketPath !== undefined) {
    const isPath = typeof socketPath === "string" && socketPath !== ""
    yield* Given.check("socketPath", isPath, "must be the path of a Unix socket")
    const alone = "cannot be combined with proxy: a Unix socket is reached without a proxy"
    yield* Given.check("socketPath", proxy === undefined, alone)
  }
  const { keepAlive: given } = options
  const keepAlive =
    given === undefined
      ? undefined
      : Result.getOrElse(
          Result.try(() => (typeof given === "number" ? given : Duration.toMillis(Duration.fromInputUnsafe(given)))),
          () => NaN
        )
  const isFinite = keepAlive === undefined || (Number.isFinite(keepAlive) && keepAlive >= 0)
  yield* Given.check("keepAlive", isFinite, "must be a finite duration of at least 0")
  return {
    ...(connections !== undefined && { connections }),
    ...(socketPath !== undefined && { socketPath }),
    ...(keepAlive !== undefined && { keepAlive }),
    ...(tls !== undefined && { tls: yield* Tls.read("tls", tls) }),
    ...(proxy !== undefined && { proxies: yield* readProxies(proxy) })
  }
})
