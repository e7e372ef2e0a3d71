import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { constFalse, constTrue } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { InvalidTransportOption, type Options } from "../TransportOptions.ts"
import * as NoProxy from "./noProxy.ts"
import * as OptionRules from "@cloud-management/client/OptionRules"
import * as Checks from "./option.ts"
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

const readProxies = Effect.fnUntraced(function* (option: NonNullable<Options["proxy"]>) {
  const proxy = typeof option === "string" || Redacted.isRedacted(option) ? { url: option } : option
  yield* Checks.check("proxy", Predicate.isObject(proxy), "must be an object")
  yield* Checks.checkAll("proxy.", proxy, {
    url: ["given", constTrue],
    tls: OptionRules.object,
    tunnel: OptionRules.boolean
  })
  const url = Checks.reveal(proxy.url)
  const { tls, tunnel = false } = proxy
  yield* Checks.check("proxy", typeof url === "string", 'must be "env", or have an http or https URL')
  const options = { tls: tls === undefined ? {} : yield* Tls.read("proxy.tls", tls), tunnel }
  if (url === "env") return yield* fromEnvironment(options)
  const read = yield* Proxy.read("proxy", url, options)
  const isSecure = read.address.protocol === "https:"
  yield* Checks.check("proxy.tls", tls === undefined || isSecure, "requires a proxy whose URL starts with https:")
  return { http: read, https: read, bypasses: constFalse }
})

/** Checks options, and reads the environment if they say so. */
export const read = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Settings, InvalidTransportOption> {
  yield* Checks.checkAll("", options, {
    connections: OptionRules.count,
    keepAlive: OptionRules.finite,
    proxy: ["given", constTrue],
    socketPath: ["the path of a Unix socket", OptionRules.name[1]],
    tls: OptionRules.object
  })
  const { connections, keepAlive, proxy, socketPath, tls } = options
  const alone = "cannot be combined with proxy: a Unix socket is reached without a proxy"
  yield* Checks.check("socketPath", socketPath === undefined || proxy === undefined, alone)
  return {
    ...(connections !== undefined && { connections }),
    ...(socketPath !== undefined && { socketPath }),
    ...(keepAlive !== undefined && { keepAlive: OptionRules.millis(keepAlive) }),
    ...(tls !== undefined && { tls: yield* Tls.read("tls", tls) }),
    ...(proxy !== undefined && { proxies: yield* readProxies(proxy) })
  }
})
