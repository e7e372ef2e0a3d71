import { Context, Effect, Layer, Scope } from "effect"
import { chromium, type Page } from "playwright-core"
import * as Program from "../fixtures/Program.ts"

export class Chromium extends Context.Service<
  Chromium,
  {
    readonly open: (url: string) => Effect.Effect<Page, unknown, Scope.Scope>
  }
>()("@cloud-management/runtimes/Chromium") {}

export const layer = Layer.effect(
  Chromium,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const start = Effect.acquireRelease(
      Effect.tryPromise(() =>
        chromium.launch({
          executablePath: Program.find("chromium") ?? "",
          args: [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run"
          ]
        })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
    const browser = yield* Effect.cached(Scope.provide(start, scope))
    return Chromium.of({
      open: Effect.fnUntraced(function* (url) {
        const chromium = yield* browser
        const context = yield* Effect.acquireRelease(
          Effect.tryPromise(() => chromium.newContext({ viewport: { width: 1000, height: 700 } })),
          (context) => Effect.promise(() => context.close())
        )
        const page = yield* Effect.tryPromise(() => context.newPage())
        yield* Effect.tryPromise(async () => {
          await page.exposeFunction("goOffline", () => context.setOffline(true))
          await page.exposeFunction("goOnline", () => context.setOffline(false))
          await page.goto(url)
        })
        return page
      })
    })
  })
)
