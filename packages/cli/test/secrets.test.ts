import { expect, it } from "../../../checks/fixtures/vitest.ts"
import * as Invocation from "./Invocation.ts"

const password = "p4ss"

const warning =
  "--database contains a password, which process lists show: set CLOUD_MANAGEMENT_DATABASE, or set CLOUD_MANAGEMENT_DATABASE_FILE"
const url = `postgres://user:${password}@127.0.0.1:1/cloud`

it.live("a password in a flag gets a warning that does not quote it", function* () {
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
