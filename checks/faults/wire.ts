/** Faults as they are on the wire: what the proxy does with a connection or a request. */
import { gzipSync } from "node:zlib"
import type { Socket } from "node:net"

export interface Places {
  readonly refused: string
  readonly unknown: string
  /** A TLS server whose certificate nobody vouches for. */
  readonly selfSigned: string
  /** The proxy, as if it spoke TLS. */
  readonly tls: string
  /** A server that nobody has a reason to connect to; it counts who does. */
  readonly elsewhere: string
}

/** The service's response, as bytes: the lines of the head, without those that govern the connection, and the body. */
export interface Reply {
  readonly status: string
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer
}

export interface Connection {
  readonly socket: Socket
  readonly silent: () => void
}

export interface Exchange extends Connection {
  readonly path: string
  readonly places: Places
  readonly forward: () => Promise<Reply>
  readonly write: (bytes: string | Uint8Array) => Promise<void>
  /** Says that the response is complete, so that the connection may be kept. */
  readonly complete: () => void
  readonly headRead: () => Promise<void>
}

type Bytes = string | Uint8Array
type Headers = Readonly<Record<string, string>>
type OnRequest = (exchange: Exchange) => Promise<void>
type Step = Bytes | ((exchange: Exchange, reply: Reply) => unknown)

const play = async (exchange: Exchange, reply: Reply, steps: ReadonlyArray<Step>) => {
  for (const step of steps) await (typeof step === "function" ? step(exchange, reply) : exchange.write(step))
}
const none: Reply = { status: "", headers: [], body: Buffer.of() }
/** The steps that befall a request before the service gets it, and after it has responded. */
export const before =
  (...steps: ReadonlyArray<Step>): OnRequest =>
  (exchange) =>
    play(exchange, none, steps)
export const after =
  (...steps: ReadonlyArray<Step>): OnRequest =>
  async (exchange) =>
    play(exchange, await exchange.forward(), steps)

export const reset = ({ socket }: Connection) => void socket.resetAndDestroy()
export const end = ({ socket }: Connection) => void socket.end()
export const silent = ({ silent }: Connection) => silent()
/** Waits until the head has arrived, which a reset can overtake. */
export const headRead = ({ headRead }: Exchange) => headRead()
const complete = ({ complete }: Exchange) => complete()
/** Sends the same bytes until the client has enough, and lets everything else happen in between. */
export const forever =
  (bytes: string): OnRequest =>
  async ({ socket, write }) => {
    for (; socket.writable; await new Promise((done) => setImmediate(done))) await write(bytes)
  }

const headOf = (status: string, headers: ReadonlyArray<string>) => [status, ...headers, "", ""].join("\r\n")
const half = (bytes: Buffer | string) => bytes.slice(0, Math.floor(bytes.length / 2))
/** The head of the reply, with more headers, in place of some. */
export const changed =
  (header: RegExp, ...more: ReadonlyArray<string>): Step =>
  ({ write }, { headers, status }) =>
    write(headOf(status, [...headers.filter((line) => !header.test(line)), ...more]))
export const head = changed(/^$/)
export const halfHead: Step = ({ write }, { headers, status }) => write(half(headOf(status, headers)))
export const body: Step = ({ write }, { body }) => write(body)
export const halfBody: Step = ({ write }, { body }) => write(half(body))

const own = (status: number, headers: Headers, size: number | undefined) =>
  headOf(`HTTP/1.1 ${status} Status`, [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(size === undefined ? [] : [`content-length: ${size}`])
  ])
const response = (status: number, headers: Headers, body?: Bytes): ReadonlyArray<Step> => [
  complete,
  own(status, headers, body === undefined ? undefined : Buffer.byteLength(body)),
  body ?? ""
]
export const respond = (...args: Parameters<typeof response>) => before(...response(...args))
export const respondAfter = (...args: Parameters<typeof response>) => after(...response(...args))
export const redirect: OnRequest = (exchange) =>
  respond(307, { location: `${exchange.places.elsewhere}/v1/organizations` }, "")(exchange)
/** A refusal after whose first bytes the connection ends, or nothing more comes. */
export const cutRefusal = (stalls: boolean, status: number, headers: Headers) =>
  before(own(status, headers, 80) + '{"status"', ...(stalls ? [headRead, silent] : [end]))
/** The whole response of the service, after other bytes, or with another head. */
export const relay = (...steps: ReadonlyArray<Step>) => after(complete, ...steps, body)

export const json = { "content-type": "application/json" }
export const compressed = (coding: string) =>
  after((exchange, { body }) => respond(200, { ...json, "content-encoding": coding }, gzipSync(body))(exchange))
export const pass = relay(head)
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "))
export const gzipBomb = respond(200, { ...json, "content-encoding": "gzip" }, bomb)
export const endless = (status: number) =>
  before(
    own(status, { ...json, "transfer-encoding": "chunked" }, undefined),
    forever(`4000\r\n${" ".repeat(0x4000)}\r\n`)
  )

export const resetAtFirstBytes = ({ socket }: Connection) => void socket.once("data", () => socket.resetAndDestroy())
export const plainHttp = ({ socket }: Connection) =>
  void socket.once("data", () => socket.end(headOf("HTTP/1.1 400 Bad Request", ["content-length: 0"])))
