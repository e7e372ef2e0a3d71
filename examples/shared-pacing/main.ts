/**
 * `REDIS_URL=redis://localhost npx node examples/shared-pacing/main.ts`, in as many processes as you like: together they
 * stay within 10 requests in 2 seconds.
 */
import { CloudManagement } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Config, Console, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import * as SharedPacing from "./SharedPacing.ts"

const limiter = RateLimiter.layer.pipe(
  Layer.provide(RateLimiter.layerStoreRedis({ prefix: "cloud-management:" })),
  // without an offline queue, a call does not wait for a Redis that is away
  Layer.provide(NodeRedis.layerConfig({ url: Config.String("REDIS_URL"), disableOfflineQueue: Config.succeed(true) }))
)

// 2 seconds / 10, and 50 ms more, so that latencies may differ by half a second
const pacing = SharedPacing.make("our-api-key", 250)

const cloud = Layer.unwrap(Effect.map(pacing, (pacing) => CloudManagement.layerConfig({ pacing }))).pipe(
  Layer.provide(NodeTransport.layer),
  Layer.provide(limiter)
)

const program = Effect.gen(function* () {
  const { organizations } = yield* CloudManagement.CloudManagement
  const responses = yield* Effect.replicateEffect(organizations.list(), 8, { concurrency: "unbounded" })
  yield* Console.log(`${responses.length} calls`)
})

await Effect.runPromise(Effect.provide(program, cloud))
