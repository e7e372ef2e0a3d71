import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as HttpClient from "effect/http/HttpClient"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type * as TransportOptions from "@cloud-management/node/TransportOptions"
import { mkdtempSync, rmSync } from "node:fs"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Tls from "node:tls"
import { selfSigned } from "../../service/test/certificate.ts"
import * as ForwardProxy from "./ForwardProxy.ts"

/** Where a client finds the service, and how it gets there. */
export interface Route {
  readonly url: string
  readonly options: TransportOptions.Options
  readonly environment?: Readonly<Record<string, string>>
  /** How many connections or requests came this way. */
  readonly passed: () => number
}

const service = selfSigned()
const client = selfSigned()
const ofProxy = selfSigned()

/** A server that joins each of its connections to one to the service. */
const relay = (url: string, path?: string, tls?: Tls.TlsOptions) =>
  Effect.suspend(() => {
    const { hostname, port } = new URL(url)
    let passed = 0
    const pass = (socket: Net.Socket) => {
      passed++
      ForwardProxy.join(socket, Net.connect(Number(port), hostname))
    }
    const server = tls === undefined ? Net.createServer(pass) : Tls.createServer(tls, pass)
    return Effect.map(ForwardProxy.listen(server, path), (port) => ({ port, passed: () => passed }))
  })

/** The service over TLS. */
const secured = (url: string, tls?: Tls.TlsOptions) =>
  Effect.map(relay(url, undefined, { ...service, ...tls }), ({ passed, port }) => ({
    url: `https://localhost:${port}`,
    passed
  }))

const through = (proxy: ForwardProxy.ForwardProxy) => () => proxy.requests.length
const trusted = { ca: service.cert }

/** Ways to a service at an http URL of this machine, other than directly. */
export const routes: Readonly<Record<string, (url: string) => Effect.Effect<Route, never, Scope.Scope>>> = {
  "a proxy": (url) =>
    Effect.map(ForwardProxy.make(), (proxy) => ({ url, options: { proxy: proxy.url }, passed: through(proxy) })),
  "a proxy's tunnel": (url) =>
    Effect.map(ForwardProxy.make(), (proxy) => ({
      url,
      options: { proxy: { url: proxy.url, tunnel: true } },
      passed: through(proxy)
    })),
  "a proxy with credentials, to https": Effect.fnUntraced(function* (http) {
    const proxy = yield* ForwardProxy.make({ credentials: "user:p@ssword" })
    const { url } = yield* secured(http)
    const options = { proxy: proxy.url.replace("://", "://user:p%40ssword@"), tls: trusted }
    return { url, options, passed: through(proxy) }
  }),
  "a proxy over TLS, to https": Effect.fnUntraced(function* (http) {
    const proxy = yield* ForwardProxy.make({ tls: ofProxy })
    const { url } = yield* secured(http)
    const options = { proxy: { url: proxy.url, tls: { ca: ofProxy.cert } }, tls: trusted }
    return { url, options, passed: through(proxy) }
  }),
  "the environment's proxy, to https": Effect.fnUntraced(function* (http) {
    const proxy = yield* ForwardProxy.make()
    const { url } = yield* secured(http)
    const environment = { HTTPS_PROXY: proxy.url, NO_PROXY: "10.0.0.0/8" }
    const tls = { ...trusted, servername: "localhost" }
    // not a loopback address, which would have no proxy
    return {
      url: url.replace("localhost", "0.0.0.0"),
      options: { proxy: "env", tls },
      environment,
      passed: through(proxy)
    }
  }),
  "TLS with a client certificate": Effect.fnUntraced(function* (http) {
    const { passed, url } = yield* secured(http, { ca: client.cert, requestCert: true, rejectUnauthorized: true })
    return { url, options: { tls: { ...trusted, ...client } }, passed }
  }),
  "a Unix socket": Effect.fnUntraced(function* (http) {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "socket-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const socketPath = join(folder, "service.sock")
    const { passed } = yield* relay(http, socketPath)
    return { url: "http://localhost", options: { socketPath }, passed }
  })
}

/** The transport of a route. */
export const transport = ({ environment = {}, options }: Route): Layer.Layer<HttpClient.HttpClient> =>
  NodeTransport.layerOptions(options).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment))),
    Layer.orDie
  )
