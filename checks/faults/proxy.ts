import { Effect } from "effect"
import { EventEmitter, once } from "node:events"
import * as Net from "node:net"
import { buffer } from "node:stream/consumers"
import * as Tls from "node:tls"
import { Listener, selfSigned } from "../fixtures/index.ts"
import * as Wire from "./wire.ts"
import type { Connection, Exchange, Places, Reply } from "./wire.ts"

export interface Behaviour {
  readonly connection?: (connection: Connection) => void
  readonly request?: (exchange: Exchange) => void | Promise<void>
}

export interface Client {
  readonly headRead: () => Promise<void>
  readonly onSilent: () => void
}

const separator = "\r\n\r\n"

const forward = async (service: URL, head: string, body: string): Promise<Reply> => {
  const upstream = Net.connect(Number(service.port), service.hostname)
  upstream.write(`${head.replace(/\r\nconnection:[^\r]*/i, "")}\r\nconnection: close${separator}${body}`, "latin1")
  const bytes = await buffer(upstream)
  const end = bytes.indexOf(separator)
  const [status = "", ...headers] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  return {
    status,
    headers: headers.filter((line) => !/^(connection|keep-alive):/i.test(line)),
    body: bytes.subarray(end + separator.length)
  }
}

/** How long a connection may take to be closed that should be, in milliseconds. */
const patience = 60_000

/** A proxy that does to connections and requests what it is told, to the byte, and knows which connections are open. */
export const make = Effect.fnUntraced(function* (serviceUrl: string, client: Client) {
  const service = new URL(serviceUrl)
  let behaviour: Behaviour = {}
  let requests = 0
  let strayed = 0
  /** Connections of the client on which what was last done did not end well. */
  const broken = new Set<Net.Socket>()
  const events = new EventEmitter()
  const changed = () => void events.emit("change")

  const server = Net.createServer((socket) => {
    socket.once("close", () => broken.delete(socket))
    const connection: Connection = { socket, silent: client.onSilent }
    if (behaviour.connection !== undefined) {
      broken.add(socket)
      // the end of a connection is not seen where nobody reads
      socket.resume()
      behaviour.connection(connection)
      return
    }
    let received = ""
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1")
      const end = received.indexOf(separator)
      if (end === -1) return
      const head = received.slice(0, end)
      const start = end + separator.length
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (received.length < start + length) return
      const body = received.slice(start, start + length)
      received = received.slice(start + length)
      requests++
      broken.add(socket)
      const exchange: Exchange = {
        ...connection,
        path: head.split(" ", 2)[1] ?? "",
        places,
        headRead: client.headRead,
        forward: () => forward(service, head, body),
        write: (bytes) => new Promise((done) => void socket.write(bytes, () => done())),
        complete: () => {
          broken.delete(socket)
          changed()
        }
      }
      const { request = Wire.pass } = behaviour
      Promise.resolve(request(exchange)).catch((error: unknown) => socket.destroy(Error(String(error))))
    })
  })
  const { port, sockets } = yield* Listener.open(server, undefined, changed)
  const distrusted = yield* Listener.open(Tls.createServer(selfSigned()), undefined, changed)
  const elsewhere = yield* Listener.open(Net.createServer(() => strayed++))
  const places: Places = {
    // a port of the system that no service has, and that nobody gets by chance
    refused: "http://127.0.0.1:2",
    // longer than a label of a name may be (RFC 1035 §2.3.4), so that no network is asked
    unknown: `http://${"unknown-".repeat(9)}.invalid:${port}`,
    selfSigned: `https://127.0.0.1:${distrusted.port}`,
    tls: `https://127.0.0.1:${port}`,
    elsewhere: `http://127.0.0.1:${elsewhere.port}`
  }

  const settled = (count: () => number) =>
    Effect.promise(async () => {
      const deadline = AbortSignal.timeout(patience)
      while (count() > 0 && !deadline.aborted) await once(events, "change", { signal: deadline }).catch(() => {})
      return count()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    places,
    behave: (next: Behaviour) => {
      behaviour = next
    },
    requests: () => requests,
    /** How many connections came to the place that nobody has a reason to connect to. */
    strayed: () => strayed,
    /** Waits until no connection is open whose last exchange did not end well; how many are when patience ends. */
    brokenLeft: settled(() => broken.size),
    /** Waits until no connection is open at all; how many are when patience ends. */
    left: settled(() => sockets.size + distrusted.sockets.size)
  }
})
