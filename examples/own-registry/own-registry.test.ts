import { FetchTransport } from "@cloud-management/browser"
import { WebHandler } from "@cloud-management/service"
import { Fixtures } from "@cloud-management/testing"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { program } from "./Keys.ts"
import { client, transports } from "./main.ts"
import * as KeyService from "./service.ts"

/** Straight into the service, as over HTTP/2: no header announces the body of a `Request`. */
const requests = Layer.unwrap(
  Effect.sync(() => {
    const { handler } = WebHandler.make(KeyService.layer, { remoteAddress: () => "127.0.0.1" })
    const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init))
    return Layer.provide(
      client("https://api.example.com"),
      Layer.provide(FetchTransport.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))
    )
  })
)

for (const [name, client] of Object.entries({ ...transports, "a web handler": requests })) {
  describe(`over ${name}`, () => {
    layer(Layer.fresh(client), { excludeTestServices: true })((it) => {
      it.effect("creates, lists by pages, renames and deletes keys", () =>
        Effect.gen(function* () {
          expect(yield* program(Fixtures.acme)).toEqual({
            pages: [2, 1],
            again: "taken",
            left: ["desktop", "staging"]
          })
        })
      )
    })
  })
}

describe("main.ts", () => {
  layer(Layer.empty, { excludeTestServices: true })((it) => {
    it.effect("prints the keys that are left over each transport", () =>
      Effect.gen(function* () {
        const run = promisify(execFile)(process.execPath, ["main.ts"], { cwd: import.meta.dirname, timeout: 120_000 })
        const { stderr, stdout } = yield* Effect.promise(() => run)
        expect(stderr).toBe("")
        expect(stdout).toBe(
          ["in memory", "undici", "fetch"].map((name) => `${name.padEnd(10)} desktop, staging\n`).join("")
        )
      })
    )
  })
})
