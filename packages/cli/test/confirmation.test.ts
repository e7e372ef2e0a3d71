import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, backupKey } = Fixtures
/** Nothing listens here: exit code 7 tells that a request was tried. */
const environment = Server.client("http://127.0.0.1:1")
const args = ["keys", "delete", acme, backupKey.id]

describe("a change, asked for on a terminal,", () => {
  const keys = [
    { what: "goes on after y", key: { name: "y" }, code: 7 },
    { what: "is off after n", key: { name: "n" }, code: 3 },
    { what: "is off after Enter", key: { name: "enter" }, code: 3 },
    { what: "is interrupted by Ctrl+C", key: { name: "c", ctrl: true }, code: 130 }
  ]
  it.live.each(keys)("$what", ({ code, key }) =>
    Effect.gen(function* () {
      const ended = yield* Invocation.run(args, environment, key)
      expect(ended).toMatchObject({ code, stdout: "" })
      if (code === 3) expect(ended.stderr).toBe("error: cancelled: nothing was deleted\n")
    })
  )

  it.live("is not asked for with --yes", () =>
    Effect.gen(function* () {
      expect(yield* Invocation.run([...args, "--yes"], environment, { name: "n" })).toMatchObject({ code: 7 })
    })
  )

  it.live("cannot be asked for where stdin is the content", () =>
    Effect.gen(function* () {
      const request = ["request", "POST", "/v1/organizations", "--data", "@-"]
      expect(yield* Invocation.run(request, environment, { name: "y" })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: --data @-: .* cannot confirm\n *Pass --yes\.\n$/)
      })
    })
  )
})
