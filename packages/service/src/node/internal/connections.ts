import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import { Fault } from "../../frame/wire/fault.ts"
import * as Head from "./head.ts"

/** How long a peer may take to send a request, or to notice the end of its connection, when the server ends, in milliseconds. */
const lastMoment = 100

/** The most requests of a connection that wait for their turn, or come after its last one and are not looked at. */
const most = 32

export interface Pending {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
  /** The fault of the request, found before it is handled or while its body comes. */
  fault: Fault | undefined
  /** The body, for which a peer that expects `100 Continue` is asked now. */
  readonly content: () => Http.IncomingMessage
  /** Restarts the wait for a peer that does not read. */
  readonly progress: () => void
  /** Ends the work for a peer that has left. */
  leave: (() => void) | undefined
}

interface Connection {
  /** In the order of their requests. The service works on the first. */
  readonly pending: Array<Pending>
  readonly progress: Pending["progress"]
  requests: number
  /** Nothing more is read: what came last is not a request, or was the last one. */
  ended: boolean
  /** The bytes that had come when the last response was sent: more of them are the start of another request. */
  read: number
}

const timeout = new Fault(408, "REQUEST_TIMEOUT: The request took too long to arrive")
const malformed = new Fault(400, "BAD_REQUEST: The request is malformed")
const extensions = new Fault(413, "CONTENT_TOO_LARGE: The chunk extensions are too long")
const notImplemented = new Fault(501, "NOT_IMPLEMENTED: The method is not implemented")

/** A method, or the end of one, and the space after it (RFC 9110 §5.6.2, RFC 9112 §3). */
const method = /^[\w!#$%&'*+.^`|~-]+ /

/** Whether the parser stopped within a method, if one that it does not know (RFC 9110 §9.1). */
const isMethod = (error: object): boolean => {
  if (!Predicate.hasProperty(error, "rawPacket") || !(error.rawPacket instanceof Uint8Array)) return false
  const { rawPacket } = error
  const stopped = Predicate.hasProperty(error, "bytesParsed") ? Number(error.bytesParsed) : 0
  const isAt = (at: number) => method.test(new TextDecoder("latin1").decode(rawPacket.subarray(at, at + 64)))
  // it can stop at the space itself
  return isAt(stopped) || (stopped > 0 && isAt(stopped - 1))
}

/** Why Node's parser takes no more from a connection; `undefined` for what is not a message. */
const faultOf = (error: NodeJS.ErrnoException, maxHeaderSize: number): Fault | undefined => {
  const { code = "" } = error
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return timeout
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return extensions
  if (code === "HPE_HEADER_OVERFLOW")
    return new Fault(431, `HEADERS_TOO_LARGE: The head of a request may have at most ${maxHeaderSize} bytes`)
  if (code === "HPE_INVALID_METHOD" && isMethod(error)) return notImplemented
  return code.startsWith("HPE_") ? malformed : undefined
}

/**
 * Takes the requests of a server's connections in their order, one at a time: RFC 9112 §9.3.2 allows more at once only
 * if all of them are safe, and after a response that ends the connection no other request may be processed (§9.6). What
 * Node's parser rejects gets a response in its turn as well.
 */
export const serve = (
  server: Http.Server,
  options: {
    readonly handle: (pending: Pending) => void
    readonly isSecure: (request: Http.IncomingMessage) => boolean
    /** How long nothing may move on a connection with a request, in milliseconds. */
    readonly silence: number
    readonly maxHeaderSize: number
    readonly maxTargetLength: number
    readonly maxRequestsPerConnection: number
  }
) => {
  const { handle, isSecure, maxHeaderSize, maxRequestsPerConnection, maxTargetLength, silence } = options
  const connections = new Map<Net.Socket, Connection>()
  let look = () => {}
  let opened = 0

  const open = (socket: Net.Socket): Connection => {
    const pending: Array<Pending> = []
    // not the timeout of the socket, which waits once more when the system has taken a part of what was written
    const timer = setTimeout(() => {
      if (pending.length > 0) socket.destroy()
    }, silence)
    const progress = () => void timer.refresh()
    const connection: Connection = { pending, progress, requests: 0, ended: false, read: socket.bytesRead }
    // a socket that is closed is not removed again
    if (socket.destroyed) return connection
    connections.set(socket, connection)
    socket.on("drain", connection.progress)
    socket.once("close", () => {
      clearTimeout(timer)
      connections.delete(socket)
      // Node 22 does not report the responses that were still waiting for their turn
      for (const { response } of pending.slice()) response.emit("close")
      look()
    })
    return connection
  }
  const connectionOf = (socket: Net.Socket) => connections.get(socket) ?? open(socket)

  const advance = (socket: Net.Socket, { pending, progress }: Connection) => {
    const [next] = pending
    if (next === undefined || !socket.writable) return
    progress()
    if (next.response.socket === null) next.response.assignSocket(socket)
    handle(next)
  }

  const enqueue = (socket: Net.Socket, connection: Connection, added: Pending) => {
    const { pending } = connection
    pending.push(added)
    added.response.on("close", () => {
      const at = pending.indexOf(added)
      // it is reported twice where the connection closes first
      if (at === -1) return
      added.leave?.()
      pending.splice(at, 1)
      if (pending.length === 0) connection.read = socket.bytesRead
      advance(socket, connection)
      look()
    })
    if (pending.length > most) socket.destroy()
    else if (pending.length === 1) advance(socket, connection)
  }

  const receive = (
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    content: Pending["content"] = () => request
  ) => {
    const { socket } = request
    const connection = connectionOf(socket)
    // Node keeps each until the last response is sent, and takes the square of their number to let go of them
    if (++connection.requests > maxRequestsPerConnection + most) socket.destroy()
    if (connection.ended || !socket.writable) return
    // RFC 9110 §7.8 lets a server ignore an upgrade; Node's parser takes what follows for another protocol, and drops it
    if (connection.requests >= maxRequestsPerConnection || request.headers.upgrade !== undefined) {
      response.shouldKeepAlive = false
      connection.ended = true
    }
    // `refuse` reports there what is wrong with a body, whether or not it is being read
    if (Head.announcesBody(request)) request.on("error", () => {})
    const fault = Head.faultOf(request, maxTargetLength, isSecure)
    const { progress } = connection
    enqueue(socket, connection, { request, response, fault, content, progress, leave: undefined })
  }

  const refuse = (socket: Net.Socket, fault: Fault, method = "_OTHER") => {
    const connection = connectionOf(socket)
    const last = connection.pending.at(-1)
    if (last !== undefined && !last.request.complete) {
      connection.ended = true
      // unless it is being refused already, for its head
      if (!last.response.headersSent && last.fault === undefined) {
        last.fault = fault
        last.request.emit("error", fault)
      }
      return
    }
    if (connection.ended) return
    connection.ended = true
    // what is not a request takes the place of one, so that its response has its turn
    const line = { method, httpVersionMajor: 1, httpVersionMinor: 1 }
    const request = Object.assign(new Http.IncomingMessage(socket), line)
    const response = new Http.ServerResponse(request)
    const { progress } = connection
    enqueue(socket, connection, { request, response, fault, content: () => request, progress, leave: undefined })
  }

  server.on("connection", () => opened++)
  server.on(server instanceof Https.Server ? "secureConnection" : "connection", connectionOf)
  server.on("request", (request, response) => receive(request, response))
  server.on("checkExpectation", (request, response) => receive(request, response))
  server.on("checkContinue", (request: Http.IncomingMessage, response: Http.ServerResponse) =>
    receive(request, response, () => {
      response.writeContinue()
      return request
    })
  )
  // without a listener Node ends the connection without a response; with one, it takes its own off the socket
  server.on("connect", (_request, socket) => {
    if (!(socket instanceof Net.Socket)) return
    const { pending } = connectionOf(socket)
    socket.on("error", () => {})
    socket.on("drain", () => pending[0]?.response.emit("drain"))
    refuse(socket, notImplemented, "CONNECT")
  })
  server.on("clientError", (error, socket) => {
    const fault = faultOf(error, maxHeaderSize)
    if (fault === undefined || !(socket instanceof Net.Socket) || !socket.writable) socket.destroy()
    else refuse(socket, fault)
  })

  const isBusy = (socket: Net.Socket, { pending, read }: Connection) => pending.length > 0 || socket.bytesRead > read
  const until = (condition: () => boolean) =>
    Effect.callback<void>((resume) => {
      look = () => {
        if (condition()) resume(Effect.void)
      }
      look()
    })
  const isEmpty = until(() => connections.size === 0)
  const pause = (millis: number) =>
    Effect.callback<void>((resume) => {
      const timer = setTimeout(() => resume(Effect.void), millis)
      return Effect.sync(() => clearTimeout(timer))
    })
  /** A turn of the event loop reads all that the system has, so that what has come by now is taken. */
  const turn = Effect.callback<void>((resume) => void setImmediate(() => setImmediate(() => resume(Effect.void))))

  // Not the close of http.Server, which also ends idle connections and the watch over slow ones
  const stop = () => {
    if (server.listening) Net.Server.prototype.close.call(server)
  }
  /** Stops in the first turn of the event loop, each of which accepts one connection, that found none. */
  const stopBetween = Effect.callback<void>((resume) => {
    let before = -1
    const look = () => {
      if (opened === before) stop()
      if (!server.listening) return resume(Effect.void)
      before = opened
      setImmediate(look)
    }
    setImmediate(look)
  })
  /**
   * Accepts no more connections, after those that the system has accepted for this server: it would reset them, even with
   * a request. Only then withdraws, by which each response ends its connection, because each end can bring a new one.
   * Waits until no request is under way, and ends the connections. Those without a request stay open for a moment: their
   * peers may be sending one, which gets its response, and would otherwise get a reset. Done when the peers have noticed, or
   * have had the time to.
   */
  const close = Effect.fnUntraced(function* (withdraw: Effect.Effect<void>) {
    // ever more may come
    yield* Effect.raceFirst(stopBetween, pause(1000))
    stop()
    yield* withdraw
    yield* Effect.raceFirst(isEmpty, pause(lastMoment))
    yield* turn
    yield* until(() => ![...connections].some(([socket, connection]) => isBusy(socket, connection)))
    for (const socket of connections.keys()) socket.end()
    yield* Effect.raceFirst(isEmpty, pause(lastMoment))
  })

  return { close }
}
