import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as RedisServer from "../../../checks/fixtures/RedisServer.ts"
import { keyId, withKeys } from "../../../checks/fixtures/Tenants.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Http from "../../../checks/fixtures/Http.ts"

const keys = Array.from({ length: 10 }, (_, n) => keyId("a", n))
const statuses = (url: string, key: ReturnType<typeof keyId>, times: number) =>
  Effect.replicateEffect(Http.read(url, key), times, { concurrency: "unbounded" })
const count = (statuses: ReadonlyArray<number>, status: number) => statuses.filter((one) => one === status).length

RedisServer.suite((version) =>
  layer(RedisServer.layer, { excludeTestServices: true })(`nodes that count in one ${version}`, (it) => {
    it.effect("share a limit, over TLS too, and go on alone when it is killed", () =>
      Effect.gen(function* () {
        const { certificate, kill, password, urls } = yield* RedisServer.RedisServer
        const folder = yield* Child.folder({
          "seed.json": JSON.stringify(withKeys("a", keys.length)),
          "ca.pem": certificate
        })
        const start = Effect.fnUntraced(function* (store: string) {
          const child = yield* Child.start(["serve", "--port", "0", "--format", "json", "--log-format", "json"], {
            CLOUD_MANAGEMENT_DATABASE: `${folder}/cloud.db`,
            CLOUD_MANAGEMENT_SEED: `${folder}/seed.json`,
            CLOUD_MANAGEMENT_RATE_LIMIT: "10/1h",
            CLOUD_MANAGEMENT_RATE_LIMIT_STORE: store,
            NODE_EXTRA_CA_CERTS: `${folder}/ca.pem`
          })
          const [, url = ""] = yield* child.until("stdout", /^\{"url":"(.+)"\}\n$/)
          const log = child.until("stderr", /^[^]*$/)
          /** How often Redis took longer than half a second so far, which a busy machine makes it do. */
          const lapses = Effect.map(log, ([text]) => text.split("rate limit store is unavailable").length - 1)
          const isAway = Effect.map(log, ([text]) =>
            /rate limit store is unavailable(?![^]*rate limit store is available again)/.test(text)
          )
          return { ...child, url, lapses, isAway }
        })
        const one = yield* start(urls.tls)
        const two = yield* start(`${urls.plain}/1`)
        const lapses = Effect.map(Effect.all([one.lapses, two.lapses]), ([ofOne, ofTwo]) => ofOne + ofTwo)
        const isAway = Effect.map(Effect.all([one.isAway, two.isAway]), (away) => away.includes(true))
        /** What both answer while Redis is there all the time: with the next key until it is. */
        const together = Effect.gen(function* () {
          for (const key of keys) {
            yield* Effect.repeat(isAway, { while: (away) => away, schedule: Schedule.spaced("50 millis") })
            const before = yield* lapses
            const asked = [one, two].map(({ url }) => statuses(url, key, 20))
            const answers = (yield* Effect.all(asked, { concurrency: 2 })).flat()
            if ((yield* lapses) === before) return [key, answers] as const
          }
          return expect.unreachable("Redis was never there for long enough")
        })
        const [key, answers] = yield* together
        expect([count(answers, 200), count(answers, 429)]).toEqual([10, 30])

        yield* kill
        for (const { end, process, until, url } of [one, two]) {
          expect(count(yield* statuses(url, key, 20), 200)).toBe(10)
          yield* until(
            "stderr",
            /"level":"WARN".*rate limit store is unavailable(?![^]*rate limit store is available again)/
          )
          process.kill("SIGTERM")
          const { code, stderr, stdout } = yield* end
          expect(code).toBe(0)
          expect(stderr.split("rate limit store is unavailable")).toHaveLength(
            stderr.split("rate limit store is available again").length + 1
          )
          for (const secret of [password, encodeURIComponent(password)]) {
            expect(stdout + stderr).not.toContain(secret)
          }
        }
      })
    )
  })
)
