import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { constants, openAsBlob, promises } from "node:fs"
import { basename } from "node:path"
import { types } from "node:util"

/** A file cannot be sent, because it is missing, may not be read, or is not a regular file. */
export class FileNotReadable extends Data.TaggedError("FileNotReadable")<{
  readonly path: string
  /** Names the path and the problem. */
  readonly message: string
  /** The error of the file system; absent if the path is not a regular file. */
  readonly cause?: unknown
}> {}

/**
 * Opens a file on disk as a `File`, for a form or another body.
 *
 * **Details**
 *
 * Its content is read while it is sent, in pieces, and its size is known before. `name`, the file name that the service
 * receives, defaults to the last part of the path. `type`, its media type, defaults to none, which a form sends as
 * `application/octet-stream`. Fails with `FileNotReadable`.
 *
 * **Gotchas**
 *
 * If the file is changed after it was opened, sending it fails.
 *
 * **Example** (Sending a file in a form)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as HttpBody from "effect/http/HttpBody"
 * import * as HttpClient from "effect/http/HttpClient"
 * import * as NodeFile from "@cloud-management/node/NodeFile"
 *
 * const upload = Effect.gen(function* () {
 *   const file = yield* NodeFile.open("report.csv", { type: "text/csv" })
 *   const body = HttpBody.formDataRecord({ title: "June", file })
 *   return yield* HttpClient.post("https://files.example.com/", { body })
 * })
 * ```
 */
export const open = Effect.fnUntraced(function* (
  path: string,
  options: { readonly name?: string; readonly type?: string } = {}
) {
  const attempt = <A>(evaluate: () => Promise<A>) =>
    Effect.tryPromise({
      try: evaluate,
      catch: (cause) =>
        new FileNotReadable({
          path,
          message: types.isNativeError(cause) ? cause.message : `cannot read '${path}'`,
          cause
        })
    })
  // openAsBlob does not say what is wrong
  const stats = yield* attempt(() => promises.stat(path))
  if (!stats.isFile()) return yield* new FileNotReadable({ path, message: `'${path}' is not a regular file` })
  yield* attempt(() => promises.access(path, constants.R_OK))
  const blob = yield* attempt(() => openAsBlob(path))
  return new File([blob], options.name ?? basename(path), { type: options.type ?? "", lastModified: stats.mtimeMs })
})
