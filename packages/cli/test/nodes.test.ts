import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { execFileSync } from "node:child_process"
import { keyId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Http from "../../../checks/fixtures/Http.ts"

const [a, b] = [keyId("a", 0), keyId("a", 1)]

/** Asks a node whether it is ready, until it gives this status: it looks once a second. */
const readiness = (url: string, status: number) =>
  Http.send(url, "GET", "/ready", a).pipe(
    Effect.repeat({ until: (response) => response.status === status, schedule: Schedule.spaced("50 millis") })
  )

it.live.runIf(process.platform === "linux")(
  "a node is not ready while the disk rejects what it writes, and reads on",
  () =>
    Effect.gen(function* () {
      const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", 2)) })
      const child = yield* Child.serveWith({
        CLOUD_MANAGEMENT_DATABASE: `${folder}/cloud.db`,
        CLOUD_MANAGEMENT_SEED: `${folder}/seed.json`,
        // the signal that comes with the limit would end the process
        NODE_OPTIONS: "--import data:text/javascript,process.on('SIGXFSZ',()=>{})"
      })
      const { url } = child
      const limit = (bytes: string) =>
        Effect.sync(() => execFileSync("prlimit", ["--pid", String(child.process.pid), `--fsize=${bytes}:`]))
      yield* readiness(url, 200)
      yield* limit("1")
      yield* readiness(url, 503)
      expect(yield* Http.read(url, a)).toBe(200)
      expect(yield* Http.remove(url, b, a)).toBe(503)
      yield* limit("unlimited")
      yield* readiness(url, 200)
      expect(yield* Http.remove(url, b, a)).toBe(200)
    })
)

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
