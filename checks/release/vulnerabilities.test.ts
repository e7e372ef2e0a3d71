import { describe, expect, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import * as Vulnerabilities from "./vulnerabilities.ts"

const shipped = new Set(["pkg:npm/undici@8.12.4"])

/** What the check says of a registry that answers so. */
const check = async (answer: RequestListener): Promise<Vulnerabilities.Outcome> => {
  const server = createServer(answer)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  try {
    const env = { ...process.env, PNPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}/` }
    return await Vulnerabilities.check(shipped, env)
  } finally {
    server.close()
  }
}

const advisories =
  (found: object): RequestListener =>
  ({ url }, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(url === "/-/npm/v1/security/advisories/bulk" ? found : {}))
const advisory = (id: number, title: string) => ({
  id,
  title,
  url: `https://github.com/advisories/GHSA-${id}`,
  severity: "high",
  vulnerable_versions: "<99.0.0",
  cwe: [],
  cvss: { score: 7.5 }
})

describe("the check for vulnerabilities", () => {
  it("tells what is in a package of ours from what is in a tool", async () => {
    const found = advisories({ undici: [advisory(1, "smuggles")], vitest: [advisory(2, "leaks")] })
    expect(await check(found)).toMatchObject({
      shipped: ["undici 8.12.4: smuggles (high), mended by >=99.0.0: https://github.com/advisories/GHSA-1"],
      tools: expect.arrayContaining([expect.stringMatching(/^vitest [\d.]+: leaks \(high\)/)])
    })
  })

  it("says that it could not ask when the registry does not answer such questions", async () => {
    expect(await check((_, response) => response.writeHead(405).end())).toMatchObject({
      _tag: "Unreachable",
      why: expect.stringContaining("responded with 405")
    })
  })

  it("finds none where none is known", () => {
    const stdout = JSON.stringify({ advisories: {}, metadata: {} })
    expect(Vulnerabilities.read({ stdout, stderr: "" }, shipped)).toEqual({ _tag: "Known", shipped: [], tools: [] })
  })

  it("says when no version is safe", () => {
    const { severity, title, url } = advisory(3, "hangs")
    const findings = [{ version: "8.12.4" }]
    const advisories = { 3: { severity, title, url, module_name: "undici", patched_versions: "<0.0.0", findings } }
    expect(Vulnerabilities.read({ stdout: JSON.stringify({ advisories }), stderr: "" }, shipped)).toMatchObject({
      shipped: ["undici 8.12.4: hangs (high), no version mends it: https://github.com/advisories/GHSA-3"]
    })
  })

  it.each(["", "<html>", "{}", "null", '"advisories"'])("takes no other output for an answer: %s", (stdout) => {
    const stderr = "Error: X\n\n  × Failed to request (at http://127.0.0.1:1/\n  │ bulk)\n  ╰─▶ Connection refused\n"
    expect(Vulnerabilities.read({ stdout, stderr }, shipped)).toEqual({
      _tag: "Unreachable",
      why: "Failed to request (at http://127.0.0.1:1/ bulk) Connection refused"
    })
  })
})

describe("a release", () => {
  const unreachable = { _tag: "Unreachable", why: "it responded with 405" } as const
  const said = ["vulnerabilities: not checked, the source could not be reached (it responded with 405)"]

  it("is stopped when nobody could be asked, and a dry run is not", () => {
    const stop = "nothing is published without the check for vulnerabilities: start the release again"
    expect(Vulnerabilities.judge(unreachable, false)).toEqual({ said, stops: [stop] })
    expect(Vulnerabilities.judge(unreachable, true)).toEqual({ said, stops: [] })
  })

  it.each([true, false])(
    "is stopped by a vulnerability in what it brings, not by one in a tool: dry run %s",
    (isDry) => {
      const known = { _tag: "Known", shipped: ["undici 8.12.4: smuggles"], tools: ["vitest 5.1.0: leaks"] } as const
      expect(Vulnerabilities.judge(known, isDry)).toEqual({
        said: [
          "vulnerabilities: 1 known in the dependencies of the packages, 1 in tools",
          "  in a tool: vitest 5.1.0: leaks"
        ],
        stops: ["undici 8.12.4: smuggles"]
      })
    }
  )
})
