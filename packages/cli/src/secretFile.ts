import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

/** What a file holds, without the end of its last line. */
export const read = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* files.readFileString(path)).replace(/\r?\n$/, "")
})
