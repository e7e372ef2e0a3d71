import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Net from "node:net"
import type { Pending } from "./connections.ts"

/** TLS encrypts all that it is given, and keeps it until the peer has read; a peer shows after each that it reads. */
const piece = 65_536

const inPieces = (bytes: Uint8Array) =>
  Stream.range(0, Math.ceil(bytes.length / piece) - 1).pipe(
    Stream.map((i) => bytes.subarray(i * piece, (i + 1) * piece)),
    Stream.rechunk(1)
  )

/** Done when the peer has taken enough of it for more. */
const write = ({ progress, response }: Pending, bytes: Uint8Array) =>
  Effect.callback<void>((resume) => {
    if (!response.write(bytes)) return void response.once("drain", () => resume(Effect.void))
    progress()
    resume(Effect.void)
  })

const stream = (pending: Pending, bytes: Stream.Stream<Uint8Array, unknown>) =>
  Effect.andThen(
    Stream.runForEach(bytes, (chunk) => write(pending, chunk)),
    Effect.sync(() => void pending.response.end())
  )

/** Ends a connection whose peer is still sending. If Node destroyed it, a reset could outrun the response. */
const endGently = (socket: Net.Socket) => {
  if (socket.destroyed) return
  // Node's next step
  socket.destroySoon = () => {}
  socket.end()
  // by then, the peer may have read the response
  const timer = setTimeout(() => socket.destroy(), 500)
  socket.once("close", () => clearTimeout(timer))
}

/** Fails when the body does; the peer then must not take what it has for a whole response. */
export const send = (
  pending: Pending,
  { body, headers, status }: HttpServerResponse.HttpServerResponse,
  extra: Readonly<Record<string, string>> | undefined
): Effect.Effect<void, unknown> => {
  const { request, response } = pending
  if (response.destroyed) return Effect.void
  if (headers["connection"] === "close") {
    // taken now: a request that was given up has none in the end
    const { socket } = request
    response.prependListener("finish", () => {
      if (!request.complete) endGently(socket)
    })
  }
  // a copy in any case: Node goes faster through the fields of a plain object
  response.writeHead(status, { ...headers, ...extra })
  if (request.method === "HEAD" || status === 204 || status === 205 || status === 304) {
    response.end()
    return Effect.void
  }
  switch (body._tag) {
    case "Uint8Array":
      if (body.contentLength > piece) return stream(pending, inPieces(body.body))
      response.end(body.text ?? body.body)
      return Effect.void
    case "Stream":
      return stream(pending, body.stream)
    case "Empty":
      response.end()
      return Effect.void
    case "Raw":
    case "FormData":
      return Effect.die(new TypeError(`a service sends no body of the kind ${body._tag}`))
  }
}
