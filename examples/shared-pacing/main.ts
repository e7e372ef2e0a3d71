/**
 * One rate limit for several processes: a pacing of our own, which takes its turns from a limiter that all of them share.
 * With `REDIS_URL` it is in Redis; without, in memory, for the two clients of this program.
 */
import { CloudError, CloudManagement, type Pacing } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Config, Console, Duration, Effect, Layer, Option } from "effect"
import { RateLimiter } from "effect/persistence"

/** So many requests in each window, by all who name the same key. */
interface Limit {
  readonly key: string
  readonly limit: number
  readonly window: Duration.Input
}

const shared = (limit: Limit): Effect.Effect<Pacing.Pacing, never, RateLimiter.RateLimiter> =>
  Effect.map(RateLimiter.RateLimiter, (limiter) => ({
    make: Effect.succeed((timeLeft) =>
      // a place in the line of all processes, and how far away it is
      limiter.consume({ ...limit, onExceeded: "delay" }).pipe(
        Effect.map(({ delay }) => delay),
        // without the store nothing is held back: the limit of the service still holds
        Effect.catch((error) => Effect.as(Effect.logWarning("not paced", error), Duration.zero)),
        Effect.tap((delay) =>
          Duration.toMillis(delay) < timeLeft
            ? Effect.interruptible(Effect.sleep(delay))
            : new CloudError.Throttled({ message: "the turn comes after the deadline", retryAfter: delay })
        ),
        // nothing is learned from the answer
        Effect.as(() => {})
      )
    )
  }))

const store = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Config.option(Config.String("REDIS_URL"))
    return Option.match(url, {
      onNone: () => RateLimiter.layerStoreMemory,
      onSome: (url) => RateLimiter.layerStoreRedis({ prefix: "cloud:" }).pipe(Layer.provide(NodeRedis.layer({ url })))
    })
  })
)

/** What one process does. */
const process = Effect.gen(function* () {
  const pacing = yield* shared({ key: "our-api-key", limit: 5, window: "200 millis" })
  const client = CloudManagement.layerConfig({ pacing }).pipe(Layer.provide(NodeTransport.layer))
  const calls = Effect.flatMap(CloudManagement.CloudManagement, (cloud) =>
    Effect.all(
      Array.from({ length: 6 }, () => cloud.organizations.list()),
      { concurrency: "unbounded" }
    )
  )
  yield* Effect.provide(calls, client)
})

const main = Effect.gen(function* () {
  const [elapsed] = yield* Effect.timed(Effect.all([process, process], { concurrency: 2, discard: true }))
  // 5 at once, 5 after 200 ms, 2 after 400
  yield* Console.log(`12 calls of two clients took at least 400 ms: ${Duration.toMillis(elapsed) >= 390}`)
})

await Effect.runPromise(main.pipe(Effect.provide(RateLimiter.layer.pipe(Layer.provide(store)))))
