import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, FileSystem, PlatformError, Predicate, Stdio, Stream } from "effect"
import { constants, openSync } from "node:fs"
import { Socket } from "node:net"

export const codeOf = ({ _tag, cause }: PlatformError.PlatformError["reason"]): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : _tag

const reasons: ReadonlyMap<string, string> = new Map([
  ["NotFound", "no such file"],
  ["BadResource", "not a file"],
  ["PermissionDenied", "permission denied"],
  ["TimedOut", "no more of it came within a minute, and no end"],
  ["InvalidData", "it is too large"]
])

export const unreadable = ({ reason }: PlatformError.PlatformError): string =>
  `cannot be read${reasons.has(reason._tag) ? `: ${reasons.get(reason._tag)}` : ` (${codeOf(reason)})`}`

const failure = (path: string, _tag: PlatformError.SystemErrorTag, cause?: unknown) =>
  PlatformError.systemError({ _tag, module: "FileSystem", method: "stream", pathOrDescriptor: path, cause })

const late = (path: string) => failure(path, "TimedOut")

const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/
export const isStdin = (path: string) => path === "-" || path === "/dev/stdin" || descriptor.exec(path)?.[1] === "0"

/** Without waiting for its writer, which nothing could interrupt: the socket waits. A socket has no path to open. */
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

/** The bytes of a file, a pipe or, for `-`, stdin: once, to the end. A pipe may be silent for a minute at most. */
export const bytes = (path: string, most = Number.MAX_SAFE_INTEGER) => {
  const all = Stream.unwrap(
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
  )
  return Stream.limitBytes(all, most, () => Stream.fail(failure(path, "InvalidData")))
}

/** The text of a file in UTF-8 without NUL: of another encoding, characters would be replaced. */
export const text = <E>(path: string, refusal: (problem: string) => E, most?: number) =>
  Stream.suspend(() => {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const other = () => refusal("is not UTF-8 text")
    const decode = (chunk?: Uint8Array) =>
      Effect.filterOrFail(
        Effect.try({ try: () => decoder.decode(chunk, { stream: chunk !== undefined }), catch: other }),
        (text) => !text.includes("\0"),
        other
      )
    const read = Stream.mapError(bytes(path, most), (error) => refusal(unreadable(error)))
    return Stream.concat(Stream.mapEffect(read, decode), Stream.fromEffect(Effect.suspend(() => decode())))
  })

/** The longest secret, in characters. The head of a request has no room for one that is much longer. */
export const longestSecret = 4096

/** Reads a secret, without the last line ending, and no more of it than shows that it is too long. */
export const secret = <E>(path: string, refusal: (problem: string) => E) =>
  Effect.suspend(() => {
    let size = 0
    // of UTF-8, a character has at most 4 bytes; and there may be a line ending
    const enough = Stream.takeUntil(bytes(path), ({ length }) => (size += length) > 4 * longestSecret + 2)
    return Stream.mkString(Stream.decodeText(enough)).pipe(
      Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.fail(late(path)) }),
      Effect.mapBoth({
        onSuccess: (text) => text.replace(/\r?\n$/, ""),
        onFailure: (error) => refusal(unreadable(error))
      })
    )
  })
