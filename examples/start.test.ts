/** Does what docs/library/start.md says: saves its files, and the tsconfig.json of compatibility.md, in a folder that finds the packages, and runs its commands there. */
import { afterAll, expect, it } from "@effect/vitest"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"

const root = resolve(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "cloud-management-start-"))
afterAll(() => rmSync(folder, { recursive: true }))

const text = ["start", "compatibility"]
  .map((page) => readFileSync(join(root, `docs/library/${page}.md`), "utf8"))
  .join()
const saved = Array.from(
  text.matchAll(/ as\s`([\w.]+)`[^`]*\n\n```\w+\n([^]*?)^```/gm),
  ([, name = "", content = ""]) => [name, content] as const
)
for (const [name, content] of saved) writeFileSync(join(folder, name), content)
writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
cpSync(join(import.meta.dirname, "first-program.ts"), join(folder, "first-program.ts"))
symlinkSync(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"))

const run = (command: string, args: ReadonlyArray<string>, env = {}) =>
  promisify(execFile)(command, args, { cwd: folder, env: { ...process.env, ...env } })

it("docs/library/start.md: its program prints what it says", async () => {
  expect(text).toContain("npx cloud-management serve --seed seed.json\n")
  const serve = [join(root, "packages/cli/src/main.ts"), "serve", "--seed", "seed.json", "--port", "0"]
  const service = spawn(process.execPath, serve, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] })
  const ended = once(service, "exit")
  try {
    const [line] = await once(createInterface(service.stdout), "line")
    const [said = "", url] = /^Listening on (http:.*)$/.exec(String(line)) ?? []
    expect(text).toContain(`\`\`\`\n${said.replace(/\d+$/, "8080")}\n\`\`\``)
    const args = ["--env-file=.env", "first-program.ts"]
    expect(text).toContain(`node ${args.join(" ")}\n`)
    const { stdout } = await run(process.execPath, args, { CLOUD_MANAGEMENT_BASE_URL: url })
    expect(text).toContain(`\`\`\`\n${stdout}\`\`\``)
  } finally {
    service.kill("SIGINT")
    expect(await ended).toEqual([130, null])
  }
})

it("docs/library/start.md: its test passes", async () => {
  const args = ["--test", "first.test.ts"]
  expect(text).toContain(`node ${args.join(" ")}\n`)
  // a test that runs in another test reports for that one
  const { stdout } = await run(process.execPath, args, { NODE_TEST_CONTEXT: undefined })
  for (const line of ["✔ the key belongs to Acme", "ℹ tests 1", "ℹ pass 1", "ℹ fail 0"]) {
    expect(stdout).toContain(line)
    expect(text).toContain(line)
  }
})

it("docs/library/start.md: its type check passes", async () => {
  // @types is beside the command, above the folder of the examples
  const types = ["--typeRoots", join(root, "node_modules/@types")]
  const { stdout } = await run(join(root, "node_modules/.bin/tsc"), types).catch((error) => error)
  expect(stdout).toBe("")
})
