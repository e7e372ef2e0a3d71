import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Child from "../../../checks/fixtures/Child.ts"

it.live.runIf(process.platform === "linux")(
  "a node whose disk rejects what it writes does not start, and can be started again",
  () =>
    Effect.gen(function* () {
      const file = `${yield* Child.folder()}/cloud.db`
      const { code, stderr } = yield* Child.run(["serve", "--port", "0", "--database", file], Child.fileLimit(1))
      expect(stderr).toBe(
        `error: --database (CLOUD_MANAGEMENT_DATABASE): ${file}: disk I/O error\n` +
          "       Check that the disk has free space, and look for disk errors in the system's log.\n"
      )
      expect(code).toBe(7)
    })
)
