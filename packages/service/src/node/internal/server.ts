import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { lstatSync, rmSync } from "node:fs"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"

/** The host cannot listen where it should. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly message: string
  /** The system's code: `EADDRINUSE`, `EACCES`, `ENOTFOUND`, … */
  readonly code: string
}> {}

/** TLS 1.3, and of 1.2 what has forward secrecy and authenticated encryption (RFC 9325 §4.2). */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305"
].join(":")

/** Whole milliseconds, of which a timer of Node takes no more than these: 24 days. */
export const millis = (limit: Duration.Input) => Math.min(Math.ceil(Duration.toMillis(limit)), 2 ** 31 - 1)

/** For TLS: the certificate, and the versions and ciphers that are accepted. */
export const secureContext = (tls: { readonly cert: string; readonly key: Redacted.Redacted }) => {
  const [cert, key] = [tls.cert, Redacted.value(tls.key)]
  // Node takes an empty one for none, and then fails every handshake
  if (cert === "") throw new TypeError("the certificate is empty")
  if (key === "") throw new TypeError("the private key is empty")
  return { cert, key, minVersion: "TLSv1.2" as const, ciphers }
}

export const make = (
  limits: Readonly<Record<"headers" | "request" | "keepAlive", Duration.Input>> & { readonly maxHeaderSize: number },
  tls: { readonly cert: string; readonly key: Redacted.Redacted } | undefined
): Http.Server | Https.Server => {
  const options = {
    // a request without a body is no stream then, which ends in a turn of its own; older versions of Node ignore it
    optimizeEmptyRequests: true,
    // else a second Authorization would be dropped in silence
    joinDuplicateHeaders: true,
    // rejected by the service, with the response that it has for everything else
    requireHostHeader: false,
    // whatever NODE_OPTIONS says: where a request ends, no proxy and this server may disagree
    insecureHTTPParser: false,
    maxHeaderSize: limits.maxHeaderSize,
    // Node insists that it is not the longer one
    headersTimeout: Math.min(millis(limits.headers), millis(limits.request)),
    requestTimeout: millis(limits.request),
    // Node adds a second, and a timer keeps no longer delay
    keepAliveTimeout: Math.min(millis(limits.keepAlive), 2 ** 31 - 1001),
    // Node's default is 30 seconds
    connectionsCheckingInterval: Math.min(1000, Math.ceil(millis(limits.headers) / 5))
  }
  const server =
    tls === undefined
      ? Http.createServer(options)
      : Https.createServer({
          ...options,
          ...secureContext(tls),
          // Node's default is two minutes
          handshakeTimeout: millis(limits.headers)
        })
  // `maxHeaderSize` bounds them; of more than 1000, Node 22 drops the rest in silence
  server.maxHeadersCount = 0
  return server
}

const problems = new Map([
  ["EADDRINUSE", "is used by another process"],
  ["EEXIST", "is a file that is not a socket"],
  ["EACCES", "requires more rights"],
  ["EADDRNOTAVAIL", "is not an address of this machine"],
  ["ENOTFOUND", "cannot be resolved to an address"],
  ["EAI_AGAIN", "cannot be resolved to an address"]
])

/** The file of a Unix socket that nobody listens on stays after a crash, and would be in the way for ever. */
const removeStale = (path: string, retry: () => void, fail: (code?: string) => void) => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false) return fail("EEXIST")
  const probe = Net.connect(path)
  probe.once("connect", () => {
    probe.destroy()
    fail()
  })
  probe.once("error", () => {
    rmSync(path, { force: true })
    retry()
  })
}

/** Listens, and returns the address with the port, or `unix:` and the path of a Unix socket, which `host` is if it has a slash. */
export const listen = (server: Net.Server, host: string, port: number): Effect.Effect<string, ListenFailed> =>
  Effect.callback((resume) => {
    const isPath = host.includes("/")
    // as in a URL: [::1]
    const options = isPath ? { path: host } : { host: host.replace(/^\[(.+)\]$/, "$1"), port }
    let isFirst = isPath
    const onError = (error: NodeJS.ErrnoException) => {
      const fail = (code = error.code ?? "UNKNOWN") => {
        const problem = problems.get(code) ?? `cannot be listened on: ${error.message}`
        resume(new ListenFailed({ message: `${isPath ? host : `${host}:${port}`} ${problem} (${code})`, code }))
      }
      if (!isFirst || error.code !== "EADDRINUSE") return fail()
      isFirst = false
      removeStale(host, () => server.once("error", onError).listen(options), fail)
    }
    server.once("error", onError)
    server.once("listening", () => {
      server.off("error", onError)
      const bound = server.address()
      if (bound === null) return resume(Effect.die("no address"))
      if (typeof bound === "string") return resume(Effect.succeed(`unix:${bound}`))
      const address = Net.isIPv6(bound.address) ? `[${bound.address}]` : bound.address
      resume(Effect.succeed(`${address}:${bound.port}`))
    })
    server.listen(options)
  })
