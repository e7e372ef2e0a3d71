import { Effect } from "effect"
import { Miniflare } from "miniflare"
import type { Readable } from "node:stream"

export interface Worker {
  readonly script: string
  readonly bindings?: Record<string, string>
}

/** A worker in workerd until the end of the scope: its URL, and what it has logged so far. */
export const serve = ({ bindings = {}, script }: Worker) =>
  Effect.gen(function* () {
    let logged = ""
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
            handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
              stdout.setEncoding("utf8").on("data", (text: string) => (logged += text))
              // complaints of every connection that a case breaks
              stderr.resume()
            }
          })
      ),
      (miniflare) => Effect.promise(() => miniflare.dispose())
    )
    const { origin } = yield* Effect.promise(() => miniflare.ready)
    return { url: origin, logged: Effect.sync(() => logged) }
  })
