import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Seeded from "./Seeded.ts"
import * as Server from "./Server.ts"

const { acme, backupKey } = Fixtures
const deletion = ["keys", "delete", acme, backupKey.id]
const enter = { name: "enter" }
const press = (name: string) => [{ name }, enter]
const [yes, no] = [press("y"), press("n")]
type Keys = Parameters<typeof Invocation.run>[2]
const request = (method: string, ...more: ReadonlyArray<string>) => ["request", method, "/v1/x", ...more]

it.live("the question whether to delete a key names it, and says when it was last used", function* () {
  const { file } = yield* Seeded.seeded()
  const args = ["admin", "keys", "delete", acme, backupKey.id, "--database", file]
  const { code, questions } = yield* Invocation.run(args, {}, [{ name: "n" }, enter])
  expect(questions).toContain(`Delete the key ${backupKey.id} (name: backup, last used: not recorded) for good? [y/N]`)
  expect(code).toBe(3)
})

describe("a change, asked for on a terminal,", () => {
  // nothing listens there: exit code 7 tells that a request was tried
  it.live.each<[what: string, args: ReadonlyArray<string>, keys: Keys, code: number, error?: string]>([
    ["goes on after y and Enter", deletion, yes, 7],
    ["is off after n", deletion, no, 3, "cancelled: nothing was deleted\n"],
    ["is off after Enter", deletion, [enter], 3],
    ["is interrupted by Ctrl+C", deletion, [{ name: "y" }, { name: "c", ctrl: true }], 130],
    ["is not asked for with --yes", [...deletion, "--yes"], [{ name: "n" }], 7],
    ["as a request of one's own goes on after y", request("DELETE"), yes, 7],
    ["as a request of one's own is off after n", request("DELETE"), no, 3, "cancelled: nothing was sent\n"],
    ["is not what GET asks for", request("GET"), [{ name: "n" }], 7],
    ["needs --yes if stdin is the content", request("POST", "--data", "@-"), yes, 2, "confirm\n       Pass --yes."],
    ["needs --yes without a terminal", request("DELETE"), undefined, 2, "without a terminal: pass --yes to send it"]
  ])("%s", function* ([, args, keys, code, error]) {
    const ended = yield* Invocation.run(args, Server.client("http://127.0.0.1:1"), keys)
    expect(ended).toMatchObject({ code, stdout: "", ...(error && { stderr: expect.stringContaining(error) }) })
  })
})
