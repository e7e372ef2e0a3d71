import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { execFileSync } from "node:child_process"
import { keyId, organizationId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Http from "../../../checks/fixtures/Http.ts"

/** A node over a database, which the first one fills with so many keys. */
const node = Effect.fnUntraced(function* (database: string, keys = 2) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", keys)) })
  return yield* Child.serve("--database", database, "--seed", `${folder}/seed.json`)
})
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

describe("a node whose database server", () => {
  PostgresServer.suite(() =>
    it.live("goes away answers 503 meanwhile, and recovers by itself", () =>
      Effect.gen(function* () {
        const server = yield* PostgresServer.PostgresServer
        const { end, process, until, url } = yield* node(yield* server.database, 50)
        const everyone = Array.from({ length: 50 }, (_, n) => keyId("a", n))
        const readAll = Effect.forEach(everyone, (key) => Http.read(url, key), { concurrency: "unbounded" })
        expect(new Set(yield* readAll)).toEqual(new Set([200]))

        yield* server.stop("SIGQUIT")
        expect(new Set(yield* readAll)).toEqual(new Set([503]))
        for (const [method, path] of [
          ["GET", "/v1/organizations"],
          ["DELETE", `/v1/organizations/${organizationId("a")}/keys/${b}`],
          ["GET", "/ready"]
        ] as const) {
          const { headers, status } = yield* Http.send(url, method, path, a)
          expect([status, headers.get("retry-after")]).toEqual([503, "1"])
        }
        expect((yield* Http.send(url, "GET", "/health", a)).status).toBe(200)

        yield* server.start
        expect(new Set(yield* readAll)).toEqual(new Set([200]))
        yield* readiness(url, 200)
        expect(yield* Http.remove(url, b, a)).toBe(200)
        expect(yield* Http.read(url, b)).toBe(401)

        // the outage is over once no request has failed for a second
        const [, failed] = yield* Effect.raceFirst(
          until(
            "stderr",
            /"level":"INFO","message":"the database is available again: (\d+) requests failed in [\d.]+ s"/
          ),
          Effect.forever(Effect.andThen(Http.read(url, a), Effect.sleep("50 millis")))
        )
        expect(Number(failed)).toBeGreaterThanOrEqual(53)
        process.kill("SIGTERM")
        const { stderr } = yield* end
        expect(stderr.match(/the database is unavailable/g)).toHaveLength(1)
      }).pipe(Effect.provide(PostgresServer.layer))
    )
  )
})
