import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

it("1500 calls under mixed faults through undici leave no socket, no fiber and no timer", () => {
  const main = fileURLToPath(new URL("main.ts", import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, ["--expose-gc", main, "--calls", "1500"], { encoding: "utf8" })
  expect(stdout).toContain("left: 0 sockets, 0 timers, 0 fibers, 0 sockets of the service")
  expect({ status, stdout }).toMatchObject({ status: 0 })
})
