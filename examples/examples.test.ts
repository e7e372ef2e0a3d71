/** Runs every example as its reader would, against a service of its own, and looks at what it prints. */
import { Seed } from "@cloud-management/service"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { Conformance, ConformanceService, Fixtures } from "@cloud-management/testing"
import { Effect, Layer, Redacted } from "effect"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { promisify } from "node:util"
import { expect, it, layer } from "../checks/fixtures/vitest.ts"

/** The end of the output of each, or the guide that has all of it. */
const prints: Record<string, string> = {
  "credentials.ts": "credentials.md",
  "errors.ts": "errors.md",
  "first-program.ts": "This key belongs to Acme",
  "http-api-client.ts": "BAD_REQUEST: The key in use cannot be deleted",
  "lost-response.ts": "reliability.md",
  "observability.ts": "http.client.request.duration",
  "own-errors.ts": "own-errors.md",
  "own-operation.ts": "own-operations.md",
  "own-registry/main.ts": "pages of 2 and 1, taken, left: desktop, staging",
  "own-transport.ts": `${Conformance.cases("").length} cases, 0 failed`,
  "uploads.ts": "uploads.md",
  "waiting.ts": "waiting.md"
}

it.effect("the key of examples/first-program.env is the first of examples/seed.json", function* () {
  const { organizations } = yield* Seed.parse(readFileSync(`${import.meta.dirname}/seed.json`, "utf8"))
  const { id, secret = Redacted.make("") } = organizations[0]?.apiKeys[0] ?? {}
  expect(readFileSync(`${import.meta.dirname}/first-program.env`, "utf8")).toContain(
    `CLOUD_MANAGEMENT_KEY_ID=${id}\nCLOUD_MANAGEMENT_KEY_SECRET=${Redacted.value(secret)}\n`
  )
})

layer(HttpHost.layer().pipe(Layer.provide(ConformanceService.layer)), { excludeTestServices: true })((it) => {
  it.effect("examples/browser-proxy says in a line that its port is taken", function* () {
    const { port } = new URL((yield* HttpHost.HttpHost).url)
    const options = { cwd: import.meta.dirname, env: { ...process.env, PORT: port } }
    const run = promisify(execFile)(process.execPath, ["browser-proxy/main.ts"], options)
    const ended = yield* Effect.promise(() => run.catch((error: unknown) => error))
    expect(ended).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^.* choose another PORT: .*EADDRINUSE.*\n$/)
    })
  })

  const files = readdirSync(import.meta.dirname).filter((name) => /(?<!\.test)\.ts$/.test(name))
  for (const file of [...files, "own-registry/main.ts"]) {
    it.effect(`examples/${file} runs`, function* () {
      const { url } = yield* HttpHost.HttpHost
      const env = {
        ...process.env,
        CLOUD_MANAGEMENT_BASE_URL: url,
        CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
        CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret
      }
      const run = promisify(execFile)(process.execPath, [file], { cwd: import.meta.dirname, env, timeout: 120_000 })
      const { stderr, stdout } = yield* Effect.promise(() => run)
      expect(stderr).toBe("")
      const expected = prints[file] ?? ""
      if (expected.endsWith(".md")) {
        const guide = readFileSync(`${import.meta.dirname}/../docs/library/${expected}`, "utf8")
        expect(guide).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`)
      } else expect(stdout.slice(-1 - expected.length)).toBe(`${expected}\n`)
    })
  }
})
