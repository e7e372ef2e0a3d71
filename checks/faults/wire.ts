/** Faults as they are on the wire: what the proxy does with a connection or a request. */
import { gzipSync } from "node:zlib"
import type { Reply, Behaviour, Connection, Exchange, Places } from "./proxy.ts"

export interface Fault extends Behaviour {
  readonly to?: (places: Places) => string
  readonly kept?: true
}

type Headers = Readonly<Record<string, string>>
type OnRequest = (exchange: Exchange) => Promise<void>

const linesOf = (headers: Headers) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
const headOf = (status: string, headers: ReadonlyArray<string>) => [status, ...headers, "", ""].join("\r\n")
const head = ({ headers, status }: Reply) => headOf(status, headers)
const without = (reply: Reply, header: RegExp): Reply => ({
  ...reply,
  headers: reply.headers.filter((line) => !header.test(line))
})
const half = (bytes: Buffer | string) => bytes.slice(0, Math.floor(bytes.length / 2))

const send = (
  { complete, write }: Exchange,
  status: number,
  headers: Headers,
  body: string | Uint8Array | undefined
) => {
  const length = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  complete()
  return write(
    Buffer.concat([
      Buffer.from(headOf(`HTTP/1.1 ${status} Status`, [...linesOf(headers), ...length])),
      Buffer.from(body ?? "")
    ])
  )
}
export const respond = (status: number, headers: Headers, body: string | undefined): Fault => ({
  request: (exchange) => send(exchange, status, headers, body)
})
export const respondAfter = (status: number, headers: Headers, body: string | undefined): Fault => ({
  request: async (exchange) => {
    await exchange.forward()
    await send(exchange, status, headers, body)
  }
})
export const respondAt =
  (make: (nowMillis: number) => readonly [status: number, headers: Headers, body: string]): OnRequest =>
  (exchange) =>
    send(exchange, ...make(exchange.nowMillis()))
export const write =
  (bytes: string): OnRequest =>
  ({ write }) =>
    write(bytes)
export const redirect: OnRequest = (exchange) =>
  send(exchange, 307, { location: `${exchange.places.elsewhere}/v1/organizations` }, "")

// connections

export const stayConnected = ({ silent }: Connection) => silent()
export const resetAtOnce = ({ socket }: Connection) => void socket.resetAndDestroy()
export const resetAtFirstBytes = ({ socket }: Connection) => void socket.once("data", () => socket.resetAndDestroy())
export const plainHttp = ({ socket }: Connection) =>
  void socket.once("data", () => socket.end(headOf("HTTP/1.1 400 Bad Request", ["content-length: 0"])))

// connections that break

export const reset: OnRequest = async ({ socket }) => void socket.resetAndDestroy()
export const resetAfter: OnRequest = async ({ forward, socket }) => {
  await forward()
  socket.resetAndDestroy()
}
export const closeAfter: OnRequest = async ({ forward, socket }) => {
  await forward()
  socket.end()
}
export const resetInHead: OnRequest = async ({ forward, socket, write }) => {
  await write(half(head(await forward())))
  socket.resetAndDestroy()
}
export const resetInBody: OnRequest = async ({ forward, headRead, socket, write }) => {
  const reply = await forward()
  await write(head(reply) + half(reply.body.toString("latin1")))
  // a reset can overtake what was sent before
  await headRead()
  socket.resetAndDestroy()
}
export const truncate: OnRequest = async ({ forward, socket, write }) => {
  const reply = await forward()
  await write(head(reply))
  await write(half(reply.body))
  socket.end()
}
export const cutWithoutLength: OnRequest = async ({ forward, socket, write }) => {
  const reply = without(await forward(), /^content-length:/i)
  await write(head({ ...reply, headers: [...reply.headers, "connection: close"] }))
  await write(half(reply.body))
  socket.end()
}

// nothing more comes

export const silent: OnRequest = async ({ silent }) => silent()
export const silentAfter: OnRequest = async ({ forward, silent }) => {
  await forward()
  silent()
}
export const silentInHead: OnRequest = async ({ forward, silent, write }) => {
  await write(half(head(await forward())))
  silent()
}
export const silentInBody: OnRequest = async ({ forward, headRead, silent, write }) => {
  const reply = await forward()
  await write(head(reply))
  await write(half(reply.body))
  await headRead()
  silent()
}
/** Sends the same bytes until the client has enough, and lets everything else happen in between. */
const forever = async ({ socket, write }: Exchange, bytes: string) => {
  for (; socket.writable; await new Promise((done) => setImmediate(done))) await write(bytes)
}
/** A byte at a time, none of which ends the body. */
export const drip: OnRequest = async (exchange) => {
  const { forward, headRead, silent, write } = exchange
  const reply = without(await forward(), /^content-length:/i)
  await write(head({ ...reply, headers: [...reply.headers, "transfer-encoding: chunked"] }))
  await headRead()
  silent()
  await forever(exchange, "1\r\n \r\n")
}

// what is not HTTP

export const endlessHead: OnRequest = async (exchange) => {
  await exchange.write("HTTP/1.1 200 OK\r\n")
  await forever(exchange, `x-more: ${"a".repeat(1000)}\r\n`)
}
export const twoLengths: OnRequest = async ({ forward, write }) => {
  const reply = await forward()
  await write(head({ ...reply, headers: [...reply.headers, "content-length: 1"] }))
  await write(reply.body)
}
export const badChunk: OnRequest = async ({ forward, headRead, write }) => {
  const reply = without(await forward(), /^content-length:/i)
  await write(head({ ...reply, headers: [...reply.headers, "transfer-encoding: chunked"] }))
  await write("1\r\n{\r\n")
  await headRead()
  await write("no length\r\n")
}

// refusals that are not whole

/** A refusal after whose first bytes the connection ends, or nothing more comes. */
export const cutRefusal =
  (stalls: boolean, status: number, headers: Headers): OnRequest =>
  async ({ headRead, silent, socket, write }) => {
    await write(headOf(`HTTP/1.1 ${status} Status`, [...linesOf(headers), "content-length: 80"]) + '{"status"')
    if (!stalls) return void socket.end()
    await headRead()
    silent()
  }

// successes

const json = "content-type: application/json"
/** 64 MiB of spaces in 64 kB. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "))
export const gzipBomb: OnRequest = (exchange) =>
  send(exchange, 200, { "content-type": "application/json", "content-encoding": "gzip" }, bomb)
const endless =
  (status: string): OnRequest =>
  async (exchange) => {
    await exchange.write(headOf(`HTTP/1.1 ${status}`, [json, "transfer-encoding: chunked"]))
    await forever(exchange, `4000\r\n${" ".repeat(0x4000)}\r\n`)
  }
export const endlessBody = endless("200 OK")
export const endlessRefusal = endless("503 Service Unavailable")
export const badGzip: OnRequest = async ({ complete, forward, write }) => {
  const reply = await forward()
  complete()
  await write(head({ ...reply, headers: [...reply.headers, "content-encoding: gzip"] }))
  await write(reply.body)
}
export const compressed =
  (coding: string): OnRequest =>
  async (exchange) => {
    const { body } = await exchange.forward()
    await send(exchange, 200, { "content-type": "application/json", "content-encoding": coding }, gzipSync(body))
  }
const relay =
  (change: (reply: Reply) => Reply, before = ""): OnRequest =>
  async ({ complete, forward, write }) => {
    const reply = change(await forward())
    complete()
    await write(before)
    await write(head(reply))
    await write(reply.body)
  }
export const asText = relay((reply) => {
  const { headers, ...rest } = without(reply, /^content-type:/i)
  return { ...rest, headers: [...headers, "content-type: text/plain"] }
})
export const earlyHints = relay((reply) => reply, "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n")
export const continueFirst = relay((reply) => reply, "HTTP/1.1 100 Continue\r\n\r\n")
