import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as Result from "effect/Result"
import * as Crypto from "node:crypto"
import * as Net from "node:net"
import * as NodeTls from "node:tls"
import type { Kind } from "@cloud-management/client/OptionRules"
import * as Checks from "./option.ts"
import { InvalidTransportOption, type Tls } from "../TransportOptions.ts"

/** Settings of undici's connectors. The files are parsed once, and not for each connection. */
export interface TlsSettings {
  readonly secureContext?: NodeTls.SecureContext
  readonly servername?: string
}

/** Its rule is below. */
const given: Kind = ["given", constTrue]

const end = "-----END CERTIFICATE-----"

/** The certificates in a text, or what keeps it from being read. Node.js ignores a text without any. */
const parse = (pem: string) =>
  Result.try(() =>
    pem
      .split(end)
      .slice(0, -1)
      .map((block) => new Crypto.X509Certificate(block + end))
  )

/** Checks the options of TLS under a name, and makes of them what undici takes. */
export const read = Effect.fnUntraced(function* (
  name: "tls" | "proxy.tls",
  options: Tls
): Effect.fn.Return<TlsSettings, InvalidTransportOption> {
  yield* Checks.checkAll(`${name}.`, options, { ca: given, cert: given, key: given, servername: given })
  const { ca, cert, key, servername } = options
  const check = (part: string, isValid: boolean, rule: string) =>
    Checks.check(`${name}.${part}`, isValid, `must be ${rule}`)
  const certificates = "PEM text with one or more certificates"
  if (ca !== undefined) {
    const texts = typeof ca === "string" ? [ca] : ca
    const parsed = Array.from(texts, (text) => Result.getOrElse(parse(text), () => []))
    yield* check("ca", parsed.length > 0 && parsed.every(({ length }) => length > 0), certificates)
  }
  const secret = key === undefined ? undefined : Checks.reveal(key)
  if (cert !== undefined || secret !== undefined) {
    const [own] = Result.getOrElse(parse(cert ?? ""), () => [])
    yield* check("cert", cert !== undefined, `given, because ${name}.key is`)
    yield* check("key", secret !== undefined, `given, because ${name}.cert is`)
    yield* check("cert", own !== undefined, certificates)
    const privateKey = Result.getOrUndefined(Result.try(() => Crypto.createPrivateKey(secret ?? "")))
    yield* check("key", privateKey !== undefined, "PEM text with a private key that needs no passphrase")
    const isPair = privateKey !== undefined && own?.checkPrivateKey(privateKey) === true
    yield* check("key", isPair, `the private key of the first certificate in ${name}.cert`)
  }
  if (servername !== undefined) {
    const isName = typeof servername === "string" && servername !== "" && Net.isIP(servername) === 0
    yield* check("servername", isName, "a host name, not an address")
  }
  const secureContext = yield* Effect.try({
    try: () =>
      NodeTls.createSecureContext({
        ...(ca !== undefined && { ca: typeof ca === "string" ? ca : [...ca] }),
        ...(cert !== undefined && { cert }),
        ...(secret !== undefined && { key: secret })
      }),
    catch: () =>
      new InvalidTransportOption({
        option: name,
        message: `${name} must be accepted by OpenSSL: a key or a signature in it may be too weak`
      })
  })
  return { secureContext, ...(servername !== undefined && { servername }) }
})
