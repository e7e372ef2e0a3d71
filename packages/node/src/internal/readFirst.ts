import type * as Net from "node:net"

type Callback = (error?: Error | null) => void

/** Reports a failure once the event loop has read what is there: immediates run after it has. */
const late =
  (callback: Callback): Callback =>
  (error) =>
    error ? setImmediate(() => setImmediate(callback, error)) : callback()

/**
 * Lets a socket whose writing failed read what has arrived before it is destroyed: a server that rejects a large body
 * responds and closes the connection (RFC 9112 §9.6), and Node.js would drop that response with the broken socket.
 */
export const readFirst = (socket: Net.Socket): Net.Socket => {
  const write = socket._write.bind(socket)
  const writev = socket._writev?.bind(socket)
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, late(callback))
  if (writev) socket._writev = (chunks, callback) => writev(chunks, late(callback))
  return socket
}
