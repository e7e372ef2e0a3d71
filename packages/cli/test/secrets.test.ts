import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import * as Invocation from "./Invocation.ts"

const { deployKey } = Fixtures
const password = "p4ss"

describe("a secret in a file", () => {
  it.live("is not read beside a variable that holds it, and a flag replaces both", () =>
    Effect.gen(function* () {
      const folder = yield* Child.folder({ url: "postgres://" })
      const both = { CLOUD_MANAGEMENT_DATABASE_FILE: `${folder}/url`, CLOUD_MANAGEMENT_DATABASE: "cloud.db" }
      const { code, stderr } = yield* Invocation.run(["serve", "--port", "0"], both)
      const message = "CLOUD_MANAGEMENT_DATABASE and CLOUD_MANAGEMENT_DATABASE_FILE are both set: unset one of them\n"
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
      const client = { CLOUD_MANAGEMENT_BASE_URL: "http://127.0.0.1:1", CLOUD_MANAGEMENT_KEY_ID: deployKey.id }
      const list = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
        Invocation.run(["organizations", "list", ...args], { ...client, ...env })
      const file = { CLOUD_MANAGEMENT_KEY_SECRET_FILE: `${folder}/none` }
      expect((yield* list(file)).stderr).toContain(
        "CLOUD_MANAGEMENT_KEY_SECRET_FILE: the file cannot be read: no such file\n"
      )
      // a flag replaces both
      const flag = yield* list({ ...file, CLOUD_MANAGEMENT_KEY_SECRET: Child.wrongSecret }, "--key-secret-file", folder)
      expect(flag.stderr).toContain("--key-secret-file: the file cannot be read: not a file")
    })
  )
})

describe("a password in a flag", () => {
  const warning =
    "--database contains a password, which process lists show: set CLOUD_MANAGEMENT_DATABASE, or set CLOUD_MANAGEMENT_DATABASE_FILE"
  const url = `postgres://user:${password}@127.0.0.1:1/cloud`

  it.live("gets a warning that does not quote it", () =>
    Effect.gen(function* () {
      for (const args of [
        ["--database", url],
        [`--database=${url}`],
        ["--database", `postgres://user@127.0.0.1:1/cloud?password=${password}`]
      ]) {
        const { stderr } = yield* Invocation.run(["admin", "organizations", "list", ...args])
        expect(stderr).toContain(`warning: ${warning}`)
        expect(stderr).not.toContain(password)
      }
      const json = yield* Invocation.run(["admin", "organizations", "list", "--format", "json", "--database", url])
      expect(JSON.parse(json.stderr.split("\n", 1)[0] ?? "")).toMatchObject({
        warning: { tag: "ExposedPassword", message: expect.stringContaining(warning) }
      })
      for (const [args, env] of [
        [["--database", "postgres://user@127.0.0.1:1/cloud"], {}],
        [["--database", "/nowhere/a:b@c.db"], {}],
        [[], { CLOUD_MANAGEMENT_DATABASE: url }]
      ] as const) {
        const { stderr } = yield* Invocation.run(["admin", "organizations", "list", ...args], env)
        expect(stderr).not.toContain("process lists")
      }
    })
  )

  PostgresServer.suite(() => {
    layer(PostgresServer.layer, { excludeTestServices: true })((it) => {
      it.effect("gets a warning in the log of serve", () =>
        Effect.gen(function* () {
          const { database } = yield* PostgresServer.PostgresServer
          const { until } = yield* Child.serve("--database", yield* database)
          const [line] = yield* until("stderr", /^.*process lists.*$/m)
          expect(JSON.parse(line)).toMatchObject({ level: "WARN", message: expect.stringContaining(warning) })
        })
      )
    })
  })
})
