import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, backupKey } = Fixtures
const deletion = ["keys", "delete", acme, backupKey.id]
const request = (method: string, ...more: ReadonlyArray<string>) => ["request", method, "/v1/x", ...more]

describe("a change, asked for on a terminal,", () => {
  // nothing listens there: exit code 7 tells that a request was tried
  it.live.each<
    [what: string, args: ReadonlyArray<string>, key: Parameters<typeof Invocation.run>[2], code: number, error?: string]
  >([
    ["goes on after y", deletion, { name: "y" }, 7],
    ["is off after n", deletion, { name: "n" }, 3, "cancelled: nothing was deleted\n"],
    ["is off after Enter", deletion, { name: "enter" }, 3],
    ["is interrupted by Ctrl+C", deletion, { name: "c", ctrl: true }, 130],
    ["is not asked for with --yes", [...deletion, "--yes"], { name: "n" }, 7],
    ["as a request of one's own goes on after y", request("DELETE"), { name: "y" }, 7],
    ["as a request of one's own is off after n", request("DELETE"), { name: "n" }, 3, "cancelled: nothing was sent\n"],
    ["is not what GET asks for", request("GET"), { name: "n" }, 7],
    [
      "cannot be asked for where stdin is the content",
      request("POST", "--data", "@-"),
      { name: "y" },
      2,
      "--data @-: stdin is read for the content, so it cannot confirm\n       Pass --yes.\n"
    ],
    [
      "cannot be asked for without a terminal",
      request("DELETE"),
      undefined,
      2,
      "the request cannot be confirmed without a terminal: pass --yes to send it without asking\n"
    ]
  ])("%s", ([, args, key, code, error]) =>
    Effect.gen(function* () {
      const ended = yield* Invocation.run(args, Server.client("http://127.0.0.1:1"), key)
      expect(ended).toMatchObject({ code, stdout: "", ...(error && { stderr: `error: ${error}` }) })
    })
  )
})
