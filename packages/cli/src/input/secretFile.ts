import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Input from "./input.ts"

/** The longest secret, in characters. The head of a request has no room for one that is much longer. */
export const longest = 4096

/** Reads a file or a pipe, without the last line ending, and no more of it than shows that it is too long. */
export const read = Effect.fnUntraced(function* (path: string) {
  let size = 0
  // of UTF-8, a character has at most 4 bytes; and there may be a line ending
  const enough = Stream.takeUntil(Input.bytes(path), ({ length }) => (size += length) > 4 * longest + 2)
  const text = yield* Effect.timeoutOrElse(Stream.mkString(Stream.decodeText(enough)), {
    duration: "1 minute",
    orElse: () => Effect.fail(Input.late(path))
  })
  return text.replace(/\r?\n$/, "")
})
