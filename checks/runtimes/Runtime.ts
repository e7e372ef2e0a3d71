import { Context, Effect, Layer, Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { build } from "esbuild"
import { Miniflare } from "miniflare"
import type { Readable } from "node:stream"
import { chromium, type Page } from "playwright-core"
import { Child, Program } from "../fixtures/index.ts"

const require = createRequire(import.meta.url)

/** A file of the package in which an npm package keeps its binary for this platform. */
export const binary = (name: string, path: string): string => {
  const manifest = require.resolve(`${name}/package.json`)
  const { optionalDependencies }: { readonly optionalDependencies: Record<string, string> } = JSON.parse(
    readFileSync(manifest, "utf8")
  )
  const folders = createRequire(manifest).resolve.paths(name) ?? []
  const files = Object.keys(optionalDependencies).flatMap((own) => folders.map((folder) => join(folder, own, path)))
  return files.find(existsSync) ?? path
}

const located = (args: ReadonlyArray<string>) =>
  args.map((arg) => (arg.startsWith("inside/") ? join(import.meta.dirname, arg) : arg))
const env = { HOME: process.env["HOME"] ?? "", PORT: "0" }

export const run = (command: string, ...args: ReadonlyArray<string>) => Child.execute(command, located(args), env)

export const serve = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(Child.program(command, located(args), env), ({ until }) =>
    Effect.map(
      Effect.raceFirst(until("stdout", /http:\/\/[\w.:]+/), until("stderr", /http:\/\/[\w.:]+/)),
      ([url]) => url
    )
  )

export const bundle = (entry: string) =>
  Effect.promise(async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, entry)],
      bundle: true,
      format: "esm",
      platform: "browser",
      external: ["node:process"],
      target: "es2024",
      write: false,
      logLevel: "silent"
    })
    return outputFiles[0]?.text ?? ""
  })

/** A worker in workerd until the end of the scope: its URL, and what it has logged so far. */
export const serveWorker = Effect.fnUntraced(function* (script: string, bindings: Record<string, string> = {}) {
  let logged = ""
  const handleRuntimeStdio = (stdout: Readable, stderr: Readable) => {
    stdout.setEncoding("utf8").on("data", (text: string) => (logged += text))
    // complaints of every connection that a case breaks
    stderr.resume()
  }
  const at = { host: "127.0.0.1", port: 0, compatibilityDate: "2026-04-01" }
  const miniflare = yield* Effect.acquireRelease(
    Effect.sync(() => new Miniflare({ ...at, modules: true, script, bindings, handleRuntimeStdio })),
    (miniflare) => Effect.promise(() => miniflare.dispose())
  )
  const { origin } = yield* Effect.promise(() => miniflare.ready)
  return { url: origin, logged: Effect.sync(() => logged) }
})

export class Chromium extends Context.Service<
  Chromium,
  { readonly open: (url: string) => Effect.Effect<Page, unknown, Scope.Scope> }
>()("@cloud-management/runtimes/Chromium") {}

export const layerChromium = Layer.effect(
  Chromium,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const quiet = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
    const options = { executablePath: Program.find("chromium") ?? "", args: [...quiet.split(" "), "--no-first-run"] }
    const start = Effect.acquireRelease(
      Effect.tryPromise(() => chromium.launch(options)),
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
