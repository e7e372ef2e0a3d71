import { beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listen } from "../fixtures/Listener.ts"
import * as Stranger from "./stranger.ts"

const workspace = mkdtempSync(join(tmpdir(), "shipped-"))
beforeAll(() => Stranger.list(workspace, { "@cloud-management/core": "0.1.0", undici: "8.12.4" }))

const ofService = ["client", "core", "effect", "platform-node", "sql-pg"]
it.each([
  ["its peers, also those that only some of its modules need", "service", ofService],
  ["the dependencies of its dependencies", "promise", ["client", "core", "node", "undici", "effect"]],
  ["what is in its bundle", "cli", ["client", "core", "undici"]]
])("the SBOM of a package lists %s: %s", (_, name, expected) => {
  const text = readFileSync(join(workspace, `cloud-management-${name}.json`), "utf8")
  const bom: { readonly components: ReadonlyArray<{ readonly name: string }> } = JSON.parse(text)
  const names = bom.components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(expected))
  expect(names).not.toContain("vitest")
})

describe("a release", () => {
  const audit = async (isDry: boolean, listener: RequestListener) => {
    const server = createServer(listener)
    const env = { ...process.env, PNPM_CONFIG_REGISTRY: `http://127.0.0.1:${await listen(server)}/` }
    return Stranger.audit(workspace, isDry, env)
      .then(
        () => "",
        ({ message }: Error) => message
      )
      .finally(() => server.close())
  }
  const advisory = { id: 1, title: "smuggles", url: "", severity: "low", vulnerable_versions: "<99.0.0", cwe: [] }
  const known =
    (name: string): RequestListener =>
    (_, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ [name]: [{ ...advisory, cvss: { score: 1 } }] }))
  const silent: RequestListener = (_, response) => response.writeHead(405).end()

  it.each([true, false])(
    "is stopped by a vulnerability in what it brings, not by one in a tool: dry run %s",
    async (isDry) => {
      expect(await audit(isDry, known("undici"))).toContain("smuggles")
      expect(await audit(isDry, known("vitest"))).toBe("")
    }
  )

  it("is stopped when nobody could be asked, and a dry run is not", async () => {
    expect(await audit(false, silent)).toContain("405")
    expect(await audit(true, silent)).toBe("")
  })
})
