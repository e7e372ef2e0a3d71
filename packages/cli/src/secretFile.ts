import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"

/** The longest secret, in characters. The head of a request has no room for one that is much longer. */
export const longest = 4096

/** The text of a secret without the last line ending, and no more of it than shows that it is too long. */
export const textOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Effect.Effect<string, E, R> =>
  Effect.suspend(() => {
    let size = 0
    // of UTF-8, a character has at most 4 bytes; and there may be a line ending
    const enough = Stream.takeUntil(bytes, ({ length }) => (size += length) > 4 * longest + 2)
    return Effect.map(Stream.mkString(Stream.decodeText(enough)), (text) => text.replace(/\r?\n$/, ""))
  })

/** Reads a file, without the last line ending. */
export const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* textOf(files.stream(path))
})
