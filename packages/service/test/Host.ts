import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Base64 from "effect/encoding/Base64"
import * as DiagnosticsChannel from "node:diagnostics_channel"
import * as Net from "node:net"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import type * as Seed from "@cloud-management/service/Seed"
import * as Service from "@cloud-management/service/Service"
import type { Store } from "@cloud-management/service/Store"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

/** One connection, spoken to byte by byte. */
export interface Connection {
  readonly send: (text: string) => Effect.Effect<void>
  /** Waits until what has come contains the text. */
  readonly until: (text: string) => Effect.Effect<string>
  /** Waits for the end of the connection, and gives all that came. */
  readonly end: Effect.Effect<string>
}

export const connect = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<Net.Socket, Error>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = Net.connect(Number(port), hostname)
      socket.once("error", (error) => resume(Effect.fail(error)))
      socket.once("connect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  ).pipe(
    Effect.map((socket): Connection => {
      let received = ""
      const waiting = new Set<() => void>()
      const look = () => waiting.forEach((check) => check())
      socket.on("error", () => {})
      socket.on("data", (chunk) => {
        received += chunk
        look()
      })
      socket.once("close", look)
      const wait = (condition: () => boolean) =>
        Effect.callback<string>((resume) => {
          const check = () => {
            if (!condition()) return
            waiting.delete(check)
            resume(Effect.succeed(received))
          }
          waiting.add(check)
          check()
        })
      return {
        send: (text) => Effect.sync(() => void socket.write(text)),
        until: (text) => wait(() => received.includes(text)),
        end: wait(() => socket.destroyed)
      }
    })
  )

/** Sends one text over a connection of its own, and gives all that comes until the connection ends. */
export const exchange = (url: string, text: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* connect(url)
      yield* connection.send(text)
      return yield* connection.end
    })
  )

/** The sockets on which this process receives requests from now on. */
export const serverSockets = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const sockets = new Set<Net.Socket>()
      const collect = (message: unknown) => {
        if (Predicate.hasProperty(message, "socket") && message.socket instanceof Net.Socket)
          sockets.add(message.socket)
      }
      DiagnosticsChannel.subscribe("http.server.request.start", collect)
      return { sockets, collect }
    }),
    ({ collect }) => Effect.sync(() => DiagnosticsChannel.unsubscribe("http.server.request.start", collect))
  ),
  ({ sockets }) => sockets
)

export const authorization = (secret: string = Fixtures.deployKey.secret) =>
  `Authorization: Basic ${Base64.encode(`${Fixtures.deployKey.id}:${secret}`)}`

export const request = (line: string, ...headers: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "Host: test", ...headers, "", ""].join("\r\n")
export const closing = (line: string, ...headers: ReadonlyArray<string>) =>
  request(line, ...headers, "Connection: close")

export const store = InMemoryTransport.layerStore(Fixtures.seed)
/** A host over a store with the fixtures. */
export const host = (
  limits?: Partial<HttpHost.Limits>,
  over: Layer.Layer<Store, Seed.InvalidSeed> = store,
  more?: HttpHost.Options,
  options?: Service.Options
) =>
  HttpHost.layer({ limits, ...more }).pipe(
    Layer.provideMerge(Service.layer(options)),
    Layer.provide(over),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
export const start = (...args: Parameters<typeof host>) =>
  Effect.map(Layer.build(host(...args)), (context) => Context.get(context, HttpHost.HttpHost))
