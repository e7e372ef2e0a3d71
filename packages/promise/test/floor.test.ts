import { expect, it } from "vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

it("works without what browsers of 2022 lack", async () => {
  const program = join(import.meta.dirname, "floor.ts")
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=browser", program])
  expect(JSON.parse(stdout)).toEqual({
    requests: 2,
    results: ["Acme", "ForbiddenError", "InvalidOptionError", "TypeError", "😀", ["get"], true]
  })
})
