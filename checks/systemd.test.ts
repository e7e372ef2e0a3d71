import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Child from "./fixtures/Child.ts"
import * as Program from "./fixtures/Program.ts"

/** The unit of the documents, with a program that is on this machine, after a change. */
const unit = (change: (text: string) => string = (text) => text) => {
  const text = readFileSync("examples/deploy/cloud-management.service", "utf8")
  const here = text.replace("/usr/local/bin/cloud-management serve", "/bin/true")
  expect(here).not.toBe(text)
  return Effect.map(
    Child.folder({ "cloud-management.service": change(here) }),
    (folder) => `${folder}/cloud-management.service`
  )
}

Program.suite(["systemd-analyze"], (path) => {
  const analyze = (...args: ReadonlyArray<string>) => spawnSync(path("systemd-analyze"), args, { encoding: "utf8" })

  it.effect("systemd understands every line of the unit", () =>
    Effect.gen(function* () {
      const { status, stderr } = analyze("verify", yield* unit())
      expect([status, stderr]).toEqual([0, ""])
      const wrong = analyze("verify", yield* unit((text) => text.replace("ProtectHome=", "ProtectHomes=")))
      expect(wrong.stderr).toContain("ProtectHomes")
    })
  )

  it.effect("systemd counts the unit among the least exposed", () =>
    Effect.gen(function* () {
      // tenths; what systemd calls OK ends at 4.9
      const least = ["security", "--offline=true", "--threshold=14"]
      expect(analyze(...least, yield* unit())).toMatchObject({ status: 0 })
      expect(analyze(...least, yield* unit((text) => text.replace("RestrictNamespaces=yes", ""))).status).toBe(1)
    })
  )
})

it.live("serve ends as the unit expects: with 0 when it was asked to, and with 2 when a setting is wrong", () =>
  Effect.gen(function* () {
    const text = readFileSync("examples/deploy/cloud-management.service", "utf8")
    const { end, process } = yield* Child.serve()
    process.kill("SIGTERM")
    expect((yield* end).code).toBe(0)
    expect(text).toMatch(/^Restart=always$/m)
    expect(text).toMatch(/^StartLimitBurst=[1-9]/m)
    expect(text).toContain(`\nRestartPreventExitStatus=${(yield* Child.run(["serve", "--port", "x"])).code}\n`)
  })
)
