import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Http from "node:http"
import type * as Net from "node:net"

/** TLS encrypts all that it is given, and keeps it until the peer has read; a peer shows after each that it reads. */
const piece = 65_536

const inPieces = (bytes: Uint8Array) =>
  Stream.range(0, Math.ceil(bytes.length / piece) - 1).pipe(
    Stream.map((i) => bytes.subarray(i * piece, (i + 1) * piece)),
    Stream.rechunk(1)
  )

/** Done when the peer has taken enough of it for more. */
const write = (response: Http.ServerResponse, bytes: Uint8Array) =>
  Effect.callback<void>((resume) => {
    if (response.write(bytes)) resume(Effect.void)
    else response.once("drain", () => resume(Effect.void))
  })

const stream = (response: Http.ServerResponse, bytes: Stream.Stream<Uint8Array, unknown>) =>
  Effect.andThen(
    Stream.runForEach(bytes, (chunk) => write(response, chunk)),
    Effect.sync(() => void response.end())
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
  response: Http.ServerResponse,
  { body, headers, status }: HttpServerResponse.HttpServerResponse,
  extra: Readonly<Record<string, string>> | undefined
): Effect.Effect<void, unknown> => {
  const { req: request } = response
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
      if (body.contentLength > piece) return stream(response, inPieces(body.body))
      response.end(body.text ?? body.body)
      return Effect.void
    case "Stream":
      return stream(response, body.stream)
    case "Empty":
      response.end()
      return Effect.void
    case "Raw":
    case "FormData":
      return Effect.die(new TypeError(`a service sends no body of the kind ${body._tag}`))
  }
}
