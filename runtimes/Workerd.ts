import * as Effect from "effect/Effect"
import { Miniflare } from "miniflare"
import type { Readable } from "node:stream"

export interface Worker {
  /** One module. */
  readonly script: string
  readonly bindings?: Record<string, string>
}

/** A worker in workerd until the end of the scope: its URL. */
export const serve = ({ bindings = {}, script }: Worker) =>
  Effect.gen(function* () {
    const miniflare = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Miniflare({
            host: "127.0.0.1",
            port: 0,
            modules: true,
            script,
            bindings,
            compatibilityDate: "2026-07-01",
            // workerd complains of every connection that a case breaks
            handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
              stdout.resume()
              stderr.resume()
            }
          })
      ),
      (miniflare) => Effect.promise(() => miniflare.dispose())
    )
    return (yield* Effect.promise(() => miniflare.ready)).origin
  })
