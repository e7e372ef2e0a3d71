import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

/** Reads a file, without the last line ending. */
export const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* files.readFileString(path)).replace(/\r?\n$/, "")
})
