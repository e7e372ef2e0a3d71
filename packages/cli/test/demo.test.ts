import { Child, describe, exits, expect, it } from "../../../checks/fixtures/index.ts"
import { existsSync, readdirSync } from "node:fs"
import * as Invocation from "./Invocation.ts"

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

describe("demo", () => {
  it.live("shows the three operations and four refusals", function* () {
    const { stdout, ...ended } = yield* Invocation.run(["demo"])
    for (const [title, shown] of [
      ["1. List organizations", "Name +Acme"],
      ["2. Read a reverse private endpoint", "Status +Ready"],
      ["3. Delete an API key", "Deleted +[0-9a-f-]{36}"],
      ["4. Refused requests", "wrong secret +401 [^]* 403 [^]* 400 [^]*again +404 +ApiKeyNotFound"]
    ]) {
      expect(stdout).toMatch(new RegExp(`^${title}[^]*^ *(a )?${shown}`, "m"))
    }
    expect(stdout).not.toMatch(/cmk_|\u001b/)
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
    const [, folder = "/"] = /SQLite in (\S+),/.exec(stdout) ?? []
    expect(existsSync(folder)).toBe(false)
    expect(ended).toEqual({ code: 0, stderr: "" })
  })

  it.live("leaves no files behind when its reader leaves early", function* () {
    const folder = yield* Child.folder()
    const { end, process } = yield* Child.start(["demo"], { TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: "1" })
    process.stdout.destroy()
    expect(yield* end).toMatchObject({ code: 0, stderr: "" })
    expect(readdirSync(folder)).toEqual([])
  })

  it.live("needs a folder for temporary files", function* () {
    expect(yield* Child.run(["demo"], { TMPDIR: `${yield* Child.folder()}/none` })).toMatchObject(
      exits(2, /^error: a folder for temporary files cannot be made \(ENOENT\)\n +Set TMPDIR /)
    )
  })

  it.live("gives them as JSON", function* () {
    const { stdout, ...ended } = yield* Invocation.run(["demo", "--format", "json"])
    const steps: ReadonlyArray<Record<string, unknown>> = JSON.parse(stdout)
    expect(steps.map(({ method, status, error }) => [method, status, error])).toEqual([
      ["GET", 200, undefined],
      ["GET", 200, undefined],
      ["DELETE", 200, undefined],
      ["GET", 401, { tag: "Unauthorized", message: "UNAUTHORIZED: Key is not found" }],
      ["GET", 403, { tag: "Forbidden", message: "FORBIDDEN: The key is not for this organization" }],
      ["DELETE", 400, { tag: "BadRequest", message: "BAD_REQUEST: The key in use cannot be deleted" }],
      ["DELETE", 404, { tag: "ApiKeyNotFound", message: "NOT_FOUND: Key is not found" }]
    ])
    for (const { requestId } of steps) expect(requestId).toMatch(uuid)
    expect(stdout).not.toContain("cmk_")
    expect(ended).toEqual({ code: 0, stderr: "" })
  })
})
