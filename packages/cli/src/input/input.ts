import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { constants, openSync } from "node:fs"
import { Socket } from "node:net"

const failure = (path: string, _tag: PlatformError.SystemErrorTag, cause?: unknown) =>
  PlatformError.systemError({ _tag, module: "FileSystem", method: "stream", pathOrDescriptor: path, cause })

/** The failure of a read whose end did not come in time. */
export const late = (path: string) => failure(path, "TimedOut")

const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/
/** Whether a path stands for stdin. */
export const isStdin = (path: string) => path === "-" || path === "/dev/stdin" || descriptor.exec(path)?.[1] === "0"

/**
 * Opens a pipe without waiting for its writer, because nothing could interrupt that; the socket then waits. A socket, which
 * some parents use as a pipe, has no path that can be opened.
 */
const pipe = (path: string, isSocket: boolean) =>
  Stream.unwrap(
    Effect.map(
      Effect.try({
        try: () => {
          const [, inherited] = isSocket ? (descriptor.exec(path) ?? []) : []
          return inherited === undefined ? openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) : Number(inherited)
        },
        catch: (cause) => failure(path, "Unknown", cause)
      }),
      (fd) =>
        NodeStream.fromReadable({
          evaluate: () => new Socket({ fd, readable: true, writable: false }),
          onError: (cause) => failure(path, "Unknown", cause)
        })
    )
  )

/**
 * The bytes of a file, of a pipe (`<(pass show …)`, a named one, /dev/stdin), or, for `-`, of stdin: once, up to the end. A
 * pipe may not stay silent for more than a minute.
 */
export const bytes = (path: string, most = Infinity) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { stdin } = yield* Stdio.Stdio
      const type = isStdin(path) ? "Stdin" : (yield* files.stat(path)).type
      if (type !== "Stdin" && type !== "FIFO" && type !== "Socket") return files.stream(path)
      return Stream.timeoutOrElse(type === "Stdin" ? stdin : pipe(path, type === "Socket"), {
        duration: "1 minute",
        orElse: () => Stream.fail(late(path))
      })
    })
  ).pipe(
    Stream.mapAccum(
      () => 0,
      (size, chunk) => [size + chunk.length, [{ chunk, size: size + chunk.length }]] as const
    ),
    Stream.mapEffect(({ chunk, size }) =>
      size > most ? Effect.fail(failure(path, "InvalidData")) : Effect.succeed(chunk)
    )
  )
