import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedisServer from "../../service/test/RedisServer.ts"
import { keyId, withKeys } from "../../service/test/StoreContract.ts"
import * as Child from "./Child.ts"
import * as Http from "./Http.ts"

const key = keyId("a", 0)
const statuses = (url: string, times: number) =>
  Effect.replicateEffect(Http.read(url, key), times, { concurrency: "unbounded" })

RedisServer.suite((version) =>
  layer(RedisServer.layer, { excludeTestServices: true })(`nodes that count in one ${version}`, (it) => {
    it.effect("share a limit, over TLS too, and go on alone when it is killed", () =>
      Effect.gen(function* () {
        const { certificate, kill, password, urls } = yield* RedisServer.RedisServer
        const folder = yield* Child.folder({
          "seed.json": JSON.stringify(withKeys("a", 1)),
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
          return { ...child, url }
        })
        const one = yield* start(urls.tls)
        const two = yield* start(`${urls.plain}/1`)
        const together = yield* Effect.all([statuses(one.url, 20), statuses(two.url, 20)], { concurrency: 2 })
        expect(together.flat().filter((status) => status === 200)).toHaveLength(10)
        expect(together.flat().filter((status) => status === 429)).toHaveLength(30)

        yield* kill
        for (const { end, process, until, url } of [one, two]) {
          expect((yield* statuses(url, 20)).filter((status) => status === 200)).toHaveLength(10)
          yield* until("stderr", /"level":"WARN".*rate limits is away/)
          process.kill("SIGTERM")
          const { code, stderr, stdout } = yield* end
          expect(code).toBe(0)
          expect(stderr.match(/rate limits is away/g)).toHaveLength(1)
          for (const secret of [password, encodeURIComponent(password)]) {
            expect(stdout + stderr).not.toContain(secret)
          }
        }
      })
    )
  })
)
