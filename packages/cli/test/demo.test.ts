import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync } from "node:fs"
import * as Child from "./Child.ts"

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Every ID by the order in which it appears first; the same one keeps its name. */
const normalize = (text: string) => {
  const ids = new Map<string, string>()
  return text
    .replace(uuid, (id) => {
      const name = ids.get(id) ?? `<id ${ids.size + 1}>`
      ids.set(id, name)
      return name
    })
    .replace(/127\.0\.0\.1:\d+/, "127.0.0.1:<port>")
    .replace(/SQLite in \S+,/, "SQLite in <folder>,")
}

describe("demo", () => {
  it.live("shows the three operations and four refusals", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* Child.run(["demo"])
      expect(normalize(stdout)).toMatchInlineSnapshot(`
        "The Cloud Management API, over real sockets

           Service   http://127.0.0.1:<port>
           Database  SQLite in <folder>, removed at the end
           Key       <id 1>, with a new secret

        1. List organizations
           GET /v1/organizations
           HTTP 200, request <id 2>

             ID                 <id 3>
             Name               Acme
             Created            2026-01-01T00:00:00.000Z
             Private endpoints  pe-1 (office)
             BYOC               byoc-1 (acme-aws)

        2. Read a reverse private endpoint (beta)
           GET /v1/organizations/<id 3>
               /services/<id 4>
               /pipesReversePrivateEndpoints/<id 5>
           HTTP 200, request <id 6>

             ID                    <id 5>
             Service ID            <id 4>
             Description           orders
             Type                  VPC_ENDPOINT_SERVICE
             Status                Ready
             VPC endpoint service  com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0
             Endpoint ID           vpce-0123456789abcdef0
             DNS names             vpce-0123456789abcdef0.example.com
             Private DNS names     orders.internal.example.com

        3. Delete an API key
           DELETE /v1/organizations/<id 3>
                  /keys/<id 7>
           HTTP 200, request <id 8>

             Deleted  <id 7>, the key of an old laptop

        4. Refused requests

             Attempt                  HTTP  Reason          Message
             a wrong secret           401   Unauthorized    UNAUTHORIZED: Key is not found
             another organization     403   Forbidden       FORBIDDEN: The key is not for this organization
             deleting the key in use  400   BadRequest      BAD_REQUEST: The key in use cannot be deleted
             deleting a key again     404   ApiKeyNotFound  NOT_FOUND: Key is not found
        "
      `)
      expect(stdout).not.toMatch(/cmk_|\u001b/)
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
      const [, folder = "/"] = /SQLite in (\S+),/.exec(stdout) ?? []
      expect(existsSync(folder)).toBe(false)
      expect(stderr).toBe("")
      expect(code).toBe(0)
    })
  )

  it.live("leaves no files behind when its reader leaves early", () =>
    Effect.gen(function* () {
      const folder = yield* Child.folder()
      const { end, process } = yield* Child.start(["demo"], { TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: "1" })
      process.stdout.destroy()
      expect(yield* end).toMatchObject({ code: 0, stderr: "" })
      expect(readdirSync(folder)).toEqual([])
    })
  )

  it.live("gives them as JSON", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* Child.run(["demo", "--format", "json"])
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
      expect(stderr).toBe("")
      expect(code).toBe(0)
    })
  )
})
